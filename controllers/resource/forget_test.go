package resource

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestWhatTheStatusShowsOfAResourceGoesWithItsService(t *testing.T) {
	for name, tc := range map[string]struct {
		read aiventest.Answer
		want string
	}{
		"there is no service":       {aiventest.Missing(), ""},
		"the service is off":        {aiventest.Service(aiventest.Object{"state": "POWEROFF"}), "normal"},
		"the service is under way":  {aiventest.Service(aiventest.Object{"state": "REBUILDING"}), "normal"},
		"the token may not read it": {aiventest.Refused(403, "no"), "normal"},
		"Aiven fails":               {aiventest.Refused(503, "oops"), "normal"},
		"the resource is there":     {with("wanted"), "normal"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj, d := aiventest.New(t), object(), definition()
			a.On(lookup, tc.read)
			obj.Status.Type = "normal"
			d.Forget = func(obj user) { obj.Status.Type = "" }
			_, _ = d.Kind().New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			assert.Equal(t, tc.want, obj.Status.Type)

			d.Forget, obj.Status.Type = nil, "normal"
			_, _ = d.Kind().New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			assert.Equal(t, "normal", obj.Status.Type, "a kind may need what it has to remember")
		})
	}
}
