package ownership

import (
	"context"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Loss is what decides whether a resource that is missing is created again.
type Loss struct {
	Exists     bool // it isn't missing
	HoldsData  bool // it would be empty
	Recreates  bool // a policy agrees to that
	Kept       bool // a policy leaves what is at Aiven as it is
	Provenance *v1alpha1.Provenance
	Containers []string // the identities of the services that it lives in
}

// NeedsConsent reports whether the resource of an object is missing, and isn't to be created again unless its service was: what was ready
// and, where a policy leaves what is at Aiven, all that the object has owned there. That is recorded as soon as Aiven accepts or shows it.
func (l Loss) NeedsConsent(obj Object) bool {
	wasReady := l.Provenance != nil && l.Provenance.WasReady
	return !l.Exists && (l.Kept && (wasReady || IsRecorded(obj)) || l.HoldsData && wasReady && !l.Recreates)
}

// IsLost reports whether the resource of an object is missing, and isn't to be created again. Who agreed that its service is created again,
// or recreated the object of the service, agreed to create again what it contained.
func (r *Registry) IsLost(ctx context.Context, obj Object, l Loss) (bool, error) {
	if !l.NeedsConsent(obj) {
		return false, nil
	}
	for _, service := range l.Containers {
		objects, err := r.Duplicates(ctx, ServiceGroup, service, obj)
		if err != nil {
			return false, err
		}
		if CreatedAfter(l.Provenance, objects) && !l.Kept {
			return false, nil
		}
	}
	return true, nil
}
