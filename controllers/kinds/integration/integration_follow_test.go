package integration

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// The endpoint of the reference got another id by now: it was made again, or its object observes another one.
func TestADeletionGoesByTheEndpointInTheStatus(t *testing.T) {
	hidden := aiventest.Refused(503, "oops")
	for name, tc := range map[string]struct {
		endpoint string // of the status
		service  aiventest.Answer
		at       string // the endpoint of the integration with the id in the status
		removes  bool
		text     string
	}{
		"to which the integration leads":                                {endpoint: "old", service: showing("my-pg", toEndpoint("ours", "old")), at: "old", removes: true},
		"to which the integration leads, and the service can't be read": {endpoint: "old", service: hidden, at: "old", removes: true},
		"to which it doesn't lead":                                      {endpoint: "new", service: showing("my-pg", toEndpoint("ours", "old")), at: "old", text: "another integration"},
		"to which it doesn't lead, and the service can't be read":       {endpoint: "new", service: hidden, at: "old", text: "503"},
		"that isn't known":                                              {service: showing("my-pg", toEndpoint("ours", "new")), at: "new", text: "another integration"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), logs("ours", referring, deleted)
			a.On(readSource, tc.service)
			a.On("GET integration/ours", answered(toEndpoint("ours", tc.at)))
			a.On(remove, aiventest.OK(nil))
			obj.Status.DestinationEndpointID = tc.endpoint
			env := controllers.Env{Client: a.Client(), Refs: following(t, obj, "new", aiventest.Project)}
			err := Integration.New(env).Delete(t.Context(), obj)
			assert.Equal(t, tc.endpoint, obj.Status.DestinationEndpointID)
			if tc.removes {
				assert.NoError(t, err)
				assert.Contains(t, a.Calls(), remove)
				return
			}
			assert.ErrorContains(t, err, tc.text)
			assert.NotContains(t, a.Calls(), remove)
		})
	}
}
