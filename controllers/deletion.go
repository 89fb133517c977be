package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// finalizerName is the reference operator's too: objects change hands without a gap.
const finalizerName = "finalizers.aiven.io/delete-remote-resource"

// The deletion policies.
const (
	policyDelete = "Delete"
	policyOrphan = "Orphan"
)

// deletionPolicy reads what becomes of the resource at Aiven when the object is deleted. A value that isn't known is an
// error: a typo must never delete a database.
func deletionPolicy(obj Object) (string, error) {
	switch value, set := obj.GetAnnotations()[annotationPolicy]; {
	case !set, value == policyDelete:
		return policyDelete, nil
	case value == policyOrphan:
		return policyOrphan, nil
	default:
		return "", fmt.Errorf("annotation %s has the unknown value %q: set it to %s or %s, or remove it",
			annotationPolicy, value, policyOrphan, policyDelete)
	}
}

// The stations of the delete path.

func (r *Reconciler[T]) begin(_ context.Context, p *pass[T]) bool {
	p.facts.Deletion = &status.Deletion{}
	return true
}

func (r *Reconciler[T]) orphan(ctx context.Context, p *pass[T]) bool {
	if policy, _ := deletionPolicy(p.before); policy != policyOrphan {
		return true
	}
	p.facts.Deletion.Orphaned = true
	r.release(ctx, p)
	return false
}

func (r *Reconciler[T]) protection(_ context.Context, p *pass[T]) bool {
	p.facts.Deletion.Protected = r.kind.Protected != nil && r.kind.Protected(p.before)
	return !p.facts.Deletion.Protected
}

// remove asks Aiven to delete, and notes how far that came.
func (r *Reconciler[T]) remove(ctx context.Context, p *pass[T]) bool {
	d := p.facts.Deletion
	err := r.kind.New(p.env).Delete(ctx, p.obj)
	var blocked *BlockedError
	switch {
	case err == nil:
		return true
	case errors.Is(err, ErrDeletionPending):
		d.Requested = true
	case errors.As(err, &blocked):
		d.Blocked = blocked.Reason
	case fault.Of(err).Class == fault.Conflict:
		d.Blocked = fault.Of(err).Message
	default:
		d.Err = err
	}
	return false
}

// release lets the object go. Its Secret goes with it, by garbage collection.
func (r *Reconciler[T]) release(ctx context.Context, p *pass[T]) bool {
	if err := r.removeFinalizer(ctx, p.before); err != nil {
		p.facts.Deletion.Err = fmt.Errorf("removing the finalizer: %w", err)
		return false
	}
	r.attempts.Converged(p.before)
	p.facts.Deletion.Gone = true
	return true
}

func hasFinalizer(obj client.Object) bool {
	return controllerutil.ContainsFinalizer(obj, finalizerName)
}

func (r *Reconciler[T]) addFinalizer(ctx context.Context, obj T) error {
	return r.patchFinalizers(ctx, obj, controllerutil.AddFinalizer)
}

func (r *Reconciler[T]) removeFinalizer(ctx context.Context, obj T) error {
	return client.IgnoreNotFound(r.patchFinalizers(ctx, obj, controllerutil.RemoveFinalizer))
}

// patchFinalizers changes the list of finalizers under a lock: a merge patch replaces the whole list, and a stale one
// would drop the finalizers of others or bring them back. A conflict leads to a fresh copy. An object that is gone, or
// another one by now, is NotFound.
func (r *Reconciler[T]) patchFinalizers(ctx context.Context, obj T, edit func(client.Object, string) bool) error {
	current := obj.DeepCopyObject().(T)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		base := current.DeepCopyObject().(T)
		if !edit(current, finalizerName) {
			return nil
		}
		err := r.client.Patch(ctx, current, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
		if err == nil {
			r.written.Note(client.ObjectKeyFromObject(current), current.GetResourceVersion())
			return nil
		}
		if fresh := r.publisher.Reader.Get(ctx, client.ObjectKeyFromObject(obj), current); fresh != nil {
			return fresh
		}
		if current.GetUID() != obj.GetUID() {
			return apierrors.NewNotFound(schema.GroupResource{Group: r.gvk.Group, Resource: r.gvk.Kind}, obj.GetName())
		}
		return err
	})
}
