package remote

import (
	"cmp"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// Follow finds the integration of an object by the id that its endpoint has now, and records that id only together with what it finds: a
// deletion goes by both. An object that owns an integration follows to another endpoint once its own integration is gone, and never to an
// integration that exists, which may be another object's. While it observes, it doesn't follow at all: objects with the new ends
// don't count as its duplicates then.
func Follow(obj *v1alpha1.ServiceIntegration, endpoint string, observes bool, listed []aiven.Integration) (*aiven.Integration, error) {
	recorded := obj.Status.DestinationEndpointID
	if endpoint == "" || endpoint == recorded || obj.GetDeletionTimestamp() != nil {
		return Choose(obj, listed)
	}
	owns := recorded != "" && ownership.Owns(obj)
	if owns {
		former, err := Choose(obj, listed)
		if err != nil || former != nil || observes {
			return nil, cmp.Or(err, elsewhere(obj))
		}
	}
	obj.Status.DestinationEndpointID = endpoint
	found, err := Choose(obj, listed)
	if err == nil && (!owns || found == nil) {
		return found, nil
	}
	obj.Status.DestinationEndpointID = recorded
	return nil, cmp.Or(err, elsewhere(obj))
}

// elsewhere is the error of an object that doesn't follow.
func elsewhere(obj *v1alpha1.ServiceIntegration) error {
	return fault.InvalidSpec(endsField(obj), fmt.Sprintf("the integration of this object leads to endpoint %s, and the field to another one. "+
		"Recreate the object", obj.Status.DestinationEndpointID))
}

// Choose finds the integration by its type and ends, which never change: of several the one with the id in the
// status, else the one with the smallest. For a deletion that id has to be there: another client may have made an integration
// of the same ends. An id of another integration, by a forged status, leads to nothing.
func Choose(obj *v1alpha1.ServiceIntegration, listed []aiven.Integration) (*aiven.Integration, error) {
	entry, deleting := Entry(obj), obj.GetDeletionTimestamp() != nil
	var found *aiven.Integration
	for i := range listed {
		candidate := &listed[i]
		same := EntryOf(candidate) == entry
		switch id, had := candidate.ServiceIntegrationId, obj.Status.ID != "" && candidate.ServiceIntegrationId == obj.Status.ID; {
		case had && same:
			return candidate, nil
		case had && deleting:
			return nil, &deletion.BlockedError{Reason: fmt.Sprintf("The id in the status, %s, is of another integration. Remove status.id", id)}
		case had:
			return nil, fault.InvalidSpec(endsField(obj), fmt.Sprintf("the integration of this object, %s, has another type or other ends. "+
				"Recreate the object", id))
		case same && (found == nil || id < found.ServiceIntegrationId):
			found = candidate
		}
	}
	if deleting && obj.Status.ID != "" {
		return nil, nil
	}
	return found, nil
}

// Made records the integration of the answer to its creation. An answer without an id, or about another integration, is none: nil makes the
// services be read.
func Made(obj *v1alpha1.ServiceIntegration, answer *aiven.Integration) *aiven.Integration {
	if answer.ServiceIntegrationId == "" || EntryOf(answer) != Entry(obj) {
		return nil
	}
	obj.Status.ID = answer.ServiceIntegrationId
	return answer
}

// ByID lists what the id in the status leads to, from the answer to it, for an object whose services are all hidden. A 404 is no absence:
// another client may have made an integration of the same ends, which only a service would show.
func ByID(obj *v1alpha1.ServiceIntegration, out *avnservice.ServiceIntegrationGetOut, err error) ([]aiven.Integration, error) {
	switch id := obj.Status.ID; {
	case fault.Is(err, fault.NotFound):
		path, end := "spec.sourceProjectName", obj.Spec.SourceProjectName
		if obj.Spec.SourceServiceName == "" {
			path, end = "spec.destinationProjectName", obj.Spec.DestinationProjectName
		}
		return nil, fault.NotYet(fmt.Sprintf("%s: Aiven knows no integration %s (404 ServiceIntegrationGet), and the token may not read "+
			"project %s, which would show another. Give it access, or recreate the object", path, id, end))
	case err != nil:
		return nil, fmt.Errorf("reading integration: %w", err)
	case out.ServiceIntegrationId != id:
		return nil, fmt.Errorf("unclear answer: Aiven was asked for integration %s, and has returned %q", id, out.ServiceIntegrationId)
	}
	return []aiven.Integration{aiven.Integration(*out)}, nil
}
