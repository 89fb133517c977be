package export

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unknown are the names of options that Aiven reports and a tree doesn't have, apart from those with their default.
func unknown(tree reflect.Type, found, properties map[string]any) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		schema, _ := properties[name].(map[string]any)
		standard, hasDefault := schema["default"]
		if found[name] != nil && !knows(tree, name) && (!hasDefault || !reflect.DeepEqual(standard, found[name])) {
			names = append(names, name)
		}
	}
	return names
}

// knows reports whether a tree has an option of a name.
func knows(tree reflect.Type, name string) bool {
	_, has := tree.FieldByNameFunc(func(field string) bool {
		known, _ := tree.FieldByName(field)
		json, _, _ := strings.Cut(known.Tag.Get("json"), ",")
		return json == name
	})
	return has
}

// holdsSecret reports whether a field of a tree that is declared secret is set.
func holdsSecret(of reflect.Type, found any) bool {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if list, isList := found.([]any); isList {
		return slices.ContainsFunc(list, func(entry any) bool { return holdsSecret(of, entry) })
	}
	tree, isTree := found.(map[string]any)
	if of.Kind() != reflect.Struct || !isTree {
		return false
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if set := tree[name]; set != nil && (field.Tag.Get("sensitive") == "true" || holdsSecret(field.Type, set)) {
			return true
		}
	}
	return false
}
