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

// NeedsConsent reports whether a resource was ready, is missing, and isn't to be created again unless its service was.
func (l Loss) NeedsConsent() bool {
	return !l.Exists && l.Provenance != nil && l.Provenance.WasReady && (l.Kept || l.HoldsData && !l.Recreates)
}

// IsLost reports whether a resource was ready, is missing, and isn't to be created again. Who agreed that its service is created again,
// or recreated the object of the service, agreed to create again what it contained.
func (r *Registry) IsLost(ctx context.Context, obj Object, l Loss) (bool, error) {
	if !l.NeedsConsent() {
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
