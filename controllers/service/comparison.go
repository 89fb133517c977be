package service

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers"
)

// comparison collects what Aiven has otherwise than the options in the spec ask. What the spec doesn't set isn't
// compared; what Aiven doesn't tell, or tells as null or redacted, can't be.
type comparison struct {
	diff      controllers.Diff
	writeOnly []string // paths
}

// value compares one value and what is in it.
func (c *comparison) value(path string, wanted, found any) {
	if tree, ok := wanted.(map[string]any); ok {
		have, _ := found.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			c.value(path+"."+key, tree[key], have[key])
		}
		return
	}
	list, isList := wanted.([]any)
	switch {
	case notReported(found):
		c.writeOnly = append(c.writeOnly, path)
	case isList:
		c.list(path, list, found)
	case !equal(reveal(wanted), found):
		c.add(path, wanted, found)
	}
}

// list compares a list as a whole: a path into it means nothing once an entry has moved.
func (c *comparison) list(path string, wanted []any, found any) {
	have, isList := found.([]any)
	if !isList || len(have) != len(wanted) {
		c.add(path, wanted, found)
		return
	}
	if !slices.ContainsFunc(wanted, func(entry any) bool { return network(entry) == "" }) {
		wanted, have = networks(wanted), networks(have)
	}
	var entries comparison
	for i := range wanted {
		entries.value(path, wanted[i], have[i])
	}
	switch {
	case len(entries.diff) > 0:
		c.add(path, wanted, have)
	case len(entries.writeOnly) > 0:
		c.writeOnly = append(c.writeOnly, path)
	}
}

func (c *comparison) add(path string, wanted, found any) {
	if holdsSecret(wanted) {
		wanted, found = concealed, concealed
	}
	c.diff.Add(path, wanted, found)
}

func holdsSecret(v any) bool {
	switch v := v.(type) {
	case secret:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsSecret)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), holdsSecret)
	default:
		return false
	}
}

func reveal(v any) any {
	if s, ok := v.(secret); ok {
		return s.value
	}
	return v
}

func notReported(found any) bool {
	text, isText := found.(string)
	return found == nil || isText && strings.EqualFold(text, "<redacted>")
}

// network is the address block of an entry of an IP filter, "" for any other entry.
func network(entry any) string {
	tree, _ := entry.(map[string]any)
	text, _ := tree["network"].(string)
	return text
}

// networks is an IP filter in an order of its own, which has no meaning, with every entry as an object: Aiven takes and
// gives bare addresses too.
func networks(list []any) []any {
	out := make([]any, 0, len(list))
	for _, entry := range list {
		if text, bare := entry.(string); bare {
			entry = map[string]any{"network": text}
		}
		out = append(out, entry)
	}
	slices.SortStableFunc(out, func(a, b any) int { return cmp.Compare(network(a), network(b)) })
	return out
}

// equal compares two values apart from how they are written: 1 is 1.0.
func equal(a, b any) bool {
	x, isNumber := number(a)
	if !isNumber {
		return reflect.DeepEqual(a, b)
	}
	y, isNumber := number(b)
	return isNumber && x == y
}

func number(v any) (float64, bool) {
	value := reflect.ValueOf(v)
	switch {
	case !value.IsValid():
		return 0, false
	case value.CanInt():
		return float64(value.Int()), true
	case value.CanUint():
		return float64(value.Uint()), true
	case value.CanFloat():
		return value.Float(), true
	default:
		return 0, false
	}
}
