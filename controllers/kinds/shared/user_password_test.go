package shared

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestUserDriftShowsNoPassword(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, has(nil))
	obj := user(declared)
	o, err := start(t, a, obj, "declared-password").Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, controllers.Diff{{Path: "spec.connInfoSecretSource", Wanted: "(secret)", Found: "(secret)"}}.Entries(), o.Diff.Entries())
}

func TestDeclaredPasswordsThatAivenRefuses(t *testing.T) {
	const length = "must have 8 to 256 characters"
	for name, tc := range map[string]struct{ password, problem string }{
		"too short":               {"1234567", length},
		"empty":                   {"", length},
		"too long":                {strings.Repeat("x", 257), length},
		"characters are counted":  {"ääää567", length},
		"no text that JSON holds": {"12345678\xff", "must be text in UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			obj := user(declared)
			_, err := start(t, a, obj, tc.password).Observe(t.Context(), obj)
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.Equal(t, `spec.connInfoSecretSource: the password in key "password" of Secret `+aiventest.Namespace+"/source "+
				tc.problem+". Change it in the Secret", fault.Of(err).Message)
			assert.Equal(t, []string{lookup}, a.Calls())
		})
	}
}

func TestTheLengthOfAPasswordIsThatOfItsText(t *testing.T) {
	for name, password := range map[string]string{
		"8 characters": "ääää5678", "256 characters": strings.Repeat("ä", 256),
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			obj := user(declared)
			_, err := start(t, a, obj, password).Observe(t.Context(), obj)
			assert.NoError(t, err)
		})
	}
}
