package resource

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestWhatAivenDoesNotReturnIsKnownFromWhatWasFound(t *testing.T) {
	d := definition()
	d.WriteOnly = func(_ user, found *aiven.User) []string {
		if found.Password == "<redacted>" {
			return []string{"spec.password"}
		}
		return nil
	}
	for password, want := range map[string][]string{"wanted": nil, "<redacted>": {"spec.password"}} {
		a := aiventest.New(t)
		a.On(lookup, with(password))
		o, err := d.Kind().New(controllers.Env{Client: a.Client()}).Observe(t.Context(), object())
		require.NoError(t, err)
		assert.Equal(t, want, o.WriteOnly)
	}
}
