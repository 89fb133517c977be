package userconfig

import (
	"reflect"
	"slices"
	"strings"
)

// Group selects options by the tag "groups" of the generated types.
type Group string

// The groups.
const (
	// Create are the options that a new resource takes.
	Create Group = "create"
	// Update are the options that can be changed later.
	Update Group = "update"
	// Replace are all options, for a resource whose update may replace the whole block: Aiven may reset what isn't sent, so
	// options that can't be changed are sent again.
	Replace Group = "replace"
)

func (g Group) includes(tag string) bool {
	return g == Replace && tag != "" || slices.Contains(strings.Split(tag, ","), string(g))
}

// Encode turns a generated option tree into what the API takes: the options that are set and belong to the group. A
// list that is set to nothing is set. It returns nil for a tree that is nil.
func Encode(tree any, group Group) map[string]any {
	out, _ := encode(reflect.ValueOf(tree), group).(map[string]any)
	return out
}

// encode returns a value as encoding/json would decode it, but numbers keep their type, and sensitive values are
// wrapped in Secret.
func encode(v reflect.Value, group Group) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return encode(v.Elem(), group)
	case reflect.Struct:
		return encodeStruct(v, group)
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		out := make([]any, 0, v.Len())
		for i := range v.Len() {
			out = append(out, encode(v.Index(i), group))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, key := range v.MapKeys() {
			out[key.String()] = encode(v.MapIndex(key), group)
		}
		return out
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Invalid:
		return nil
	default:
		return v.Interface()
	}
}

func encodeStruct(v reflect.Value, group Group) any {
	out := map[string]any{}
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		if !group.includes(tag.Get("groups")) {
			continue
		}
		name, settings, _ := strings.Cut(tag.Get("json"), ",")
		if strings.Contains(settings, "omitempty") && v.Field(i).IsZero() {
			continue
		}
		value := encode(v.Field(i), group)
		switch {
		case value == nil:
		case tag.Get("sensitive") == "true":
			out[name] = NewSecret(value)
		default:
			out[name] = value
		}
	}
	return out
}
