package integration

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestEndpointDelete(t *testing.T) {
	ours, ok := listing(endpointAt("ours", nil)), aiventest.OK(nil)
	nameless := func(obj *v1alpha1.ServiceIntegrationEndpoint) { obj.Spec.EndpointName = "" }
	for name, tc := range map[string]struct {
		had          string
		edit         func(*v1alpha1.ServiceIntegrationEndpoint)
		list, remove aiventest.Answer
		get          object // the endpoint with the id in the status; nil if it isn't asked for
		removes      bool
		text         string
	}{
		"accepted":                    {had: "ours", list: ours, remove: ok, removes: true},
		"without a status":            {list: ours, remove: ok, removes: true},
		"gone":                        {had: "ours", list: listing()},
		"beside one of others":        {had: "ours", list: listing(endpointAt("theirs", nil))},
		"beside one of another type":  {list: listing(otherType("theirs"))},
		"an id that leads elsewhere":  {had: "ours", list: listing(otherType("ours")), get: otherType("ours"), remove: ok, text: "another endpoint"},
		"one that never had a name":   {edit: nameless, list: listing(endpointAt("theirs", nil))},
		"in use":                      {had: "ours", list: ours, remove: aiventest.Refused(409, "Integration endpoint is in use"), removes: true, text: "in use"},
		"in use, and called bad":      {had: "ours", list: ours, remove: aiventest.Refused(400, "Integration endpoint is in use"), removes: true, text: "in use"},
		"the list fails":              {had: "ours", list: aiventest.Refused(503, "oops"), get: endpointAt("ours", nil), remove: ok, removes: true},
		"and the id leads elsewhere":  {had: "ours", list: aiventest.Refused(503, "oops"), get: otherType("ours"), text: "503"},
		"the list fails, and no id":   {list: aiventest.Refused(503, "oops"), text: "503"},
		"refused":                     {had: "ours", list: ours, remove: aiventest.Refused(403, "no"), removes: true, text: "deleting endpoint"},
		"in a project that's unknown": {list: aiventest.Refused(404, "Project does not exist"), text: "Aiven doesn't know project demo"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database(tc.had, goingAway)
			if tc.edit != nil {
				tc.edit(obj)
			}
			a.On(endpoints, tc.list)
			a.On(getEndpoint, shown(tc.get))
			a.On(removeEndpoint, tc.remove)
			err := startEndpoint(a).Delete(t.Context(), obj)
			calls := a.Calls()
			assert.Equal(t, tc.get != nil, slices.Contains(calls, getEndpoint), "a deletion needs no secrets")
			assert.Equal(t, tc.removes, len(calls) > 0 && calls[len(calls)-1] == removeEndpoint)
			if tc.text == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.text)
		})
	}
}

// What is written next would go to whatever the answer names.
func TestAnAnswerAboutAnotherEndpointIsNone(t *testing.T) {
	for name, answer := range map[string]aiventest.Answer{
		"another one": shown(endpointAt("theirs", nil)),
		"none":        aiventest.OK(nil),
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), database("ours")
			a.On(endpoints, listing(endpointAt("ours", nil)))
			a.On(getEndpoint, answer)
			_, err := startEndpoint(a).Observe(t.Context(), obj)
			assert.ErrorContains(t, err, "unclear answer")
		})
	}
}
