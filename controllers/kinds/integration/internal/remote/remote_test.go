package remote

import (
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// logs is an object for the logs of service a in service b, with an id in its status.
func logs(id string) *v1alpha1.ServiceIntegration {
	obj := &v1alpha1.ServiceIntegration{Status: v1alpha1.ServiceIntegrationStatus{ID: id}}
	obj.Spec.Project, obj.Spec.IntegrationType = "p", "logs"
	obj.Spec.SourceServiceName, obj.Spec.DestinationServiceName = "a", "b"
	return obj
}

func integration(id, kind, dest string) aiven.Integration {
	return aiven.Integration{
		ServiceIntegrationId: id, IntegrationType: avnservice.IntegrationType(kind),
		SourceProject: "p", SourceService: "a", DestProject: "p", DestService: ptr.To(dest),
	}
}

func TestAnIntegrationIsFoundByItsTypeAndEnds(t *testing.T) {
	listed := []aiven.Integration{
		integration("4", "logs", "b"), integration("2", "logs", "b"), integration("1", "metrics", "b"), integration("3", "logs", "c"),
	}
	for name, tc := range map[string]struct {
		id       string
		deleting bool
		want     string
		refused  bool
	}{
		"of several, the smallest id":                       {want: "2"},
		"of several, the id in the status":                  {id: "4", want: "4"},
		"an id that is gone":                                {id: "9", want: "2"},
		"an id of another type":                             {id: "1", refused: true},
		"an id with other ends":                             {id: "3", refused: true},
		"for a deletion, the id in the status":              {id: "4", deleting: true, want: "4"},
		"for a deletion, nothing else than that":            {id: "9", deleting: true},
		"for a deletion without an id, the smallest":        {id: "", deleting: true, want: "2"},
		"for a deletion, an id with other ends is no match": {id: "3", deleting: true, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			obj := logs(tc.id)
			if tc.deleting {
				obj.DeletionTimestamp = &metav1.Time{}
			}
			found, err := Choose(obj, listed)
			var blocked *deletion.BlockedError
			switch {
			case tc.refused && tc.deleting:
				assert.ErrorAs(t, err, &blocked)
			case tc.refused:
				assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			default:
				assert.NoError(t, err)
			}
			assert.Equal(t, tc.want, ptr.Deref(found, aiven.Integration{}).ServiceIntegrationId)
		})
	}
}

func TestAnIntegrationWithoutAnIdIsNotTheOneOfAStatusWithoutAnId(t *testing.T) {
	obj, listed := logs(""), []aiven.Integration{integration("", "metrics", "b")}
	found, err := Choose(obj, listed)
	assert.NoError(t, err)
	assert.Nil(t, found)
	obj.DeletionTimestamp = &metav1.Time{}
	found, err = Choose(obj, listed)
	assert.NoError(t, err, "it holds back no deletion")
	assert.Nil(t, found)
}

func TestAnEndpointThatAnObjectNamesHasTheIdInTheStatus(t *testing.T) {
	obj := logs("1")
	obj.Namespace, obj.Spec.DestinationServiceName = "team", ""
	obj.Spec.DestinationEndpointRef = &v1alpha1.EndpointReference{Name: "syslog"}
	_, dest := Ends(obj)
	assert.Equal(t, aiven.IntegrationEnd{Project: "p", EndpointID: "team/syslog"}, dest, "its id isn't known yet")
	obj.Status.DestinationEndpointID = "new"
	_, dest = Ends(obj)
	assert.Equal(t, "new", dest.EndpointID)

	former := toEndpoint("1", "old")
	_, err := Choose(obj, []aiven.Integration{former})
	assert.ErrorContains(t, err, "spec.destinationEndpointRef: ")
	obj.DeletionTimestamp = &metav1.Time{}
	found, err := Choose(obj, []aiven.Integration{former})
	assert.Nil(t, found)
	var blocked *deletion.BlockedError
	assert.ErrorAs(t, err, &blocked, "an id without its endpoint may be that of another object's integration")
}

// toEndpoint is an integration with an endpoint.
func toEndpoint(id, endpoint string) aiven.Integration {
	made := integration(id, "logs", "")
	made.DestService, made.DestEndpointId = nil, &endpoint
	return made
}

