package service

import (
	"encoding/json"
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

// secret is a value that may be sent and compared, and never shown.
type secret struct{ value any }

const concealed = "(secret)"

// String keeps the value out of texts.
func (secret) String() string { return concealed }

// GoString keeps the value out of the texts that show types.
func (secret) GoString() string { return concealed }

// MarshalJSON lets the value into requests.
func (s secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.value) }

// options turns a generated option tree into what the API takes: only what is set, only what is in the group. A list
// that is set to nothing is set. nil if nothing is left.
func options(tree any, group string) map[string]any {
	out, _ := toMap(reflect.ValueOf(tree), group).(map[string]any)
	return out
}

// toMap is a value as encoding/json would decode it, but for numbers, which keep their type, and for secrets.
func toMap(v reflect.Value, group string) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return toMap(v.Elem(), group)
	case reflect.Struct:
		return structToMap(v, group)
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		out := make([]any, 0, v.Len())
		for i := range v.Len() {
			out = append(out, toMap(v.Index(i), group))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, key := range v.MapKeys() {
			out[key.String()] = toMap(v.MapIndex(key), group)
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

func structToMap(v reflect.Value, group string) any {
	out := map[string]any{}
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		if !slices.Contains(strings.Split(tag.Get("groups"), ","), group) {
			continue
		}
		name, settings, _ := strings.Cut(tag.Get("json"), ",")
		if strings.Contains(settings, "omitempty") && v.Field(i).IsZero() {
			continue
		}
		value := toMap(v.Field(i), group)
		switch {
		case value == nil:
		case tag.Get("sensitive") == "true":
			out[name] = secret{value}
		default:
			out[name] = value
		}
	}
	return out
}
