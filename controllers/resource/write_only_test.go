package resource

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestWhatIsWriteOnlyMayDependOnWhatWasFound(t *testing.T) {
	hidden := []string{"spec.password"}
	for name, tc := range map[string]struct {
		found string
		want  []string
	}{
		"a value that Aiven returned": {"wanted", nil},
		"a value that Aiven hides":    {"<redacted>", hidden},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, with(tc.found))
			d := definition()
			d.WriteOnly = func(_ user, found *aiven.User) []string {
				if found.Password == "<redacted>" {
					return hidden
				}
				return nil
			}
			o, err := d.Kind().New(controllers.Env{Client: a.Client()}).Observe(t.Context(), object())
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.WriteOnly)
		})
	}
}