func TestAReferenceIsFollowedToAnotherEndpoint(t *testing.T) {
	const refusal = "spec.destinationEndpointRef: the integration of this object leads to endpoint old, and the field to another one. Recreate the object"
	for name, tc := range map[string]struct {
		had, endpoint              string // of the status
		owns, observes, deleting   bool
		listed                     []aiven.Integration
		id, endpointAfter, problem string
	}{
		"at first":                                  {listed: []aiven.Integration{toEndpoint("1", "new")}, id: "1", endpointAfter: "new"},
		"at first, to none":                         {listed: []aiven.Integration{toEndpoint("1", "old")}, endpointAfter: "new"},
		"once its own is gone":                      {had: "1", endpoint: "old", owns: true, endpointAfter: "new"},
		"once what it observed is gone":             {had: "1", endpoint: "old", listed: []aiven.Integration{toEndpoint("2", "new")}, id: "2", endpointAfter: "new"},
		"not from what it observed":                 {had: "1", endpoint: "old", listed: []aiven.Integration{toEndpoint("1", "old")}, endpointAfter: "old", problem: "Recreate the object"},
		"not from its own":                          {had: "1", endpoint: "old", owns: true, listed: []aiven.Integration{toEndpoint("1", "old")}, endpointAfter: "old", problem: refusal},
		"not from its own, whose id was lost":       {endpoint: "old", owns: true, listed: []aiven.Integration{toEndpoint("1", "old")}, endpointAfter: "old", problem: refusal},
		"not to one that is there":                  {had: "1", endpoint: "old", owns: true, listed: []aiven.Integration{toEndpoint("2", "new")}, endpointAfter: "old", problem: refusal},
		"not by an owner that observes":             {had: "1", endpoint: "old", owns: true, observes: true, endpointAfter: "old", problem: refusal},
		"not for a deletion":                        {had: "1", endpoint: "old", owns: true, deleting: true, listed: []aiven.Integration{toEndpoint("2", "new"), toEndpoint("1", "old")}, id: "1", endpointAfter: "old"},
		"not for a deletion of what it never found": {owns: true, deleting: true, listed: []aiven.Integration{toEndpoint("2", "new")}},
	} {
		t.Run(name, func(t *testing.T) {
			obj := logs(tc.had)
			obj.Namespace, obj.UID, obj.Spec.DestinationServiceName = "team", "u", ""
			obj.Spec.DestinationEndpointRef, obj.Status.DestinationEndpointID = &v1alpha1.EndpointReference{Name: "syslog"}, tc.endpoint
			obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceObserved, UID: "u"}
			if tc.owns {
				obj.Status.Provenance.Type = v1alpha1.ProvenanceAdopted
			}
			if tc.deleting {
				obj.DeletionTimestamp = &metav1.Time{}
			}
			found, err := Follow(obj, "new", tc.observes, tc.listed)
			assert.Equal(t, tc.endpointAfter, obj.Status.DestinationEndpointID)
			assert.Equal(t, tc.had, obj.Status.ID)
			assert.Equal(t, tc.id, ptr.Deref(found, aiven.Integration{}).ServiceIntegrationId)
			if tc.problem == "" {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			assert.ErrorContains(t, err, tc.problem)
		})
	}
}

func TestStatesOfAnIntegration(t *testing.T) {
	reported := func(state avnservice.IntegrationStatusType, active bool, errors ...string) *aiven.Integration {
		return &aiven.Integration{ServiceIntegrationId: "1", Active: active, IntegrationStatus: &avnservice.IntegrationStatusOut{
			State: avnservice.StateOut{Status: state, Errors: errors},
		}}
	}
	for name, tc := range map[string]struct {
		found *aiven.Integration
		want  status.Remote
	}{
		"active":       {reported(avnservice.IntegrationStatusTypeRunning, true), status.Remote{Exists: true, Active: true, State: "running"}},
		"without text": {&aiven.Integration{ServiceIntegrationId: "1", Active: true}, status.Remote{Exists: true, Active: true}},
		"starting":     {&aiven.Integration{ServiceIntegrationId: "1"}, status.Remote{Exists: true, Message: "Waiting for Aiven to start the integration"}},
		"failed": {reported(avnservice.IntegrationStatusTypeFailed, true, "no route"), status.Remote{
			Exists: true, State: "failed", Failure: "The integration failed: Aiven reported no description: no route",
		}},
		"one that Aiven makes with a read replica": {&aiven.Integration{}, status.Remote{
			Message: "Waiting for the service that is the read replica: Aiven makes this integration together with it, by its spec.serviceIntegrations",
		}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, State(tc.found)) })
	}
}
