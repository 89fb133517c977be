package userconfig

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Concealed is printed in place of a Secret.
const Concealed = "(secret)"

// MaxText is how much of a value is printed, in bytes: others may have written what is found at Aiven, and an object that is larger than
// etcd takes can't be written any more. A note of an event may have as many.
const MaxText = 1024

// Secret is a value that is sent and compared, and never printed.
type Secret struct {
	// reveal is a function because fmt prints what unexported fields hold, but of a function the address only.
	reveal func() any
}

// NewSecret wraps a value.
func NewSecret(value any) Secret { return Secret{reveal: func() any { return value }} }

// Format writes Concealed, whatever the verb.
func (Secret) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, Concealed) }

// MarshalJSON encodes the value, for requests.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.value()) }

func (s Secret) value() any {
	if s.reveal == nil {
		return nil
	}
	return s.reveal()
}

// Secrets lists the texts of a tree's sensitive options.
func Secrets(tree any) []string { return textsIn(Encode(tree, Replace), false) }

// MayHoldSecrets reports whether a tree of this type has sensitive options, set or not.
func MayHoldSecrets(tree any) bool { return mayHoldSecrets(reflect.TypeOf(tree)) }

func mayHoldSecrets(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if field := t.Field(i); field.Tag.Get("sensitive") == "true" || mayHoldSecrets(field.Type) {
			return true
		}
	}
	return false
}

// textsIn lists the texts of secret values, which may be groups of options as a whole. secret is whether the value is part of one.
func textsIn(v any, secret bool) []string {
	var out []string
	switch v := v.(type) {
	case Secret:
		return textsIn(v.value(), true)
	case []any:
		for _, entry := range v {
			out = append(out, textsIn(entry, secret)...)
		}
	case map[string]any:
		for _, entry := range v {
			out = append(out, textsIn(entry, secret)...)
		}
	default:
		if secret {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

// plain returns the value in a Secret, and any other value as it is.
func plain(v any) any {
	if s, ok := v.(Secret); ok {
		return s.value()
	}
	return v
}
