package connection

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Annotations reads the Secret of an owner live, and returns the annotations that our field manager owns in it: what others have written
// or overwritten isn't there. It is nil if there is no Secret.
//
// Errors: *OwnershipError if the Secret belongs to another object, *PendingError if it has to go away first, and the wrapped error of the
// API otherwise.
func (p Publisher) Annotations(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target) (map[string]string, error) {
	want := Render(OwnerOf(owner, gvk), Target{Name: target.Name}, Info{})
	live, err := p.read(ctx, want)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := checkOwnership(live, want); err != nil {
		return nil, named(err, target)
	}
	own, err := p.owned(live, owner.GetUID())
	if err != nil {
		return nil, err
	}
	return own.Annotations, nil
}
