package resource

import (
	"cmp"
	"context"
	"fmt"
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

// A service that was replaced by one of another type has nothing of the former one.
func TestE1_AServiceOfAnotherTypeHasNothingToDelete(t *testing.T) {
	const kafka = "kafka"
	another := aiventest.Service(aiventest.Object{"service_type": kafka})
	unsupported := aiventest.Refused(400, "Service type 'kafka' does not support this operation")
	for name, tc := range map[string]struct {
		service    []aiventest.Answer
		removed    aiventest.Answer
		types      []string
		want       string
		withLookup string // the outcome for a kind with a lookup, where it differs
	}{
		"another type":                    {[]aiventest.Answer{another}, unsupported, []string{"pg"}, "gone", ""},
		"another type, still being built": {[]aiventest.Answer{aiventest.Service(aiventest.Object{"service_type": kafka, "state": "REBUILDING"})}, unsupported, []string{"pg"}, "gone", ""},
		"one of its types":                {[]aiventest.Answer{another}, unsupported, []string{"pg", kafka}, "failed", "gone"},
		"a kind for every type":           {[]aiventest.Answer{another}, unsupported, nil, "failed", "gone"},
		"its type, and a refusal":         {[]aiventest.Answer{with("x")}, unsupported, []string{"pg"}, "failed", ""},
		"Aiven fails to return it":        {[]aiventest.Answer{down}, unsupported, []string{"pg"}, "failed", ""},
		"another type, as it was before":  {[]aiventest.Answer{another, with("x")}, aiventest.OK(nil), []string{"pg"}, "gone", ""},
	} {
		for lookups, d := range map[bool]Definition[user, aiven.User]{false: definition(), true: byID()} {
			t.Run(fmt.Sprintf("%s, lookup %t", name, lookups), func(t *testing.T) {
				a := aiventest.New(t)
				a.On(lookup, tc.service...)
				a.On(remove, tc.removed)
				d.Place = InService(tc.types...)
				err := d.Kind().New(controllers.Env{Client: a.Client()}).Delete(t.Context(), object())
				want := tc.want
				if lookups {
					want = cmp.Or(tc.withLookup, want)
				}
				assert.Equal(t, want, outcome(err), "%v", err)
				if name == "another type, as it was before" {
					assert.Contains(t, a.Calls(), remove, "what was read before proves nothing")
				}
			})
		}
	}
}
