package service

import (
	"reflect"
	"slices"
	"strings"
)

// The groups that the generated option types name in the tag "groups": options of the first can only be set when the
// service is made.
const (
	groupCreate = "create"
	groupUpdate = "update"
)

// options turns a generated option tree into what the API takes: only what is set, only what is in the group. nil if
// nothing is left.
func options(tree any, group string) map[string]any {
	out, _ := plain(reflect.ValueOf(tree), group).(map[string]any)
	return out
}

// plain is a value as encoding/json would decode it, but for numbers, which keep their type.
func plain(v reflect.Value, group string) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem(), group)
	case reflect.Struct:
		return plainStruct(v, group)
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		out := make([]any, 0, v.Len())
		for i := range v.Len() {
			out = append(out, plain(v.Index(i), group))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, key := range v.MapKeys() {
			out[key.String()] = plain(v.MapIndex(key), group)
		}
		return out
	case reflect.Invalid:
		return nil
	default:
		return v.Interface()
	}
}

func plainStruct(v reflect.Value, group string) any {
	out := map[string]any{}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !slices.Contains(strings.Split(field.Tag.Get("groups"), ","), group) {
			continue
		}
		name, settings, _ := strings.Cut(field.Tag.Get("json"), ",")
		if strings.Contains(settings, "omitempty") && v.Field(i).IsZero() {
			continue
		}
		if value := plain(v.Field(i), group); value != nil {
			out[name] = value
		}
	}
	return out
}

// difference is one option that Aiven has otherwise than the spec asks.
type difference struct {
	path          string
	wanted, found any
}

// compareOptions compares what the spec asks for with what Aiven says: what the spec doesn't set isn't compared. Options
// that Aiven doesn't tell, or tells as null or redacted, can't be: their paths are the second result.
func compareOptions(path string, wanted, found any) (differences []difference, untold []string) {
	tree, isTree := wanted.(map[string]any)
	if !isTree {
		switch {
		case hidden(found):
			return nil, []string{path}
		case !equal(wanted, found):
			return []difference{{path, wanted, found}}, nil
		default:
			return nil, nil
		}
	}
	have, _ := found.(map[string]any)
	for _, key := range sortedKeys(tree) {
		d, u := compareOptions(path+"."+key, tree[key], have[key])
		differences, untold = append(differences, d...), append(untold, u...)
	}
	return differences, untold
}

func hidden(found any) bool {
	text, isText := found.(string)
	return found == nil || isText && strings.EqualFold(text, "<redacted>")
}

// equal compares two values apart from how they are written: 1 is 1.0, and an address may stand alone or in an object.
func equal(a, b any) bool {
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	if list, ok := a.([]any); ok {
		other, ok := b.([]any)
		return ok && slices.EqualFunc(list, other, equal)
	}
	if tree, ok := a.(map[string]any); ok {
		if network, isText := b.(string); isText {
			return len(tree) == 1 && tree["network"] == network
		}
		d, untold := compareOptions("", tree, b)
		return len(d) == 0 && len(untold) == 0
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
	case value.CanFloat():
		return value.Float(), true
	default:
		return 0, false
	}
}
