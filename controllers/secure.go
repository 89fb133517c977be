package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// finalizerName is the reference operator's too: objects change hands without a gap.
const finalizerName = "finalizers.aiven.io/delete-remote-resource"

// addFinalizer persists, before the first write at Aiven, what makes sure that it is cleaned up: the finalizer, that a create
// is about to be tried, and the token that the clean-up will need. An object that was never that far can go at any time.
func (r *Reconciler[T]) addFinalizer(ctx context.Context, p *pass[T]) bool {
	if p.facts.ObserveOnly {
		return true
	}
	creates := !p.seen.Remote.Exists && p.seen.WaitFor == ""
	if !creates && !p.seen.Remote.Exists || hasFinalizer(p.before) && (!creates || attempted(p.before)) {
		return true
	}
	if err := r.protectToken(ctx, p.before); err != nil {
		p.facts.Problem = err
		return false
	}
	err := r.patchMetadata(ctx, p.before, func(obj client.Object) bool {
		changed := controllerutil.AddFinalizer(obj, finalizerName)
		if creates && !attempted(obj) {
			policy.Annotate(obj, annotation.Attempted, "true")
			changed = true
		}
		return changed
	})
	if err != nil {
		p.facts.Problem = fmt.Errorf("adding the finalizer: %w", err)
	}
	return err == nil
}

// protectToken keeps the Secret with the object's token as long as the object may need it.
func (r *Reconciler[T]) protectToken(ctx context.Context, obj T) error {
	ref := obj.GetAuthSecretRef()
	if ref == nil {
		return nil
	}
	return r.secretFinalizer.Protect(ctx, types.NamespacedName{Namespace: obj.GetNamespace(), Name: ref.Name})
}

// attempted says whether a create was ever tried, or has ever succeeded. No status tells: it can be lost.
func attempted(obj client.Object) bool {
	_, tried := obj.GetAnnotations()[annotation.Attempted]
	return tried || status.SeenBefore(obj)
}

func hasFinalizer(obj client.Object) bool {
	return controllerutil.ContainsFinalizer(obj, finalizerName)
}

func (r *Reconciler[T]) dropFinalizer(ctx context.Context, obj T) error {
	return client.IgnoreNotFound(r.patchMetadata(ctx, obj, func(obj client.Object) bool {
		return controllerutil.RemoveFinalizer(obj, finalizerName)
	}))
}

// patchMetadata changes the list of finalizers under a lock: a merge patch replaces the whole list, and a stale one
// would drop the finalizers of others or bring them back. A conflict leads to a fresh copy. An object that is gone, or
// another one by now, is NotFound.
func (r *Reconciler[T]) patchMetadata(ctx context.Context, obj T, edit func(client.Object) bool) error {
	current := obj.DeepCopyObject().(T)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		base := current.DeepCopyObject().(T)
		if !edit(current) {
			return nil
		}
		err := r.client.Patch(ctx, current, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
		if err == nil {
			r.expectations.Record(client.ObjectKeyFromObject(current), current.GetResourceVersion())
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
