package localaiven

import (
	"maps"
	"slices"
	"strconv"
)

// noConfig is the description of a user_config that has no keys.
var noConfig = &schema{Type: oneOrMore{"object"}}

// defaultValue is the default as JSON has it. The files write numbers as text.
func (sc *schema) defaultValue() any {
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
func (sc *schema) checkOneOf(path string, value any) *apiError {
	var fail *apiError
	for _, alternative := range sc.OneOf {
		if fail = alternative.check(path, value); fail == nil {
			return nil
		}
	}
	return fail
}

// hide returns a copy of a value in which what the description calls secure is redacted.
func (sc *schema) hide(value any) any {
	if sc == nil || value == nil {
		return value
	}
	if sc.Secure {
		return redacted
	}
	for _, alternative := range sc.OneOf {
		value = alternative.hide(value)
	}
	switch v := value.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for key, item := range v {
			out[key] = sc.Properties[key].hide(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = sc.Items.hide(item)
		}
		return out
	}
	return value
}
