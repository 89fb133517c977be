package userconfig

import "slices"

// NotReturned is printed in place of the value at Aiven of an option that Aiven doesn't report, such as one that was never set.
const NotReturned = "(not returned)"

// Values returns the options at some paths, such as those of Comparison.WriteOnly. A value that has a secret in it isn't among them. path is
// where the options are in the spec.
func Values(path string, options map[string]any, paths []string) map[string]any {
	found := map[string]any{}
	addValues(found, path, options, paths)
	return found
}

func addValues(found map[string]any, path string, value any, paths []string) {
	if tree, is := value.(map[string]any); is {
		for key, entry := range tree {
			addValues(found, path+"."+key, entry, paths)
		}
		return
	}
	if slices.Contains(paths, path) && !holdsSecret(value) {
		found[path] = printed(value)
	}
}
