package ownership

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Keep returns the name, for those who can read the namespace of a deleted object, of another object that goes on with its
// resource: one that owns it, too, or the heir, which is made its owner. Either has the finalizer then. It is empty if the resource is
// to be deleted. blocked is not empty if the object names an heir that can't own the resource, or if another object has begun to create it,
// and on an error, which is that of the API server, no other object keeps the resource for sure: the object has to stay.
func (r *Registry) Keep(ctx context.Context, c client.Client, kind Identifier, obj Object, now time.Time) (name, blocked string, err error) {
	duplicates, err := r.DuplicatesOf(ctx, kind, obj)
	if err != nil {
		return "", "", err
	}
	if other, owned := CoOwnerOf(duplicates); owned {
		if _, err := protect(ctx, c, other.Object); err != nil { // a user may have removed the finalizer: it would go without a reconcile
			return "", "", fmt.Errorf("adding the finalizer to %s: %w", other.Within(obj.GetNamespace()), err)
		}
		return other.Within(obj.GetNamespace()), "", nil
	}
	if !r.Reservations.Of(kind.Reservation(obj), obj).Permits(false, duplicates) {
		return "", ErrReserved.Error() + ", and this object is released once the other object owns it", nil
	}
	heir, inherits := HeirOf(obj, duplicates)
	switch named := policy.TransfersTo(obj); {
	case !inherits && named != "":
		return "", fmt.Sprintf("The annotation %s names %s, which doesn't exist or can't take over the resource. Apply it, or correct or remove the annotation", annotation.TransferTo, named), nil
	case !inherits:
		return "", "", nil
	}
	if err := transfer(ctx, c, heir, now); err != nil {
		return "", "", fmt.Errorf("handing over to %s: %w", heir.Within(obj.GetNamespace()), err)
	}
	return heir.Within(obj.GetNamespace()), "", nil
}

// HasFormer reports whether Aiven may have what an earlier spec of an object has asked for, beside the resource of its spec.
func HasFormer(obj client.Object) bool {
	edited, may := obj.(interface{ HasFormer() bool })
	return may && edited.HasFormer()
}

// WithdrawOthers withdraws what other objects have attempted at the resource of an object whose status proves that it owns that: what exists
// is never theirs, also once the object is gone and has left it. They can't be relied on to do so: one that is paused, or has no token,
// isn't asked who owns what. An object that only observes keeps none from creating the resource again once it is missing: it withdraws
// nothing of an object that the operator goes on with. patch writes an object that differs from a copy as it was read.
func (r *Registry) WithdrawOthers(ctx context.Context, patch func(ctx context.Context, from, to client.Object) error, kind Identifier, obj Object) error {
	if !IsRecorded(obj) {
		return nil
	}
	others, err := r.Duplicates(ctx, kind.Group(), kind.Resource(obj), obj)
	if err != nil {
		return err
	}
	for _, other := range others {
		before, ours := other.Object.(Object)
		if !ours || policy.ObservesOnly(obj) && isActive(before) {
			continue
		}
		next := before.DeepCopyObject().(Object)
		if !Yield(before, obj)(next) {
			continue
		}
		if err := patch(ctx, before, next); err != nil {
			return fmt.Errorf("withdrawing what %s has attempted: %w", other.Within(obj.GetNamespace()), err)
		}
	}
	return nil
}

// transfer makes an heir own the resource, with the finalizer: nothing is left of the former owner once that is gone. One that
// has changed since it was read, or was deleted, gets nothing. One that aiven-operator has managed stays an object that was taken over:
// what that has left isn't corrected.
func transfer(ctx context.Context, c client.Client, heir Duplicate, now time.Time) error {
	object, ours := heir.Object.(Object)
	if !ours {
		return nil
	}
	next, err := protect(ctx, c, object)
	if err != nil {
		return err
	}
	before := next.DeepCopyObject().(Object)
	if known := Of(object); IsTakenOver(known) {
		Record(next, known)
	} else {
		Record(next, Adopted(next, now))
	}
	data, err := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}).Data(next)
	if err != nil {
		return err
	}
	return c.Status().Patch(ctx, before, client.RawPatch(types.MergePatchType, data))
}

// protect returns a copy of an object, with the finalizer. One that has changed since it was read, or was deleted, doesn't get it.
func protect[T client.Object](ctx context.Context, c client.Client, obj T) (T, error) {
	next := obj.DeepCopyObject().(T)
	if !Begin(next, false) {
		return next, nil
	}
	return next, c.Patch(ctx, next, client.MergeFromWithOptions(obj, client.MergeFromWithOptimisticLock{}))
}
