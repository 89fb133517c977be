package resource

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestReviewH7_AnAnswerThatConfirmsNoDeletionProvesNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		after aiventest.Answer
		want  string
	}{
		"it is still there":     {with("x"), "failed"},
		"it is gone":            {aiventest.Service(nil), "gone"},
		"Aiven fails to say":    {down, "failed"},
		"the service is hidden": {aiventest.Missing(), "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, with("x"), tc.after)
			a.On("GET service", forbidden)
			a.On(remove, aiventest.OK(aiventest.Object{}))
			err := byID().Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
			assert.Equal(t, tc.want, outcome(err), "%v", err)
		})
	}
}
