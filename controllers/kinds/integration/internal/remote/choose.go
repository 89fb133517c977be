package remote

import (
	"fmt"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Choose finds the integration by its type and ends, which never change: of several the one with the id in the
// status, else the one with the smallest. For a deletion that id has to be there: another client may have made an integration
// of the same ends. An id of another integration, by a forged status, leads to nothing.
func Choose(obj *v1alpha1.ServiceIntegration, listed []aiven.Integration) (*aiven.Integration, error) {
	entry, deleting := Entry(obj), obj.GetDeletionTimestamp() != nil
	var found *aiven.Integration
	for i := range listed {
		candidate := &listed[i]
		same := EntryOf(candidate) == entry
		switch id := candidate.ServiceIntegrationId; {
		case id == obj.Status.ID && (same || deleting && WasOurs(obj, candidate)):
			return candidate, nil
		case id == obj.Status.ID && deleting:
			return nil, &deletion.BlockedError{Reason: fmt.Sprintf("The id in the status, %s, is of another integration. Remove status.id", id)}
		case id == obj.Status.ID:
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
