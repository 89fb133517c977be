package service

import (
	"maps"
	"slices"

	"github.com/aero-operator/aero/controllers/internal/connection"
)

// Details has those of values that Aiven returns: any of them may be missing, or null. The legacy ones are there a second
// time, without the prefix.
func Details(values map[string]string, legacy ...string) connection.Details {
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	unprefixed := maps.Clone(values)
	maps.DeleteFunc(unprefixed, func(key, _ string) bool { return !slices.Contains(legacy, key) })
	return connection.Details{Prefixed: values, Legacy: unprefixed}
}
