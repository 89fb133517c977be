package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAMessageHasTheFirstOfManyNames(t *testing.T) {
	for want, names := range map[string][]string{
		"":                   nil,
		"a, b, c":            {"a", "b", "c"},
		"a, b, c and 1 more": {"a", "b", "c", "d"},
		"a, b, c and 3 more": {"a", "b", "c", "d", "e", "f"},
	} {
		assert.Equal(t, want, fault.Few(names))
	}
}
