package fault_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAMessageListsTheNamesThatFit(t *testing.T) {
	const limit = 60
	half := strings.Repeat("a", (limit-len(", "))/2) // two of these fit exactly
	for name, tc := range map[string]struct {
		names []string
		want  string
	}{
		"none":                                {},
		"the first, however long":             {[]string{half + half + half, "b"}, half + half + half + " and 1 more"},
		"all that fit exactly":                {[]string{half, half}, half + ", " + half},
		"not the one that is a byte too long": {[]string{half, half + "b"}, half + " and 1 more"},
		"none after that":                     {[]string{half, half, "c", "d"}, half + ", " + half + " and 2 more"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, fault.Few(tc.names, limit)) })
	}
}
