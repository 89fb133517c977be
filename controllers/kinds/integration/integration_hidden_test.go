package integration

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// hidden is an integration of a service in a project that the token may not read, to an endpoint of its own project.
func hidden(t *testing.T, id string, edits ...func(*v1alpha1.ServiceIntegration)) (*aiventest.Aiven, *v1alpha1.ServiceIntegration) {
	a, obj := aiventest.New(t), logs(id, append(edits, referring)...)
	obj.Spec.SourceProjectName, obj.Status.DestinationEndpointID = "other", "e"
	a.On("GET /v1/project/other/service/my-pg", aiventest.Refused(403, "Not a project member"))
	return a, obj
}

func fromElsewhere(id, endpoint string) any {
	fields := toEndpoint(id, endpoint).(object)
	fields["source_project"] = "other"
	return fields
}

func TestAnIntegrationWhoseServicesAreHiddenIsReadByItsID(t *testing.T) {
	const read = "GET integration/ours"
	for name, tc := range map[string]struct {
		get      aiventest.Answer
		endpoint string // that the reference leads to
		owns     bool
		exists   bool
		class    fault.Class
		text     string
	}{
		"it is there":         {get: answered(fromElsewhere("ours", "e")), exists: true},
		"it is denied":        {get: aiventest.Refused(403, "no"), class: fault.Forbidden},
		"it can't be known":   {get: aiventest.Refused(503, "try later"), class: fault.Server},
		"another is returned": {get: answered(fromElsewhere("theirs", "e")), class: fault.Unknown, text: `has returned "theirs"`},
		"it isn't there, and another may be": {get: aiventest.Refused(404, "Service integration does not exist"), class: fault.Conflict,
			text: "spec.sourceProjectName: Aiven knows no integration ours (404 ServiceIntegrationGet), and the token may not read project other, " +
				"which would show another. Give it access, or recreate the object"},
		"it has other ends": {get: answered(toEndpoint("ours", "e")), class: fault.Invalid, text: "another type or other ends"},
		"its endpoint is another by now": {get: answered(fromElsewhere("ours", "e")), endpoint: "new", owns: true, class: fault.Invalid,
			text: "leads to endpoint e"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := hidden(t, "ours")
			a.On(read, tc.get)
			if tc.owns {
				obj.UID, obj.Status.Provenance = "u", &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "u"}
			}
			env := controllers.Env{Client: a.Client()}
			if tc.endpoint != "" {
				env.Refs = following(t, obj, tc.endpoint, aiventest.Project)
			}
			o, err := Integration.New(env).Observe(t.Context(), obj)
			assert.Contains(t, a.Calls(), read)
			assert.Equal(t, "ours", obj.Status.ID, "what is known isn't forgotten")
			assert.Equal(t, "e", obj.Status.DestinationEndpointID, "a deletion goes by the id and the endpoint")
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				assert.ErrorContains(t, err, tc.text)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
		})
	}
}

func TestAnIntegrationWhoseServicesAreHiddenIsCreatedWithoutAnID(t *testing.T) {
	a, obj := hidden(t, "")
	o, err := start(a).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.False(t, o.Remote.Exists, "Aiven decides")
}

func TestAnIntegrationWhoseServicesAreHiddenIsDeletedByItsID(t *testing.T) {
	a, obj := hidden(t, "ours", deleted)
	a.On("GET integration/ours", answered(fromElsewhere("ours", "e")))
	a.On(remove, aiventest.OK(nil))
	require.NoError(t, start(a).Delete(t.Context(), obj))
	assert.Contains(t, a.Calls(), remove)
}
