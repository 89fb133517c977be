package credentials

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// TokenIndex is the field index over the names of token Secrets.
const TokenIndex = "aero.token"

// user is an object that may name a token Secret.
type user interface {
	GetAuthSecretRef() *v1alpha1.AuthSecretReference
}

// TokenName is the name of the Secret that an object's token is in, empty if it names none.
func TokenName(obj client.Object) string {
	if ref := obj.(user).GetAuthSecretRef(); ref != nil {
		return ref.Name
	}
	return ""
}

// TokenOf returns the token of an object. aiven-operator prefers its default token to what an object names, so an object
// that was taken over from it may name a Secret that never existed: the default token is returned then, with the error
// for which it is used.
func (r Resolver) TokenOf(ctx context.Context, obj client.Object) (token Token, fallback, err error) {
	token, err = r.Token(ctx, obj.GetNamespace(), obj.(user).GetAuthSecretRef())
	var missing *MissingError
	_, takenOver := obj.GetAnnotations()[annotation.TakenOver]
	if takenOver && errors.As(err, &missing) && missing.Problem == SecretMissing {
		if token, unset := r.Token(ctx, "", nil); unset == nil {
			return token, err, nil
		}
	}
	return token, nil, err
}

// PlaceOf is where the token of an object is, for messages. fallback is what TokenOf returned.
func PlaceOf(obj client.Object, fallback error) string {
	ref := obj.(user).GetAuthSecretRef()
	if ref == nil || fallback != nil {
		return placeOf(types.NamespacedName{}, "")
	}
	return placeOf(types.NamespacedName{Namespace: obj.GetNamespace(), Name: ref.Name}, ref.Key)
}

// SetupWithManager adds the controller that removes our finalizer from a token Secret that no object names any longer.
// The kinds MUST have the TokenIndex.
func SetupWithManager(mgr ctrl.Manager, tokens *Cache, kinds ...client.Object) error {
	reconciler := SecretReconciler{
		Finalizer: SecretFinalizer{Client: mgr.GetClient(), Live: mgr.GetAPIReader()}, Index: TokenIndex,
	}
	b := ctrl.NewControllerManagedBy(mgr).Named("token-secret").
		For(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(predicate.NewPredicateFuncs(Protected))).
		WatchesMetadata(&corev1.Secret{}, tokens.Deletions())
	for _, kind := range kinds {
		lister, err := enqueue.NewLister(mgr, kind)
		if err != nil {
			return fmt.Errorf("watching token Secrets: %w", err)
		}
		reconciler.Users = append(reconciler.Users, lister)
		b = b.Watches(kind, enqueue.ForPreviousName(TokenName))
	}
	return b.Complete(reconciler)
}
