package userconfig

import (
	"maps"
	"slices"
	"strconv"
)

// Redacted stands in for a secret.
const Redacted = "<redacted>"

// defaultValue is the default as JSON has it. The files write numbers as text.
func (sc *Schema) defaultValue() any {
	text, isText := sc.Default.(string)
	if !isText || slices.Contains(sc.Type, "string") {
		return sc.Default
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		return number
	}
	return sc.Default
}

// checkOneOf wants a value that is as one of the alternatives says. The error is that of the last one.
func (sc *Schema) checkOneOf(path string, value any) error {
	var err error
	for _, alternative := range sc.OneOf {
		if err = alternative.Check(path, value); err == nil {
			return nil
		}
	}
	return err
}

// Hide returns a copy of a value in which what the description calls secure is redacted.
func (sc *Schema) Hide(value any) any {
	if sc == nil || value == nil {
		return value
	}
	if sc.Secure {
		return Redacted
	}
	for _, alternative := range sc.OneOf {
		value = alternative.Hide(value)
	}
	switch v := value.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for key, item := range v {
			out[key] = sc.Properties[key].Hide(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = sc.Items.Hide(item)
		}
		return out
	}
	return value
}

// Public is the description as JSON schema, as far as it is about names, types and defaults.
func (sc *Schema) Public() map[string]any {
	out := map[string]any{"type": []string(sc.Type)}
	if sc.Default != nil {
		out["default"] = sc.defaultValue()
	}
	if sc.Items != nil {
		out["items"] = sc.Items.Public()
	}
	if len(sc.Properties) > 0 {
		properties := map[string]any{}
		for name, option := range sc.Properties {
			properties[name] = option.Public()
		}
		out["properties"] = properties
	}
	return out
}
