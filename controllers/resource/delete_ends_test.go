package resource

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const (
	farService  = "GET /v1/project/far/service/far-pg"
	farServices = "GET /v1/project/far/service"
)

// linked is a kind between my-pg and a service of another project, which the token may not be permitted to read.
func linked(hidden bool) Definition[user, aiven.User] {
	d := byID()
	d.Place = InServices(func(user) string { return aiventest.Project }, func(user) []End {
		return []End{
			{ServiceKey: aiven.ServiceKey{Project: aiventest.Project, Service: "my-pg"}},
			{ServiceKey: aiven.ServiceKey{Project: "far", Service: "far-pg"}, MayBeHidden: hidden},
		}
	})
	find := d.Find
	d.Find = func(ctx context.Context, s Scope, obj user) (*aiven.User, error) {
		if s.Service == nil {
			return nil, nil
		}
		return find(ctx, s, obj)
	}
	return d
}

func TestEachEndOfWhatConnectsServicesNeedsAProofOfItsAbsence(t *testing.T) {
	for name, tc := range map[string]struct {
		hidden                   bool
		near, services           aiventest.Answer
		far, servicesFar, remove aiventest.Answer
		want                     string
	}{
		"the first is gone":                                {false, aiventest.Missing(), notListed, aiventest.Missing(), unknown, down, "gone"},
		"the second is gone":                               {false, with("x"), listed, aiventest.Missing(), notListed, down, "gone"},
		"the project of the second is unknown":             {false, with("x"), listed, aiventest.Missing(), unknown, down, "blocked"},
		"the second can't be listed":                       {false, with("x"), listed, aiventest.Missing(), down, down, "failed"},
		"the second may be hidden, and the first has it":   {true, with("x"), listed, aiventest.Missing(), unknown, aiventest.OK(nil), "gone"},
		"the second may be hidden, and Aiven fails":        {true, with("x"), listed, aiventest.Missing(), unknown, down, "failed"},
		"the second may be hidden, and can't be listed":    {true, with("x"), listed, aiventest.Missing(), down, aiventest.OK(nil), "failed"},
		"the second is hidden, and the first lacks it":     {true, aiventest.Service(nil), listed, forbidden, forbidden, down, "gone"},
		"the second is hidden, and the first isn't proven": {true, aiventest.Missing(), unknown, forbidden, forbidden, down, "blocked"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			for route, answer := range map[string]aiventest.Answer{
				lookup: tc.near, "GET service": tc.services, farService: tc.far, farServices: tc.servicesFar, remove: tc.remove,
			} {
				a.On(route, answer)
			}
			err := linked(tc.hidden).Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
			assert.Equal(t, tc.want, outcome(err), "%v", err)
		})
	}
}

func TestWhatNoReadableServiceCouldShowIsNotGone(t *testing.T) {
	a := aiventest.New(t)
	a.On(farService, forbidden)
	d := linked(true)
	d.Place = InServices(func(user) string { return aiventest.Project }, func(user) []End {
		return []End{{ServiceKey: aiven.ServiceKey{Project: "far", Service: "far-pg"}, MayBeHidden: true}}
	})
	err := d.Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
	assert.Equal(t, "blocked", outcome(err), "%v", err)
}
