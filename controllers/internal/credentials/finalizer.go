package credentials

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/namespace"
)

// FinalizerName keeps a token Secret until no object needs it any longer. It is that of aiven-operator.
const FinalizerName = "finalizers.aiven.io/needed-to-delete-services"

// Protected reports whether a Secret has the finalizer.
func Protected(secret client.Object) bool {
	return controllerutil.ContainsFinalizer(secret, FinalizerName)
}

// Changes lets changes of a token Secret through, but the addition of its finalizer, which this operator makes. Without it, a Secret may
// have been replaced, with another token.
func Changes() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			added := Protected(e.ObjectNew) && !Protected(e.ObjectOld)
			return e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion() && !added
		},
	}
}

// SecretFinalizer adds and removes the finalizer of token Secrets: a token is needed until everything that was made with
// it is deleted at Aiven. It reads metadata only.
type SecretFinalizer struct {
	Client client.Client // reads from the cache
	Live   client.Reader
}

// Protect adds the finalizer to a Secret. A Secret that is gone or being deleted can't get one, which is no error: the
// object that needs the token reports it.
func (f SecretFinalizer) Protect(ctx context.Context, secret types.NamespacedName) error {
	return f.edit(ctx, secret, "protecting", func(obj client.Object) bool {
		return obj.GetDeletionTimestamp().IsZero() && controllerutil.AddFinalizer(obj, FinalizerName)
	})
}

// ProtectTokenOf adds the finalizer to the Secret with an object's token, if it names one.
func (f SecretFinalizer) ProtectTokenOf(ctx context.Context, obj client.Object) error {
	name := TokenName(obj)
	if name == "" {
		return nil
	}
	return f.Protect(ctx, types.NamespacedName{Namespace: obj.GetNamespace(), Name: name})
}

// Keep adds the finalizer again to the Secret with the token of an object that needs it for its clean-up: the Secret may have been replaced
// since, or be another one. That it fails holds nothing else up.
func (f SecretFinalizer) Keep(ctx context.Context, obj client.Object, needs bool) {
	if !needs {
		return
	}
	if err := f.ProtectTokenOf(ctx, obj); err != nil {
		log.FromContext(ctx).Info("The token's Secret isn't protected from deletion. Trying again at the next reconcile", "reason", err.Error())
	}
}

// Release removes the finalizer from a Secret.
func (f SecretFinalizer) Release(ctx context.Context, secret types.NamespacedName) error {
	return f.edit(ctx, secret, "releasing", func(obj client.Object) bool {
		return controllerutil.RemoveFinalizer(obj, FinalizerName)
	})
}

// edit changes the list of finalizers with optimistic locking, as others have theirs in it. change reports whether it
// changed anything. The first read is from the cache; after a conflict it is live.
func (f SecretFinalizer) edit(ctx context.Context, secret types.NamespacedName, doing string, change func(client.Object) bool) error {
	var reader client.Reader = f.Client
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		meta := &metav1.PartialObjectMetadata{}
		meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		if err := reader.Get(ctx, secret, meta); err != nil {
			return client.IgnoreNotFound(err)
		}
		reader = f.Live
		base := meta.DeepCopy()
		if !change(meta) {
			return nil
		}
		return client.IgnoreNotFound(f.Client.Patch(ctx, meta,
			client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})))
	})
	if err != nil {
		return fmt.Errorf("%s token Secret %s: %w", doing, secret, err)
	}
	return nil
}

// SecretReconciler reconciles token Secrets: it removes the finalizer of one that no object names any longer, and forgets
// tokens that are used no more.
type SecretReconciler struct {
	Finalizer SecretFinalizer
	Users     []enqueue.Lister // of the objects that name token Secrets, by kind
	Index     string           // of the objects by the namespace and name of their token Secret
	Tokens    Resolver
	// Namespaces may name Secrets of the operator's namespace.
	Namespaces namespace.Reader
}

// Reconcile implements reconcile.Reconciler.
func (r SecretReconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	for _, lister := range r.Users {
		users, err := lister.List(ctx, client.MatchingFields{r.Index: req.String()})
		if err != nil {
			return reconcile.Result{}, err
		}
		if len(users) > 0 {
			return reconcile.Result{}, r.Tokens.Refresh(ctx, req.NamespacedName)
		}
	}
	named, err := r.isOfNamespace(ctx, req.NamespacedName)
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case named:
		err = r.Tokens.Refresh(ctx, req.NamespacedName)
	default:
		r.Tokens.Cache.Forget(req.NamespacedName)
	}
	return reconcile.Result{}, errors.Join(err, r.Finalizer.Release(ctx, req.NamespacedName))
}

// isOfNamespace reports whether a Namespace names a Secret.
func (r SecretReconciler) isOfNamespace(ctx context.Context, secret types.NamespacedName) (bool, error) {
	if r.Namespaces.Metadata == nil || secret.Namespace != r.Tokens.Namespace {
		return false, nil
	}
	names, err := r.Namespaces.WithToken(ctx, secret.Name)
	return len(names) > 0, err
}
