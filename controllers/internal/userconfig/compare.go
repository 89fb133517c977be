package userconfig

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Comparison is the result of Compare.
type Comparison struct {
	// Diff lists the options that Aiven reports with another value than the spec. Secret values are concealed.
	Diff []Difference
	// WriteOnly lists the paths of options that Aiven doesn't report, or reports as null or redacted. They can't be
	// compared, only sent.
	WriteOnly []string
}

// Compare compares encoded options with those that Aiven reports, which are as encoding/json decodes them. Options that
// the spec doesn't set aren't compared. path is where the options are in the spec, such as spec.userConfig.
func Compare(path string, wanted, found map[string]any) Comparison {
	var c Comparison
	c.value(path, wanted, found)
	return c
}

// CreateOnly compares the options that are sent at creation and never again: those of create that update hasn't. Where they
// differ, they were set after the resource was made, or for another one, and are never applied.
func CreateOnly(path string, create, update, found map[string]any) Comparison {
	return Compare(path, without(create, update), found)
}

// without returns the options of a tree that another tree doesn't have.
func without(tree, other map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range tree {
		subtree, isTree := value.(map[string]any)
		has, inOther := other[name]
		others, _ := has.(map[string]any)
		switch {
		case !inOther:
			out[name] = value
		case isTree:
			out[name] = without(subtree, others)
		}
	}
	return out
}

// value compares one value and what is in it.
func (c *Comparison) value(path string, wanted, found any) {
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
		c.WriteOnly = append(c.WriteOnly, path)
	case isList:
		c.list(path, list, found)
	case !equal(plain(wanted), found):
		c.add(path, wanted, found)
	}
}

// list compares a list as a whole: a path into it means nothing once an entry has moved.
func (c *Comparison) list(path string, wanted []any, found any) {
	have, isList := found.([]any)
	if !isList || len(have) != len(wanted) {
		c.add(path, wanted, found)
		return
	}
	if !slices.ContainsFunc(wanted, func(entry any) bool { return network(entry) == "" }) {
		wanted, have = networks(wanted), networks(have)
	}
	var entries Comparison
	for i := range wanted {
		entries.value(path, wanted[i], have[i])
	}
	switch {
	case len(entries.Diff) > 0:
		c.add(path, wanted, have)
	case len(entries.WriteOnly) > 0:
		c.WriteOnly = append(c.WriteOnly, path)
	}
}

func (c *Comparison) add(path string, wanted, found any) {
	if holdsSecret(wanted) {
		c.Diff = append(c.Diff, NewDifference(path, Hidden{}, Hidden{}))
		return
	}
	c.Diff = append(c.Diff, NewDifference(path, printed(wanted), printedFound(wanted, found)))
}

func printed(v any) Printed { return Printed{Text: fmt.Sprint(delimited(v, false)), Value: v} }

func printedFound(wanted, found any) Printed {
	compared := printed(shown(wanted, found))
	compared.Partial = !reflect.DeepEqual(compared.Value, found)
	return compared
}

// delimited is a value with quotes around the texts in it that could be taken for other entries of what they are printed in.
func delimited(v any, inside bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = delimited(value, true)
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, entry := range v {
			out = append(out, delimited(entry, true))
		}
		return out
	case string:
		if inside && strings.ContainsAny(v, `[]"`) {
			return strconv.Quote(v)
		}
	}
	return v
}

// shown is what may be printed of a value that Aiven reports: an option that the spec doesn't set isn't compared, and may be a
// secret.
func shown(wanted, found any) any {
	switch found := found.(type) {
	case map[string]any:
		tree, _ := wanted.(map[string]any)
		out := map[string]any{}
		for key, value := range found {
			if like, set := tree[key]; set {
				out[key] = shown(like, value)
			}
		}
		return out
	case []any:
		like := map[string]any{}
		list, _ := wanted.([]any)
		for _, entry := range list {
			tree, _ := entry.(map[string]any)
			maps.Copy(like, tree)
		}
		out := make([]any, 0, len(found))
		for _, entry := range found {
			out = append(out, shown(like, entry))
		}
		return out
	default:
		return found
	}
}

func holdsSecret(v any) bool {
	switch v := v.(type) {
	case Secret:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsSecret)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), holdsSecret)
	default:
		return false
	}
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

// networks is an IP filter in an order of its own, which has no meaning, with every entry as an object: Aiven accepts
// and returns bare addresses too.
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

// equal compares two values apart from how they are written: 1 is 1.0, and white space around a PEM block means nothing.
func equal(a, b any) bool {
	if x, isNumber := number(a); isNumber {
		y, isNumber := number(b)
		return isNumber && x == y
	}
	if text, isText := a.(string); isText && strings.HasPrefix(strings.TrimSpace(text), "-----BEGIN ") {
		other, isText := b.(string)
		return isText && strings.TrimSpace(text) == strings.TrimSpace(other)
	}
	return reflect.DeepEqual(a, b)
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

// Reported reports whether Aiven returns all of a value: nothing in it is missing or redacted.
func Reported(found any) bool {
	switch found := found.(type) {
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(found)), func(v any) bool { return v != nil && !Reported(v) })
	case []any:
		return !slices.ContainsFunc(found, func(v any) bool { return !Reported(v) })
	default:
		return !notReported(found)
	}
}
