package credentials

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// FinalizerName keeps a token Secret until nothing needs it any longer. It is the reference operator's too.
const FinalizerName = "finalizers.aiven.io/needed-to-delete-services"

// Protected says whether a Secret has the finalizer.
func Protected(secret client.Object) bool {
	return controllerutil.ContainsFinalizer(secret, FinalizerName)
}

// Changes lets through what somebody does to a token Secret. That it is kept or let go is our own doing.
func Changes() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion() &&
				Protected(e.ObjectOld) == Protected(e.ObjectNew)
		},
	}
}

// SecretFinalizer keeps token Secrets from going before what was made with them. It sees their metadata only.
type SecretFinalizer struct {
	Client client.Client // reads from the cache
	Live   client.Reader
}

// Protect sees to it that a Secret has the finalizer. A Secret that is gone or going can't get it, which is no error:
// who needs the token finds out by itself.
func (g SecretFinalizer) Protect(ctx context.Context, secret types.NamespacedName) error {
	return g.edit(ctx, secret, "protecting", func(obj client.Object) bool {
		return obj.GetDeletionTimestamp().IsZero() && controllerutil.AddFinalizer(obj, FinalizerName)
	})
}

// Release takes the finalizer off a Secret.
func (g SecretFinalizer) Release(ctx context.Context, secret types.NamespacedName) error {
	return g.edit(ctx, secret, "releasing", func(obj client.Object) bool {
		return controllerutil.RemoveFinalizer(obj, FinalizerName)
	})
}

// edit changes the list of finalizers under a lock, as others have theirs in it. The cache tells whether there is
// anything to do; after a conflict the API does.
func (g SecretFinalizer) edit(ctx context.Context, secret types.NamespacedName, doing string, change func(client.Object) bool) error {
	var reader client.Reader = g.Client
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		meta := &metav1.PartialObjectMetadata{}
		meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		if err := reader.Get(ctx, secret, meta); err != nil {
			return client.IgnoreNotFound(err)
		}
		reader = g.Live
		base := meta.DeepCopy()
		if !change(meta) {
			return nil
		}
		return client.IgnoreNotFound(g.Client.Patch(ctx, meta,
			client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})))
	})
	if err != nil {
		return fmt.Errorf("%s token Secret %s: %w", doing, secret, err)
	}
	return nil
}

// SecretReconciler is the reconciler of token Secrets: it lets one go when no object names it any longer.
type SecretReconciler struct {
	Guard SecretFinalizer
	Users []enqueue.Lister // of the objects that name token Secrets, by kind
	Index string           // of the objects by the name of their token Secret
}

// Reconcile implements reconcile.Reconciler.
func (k SecretReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	for _, finder := range k.Users {
		users, err := finder.List(ctx, client.InNamespace(req.Namespace), client.MatchingFields{k.Index: req.Name})
		if err != nil || len(users) > 0 {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{}, k.Guard.Release(ctx, req.NamespacedName)
}
