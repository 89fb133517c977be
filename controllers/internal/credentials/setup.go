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
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/queue"
)

// TokenIndex is the field index over token Secrets, as namespace/name.
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

// TokenOf returns the token of an object: from the Secret that it names, that its Namespace names, or the default one.
// aiven-operator prefers its default token to what an object names, so an object that was taken over from it may name a Secret
// that never existed: the default token is returned then, with the error for which it is used. The object may use it, too.
func (r Resolver) TokenOf(ctx context.Context, obj client.Object, in namespace.Settings, takenOver bool) (token Token, fallback, err error) {
	ref := obj.(user).GetAuthSecretRef()
	name, key, named := in.TokenSecret()
	switch {
	case ref == nil && name != "":
		token, err = r.Token(ctx, r.Namespace, &v1alpha1.AuthSecretReference{Name: name, Key: key})
		return token, nil, ofNamespace(err, in)
	case ref == nil && named:
		return token, nil, ofNamespace(&MissingError{Problem: NotOpen}, in)
	}
	closed := named || r.Open != nil && !r.Open(in)
	if ref == nil && closed {
		return token, nil, &MissingError{Problem: NotOpen}
	}
	token, err = r.Token(ctx, obj.GetNamespace(), ref)
	var missing *MissingError
	if takenOver && r.Fallback && !closed && errors.As(err, &missing) && missing.Problem == SecretMissing {
		if token, unset := r.Token(ctx, "", nil); unset == nil {
			return token, err, nil
		}
	}
	return token, nil, err
}

// ByNamespace returns a function that returns whose token the objects in a Namespace use that name none: of a Secret that the Namespace
// names, or the default one. It is neither for a Namespace that can't be read.
func (r Resolver) ByNamespace(namespaces namespace.Reader) func(ctx context.Context, name string) (secret, byDefault bool) {
	return func(ctx context.Context, namespace string) (secret, byDefault bool) {
		in, err := namespaces.Of(ctx, namespace)
		name, _, named := in.TokenSecret()
		return err == nil && name != "", err == nil && !named && r.Default.Value() != "" && (r.Open == nil || r.Open(in))
	}
}

// ofNamespace names the Namespace in the error about the Secret that it names.
func ofNamespace(err error, in namespace.Settings) error {
	var missing *MissingError
	if !errors.As(err, &missing) {
		return err
	}
	named := *missing
	named.Annotated = in.Name
	return &named
}

// PlaceOf is where the token of an object is, for messages. fallback is what TokenOf returned.
func (r Resolver) PlaceOf(obj client.Object, in namespace.Settings, fallback error) string {
	ref := obj.(user).GetAuthSecretRef()
	name, key, _ := in.TokenSecret()
	switch {
	case ref == nil && name != "":
		return placeOf(types.NamespacedName{Namespace: r.Namespace, Name: name}, key)
	case ref == nil || fallback != nil:
		return placeOf(types.NamespacedName{}, "")
	default:
		return placeOf(types.NamespacedName{Namespace: obj.GetNamespace(), Name: ref.Name}, ref.Key)
	}
}

// secretWorkers are shared among the namespaces: each Secret with the finalizer costs a write, and any user may make many.
const secretWorkers = 4

// SetupWithManager adds the controller that removes our finalizer from a token Secret that no object names any longer, and
// forgets its tokens and those that were replaced in it, also where a Namespace names it, and what reads the file with the default token.
// The kinds MUST have the TokenIndex.
func SetupWithManager(mgr ctrl.Manager, tokens Resolver, namespaces namespace.Reader, kinds ...client.Object) error {
	reconciler := SecretReconciler{
		Finalizer: SecretFinalizer{Client: mgr.GetClient(), Live: mgr.GetAPIReader()}, Index: TokenIndex, Tokens: tokens, Namespaces: namespaces,
	}
	tokens.Follow()
	if err := mgr.Add(tokens.Default); err != nil {
		return fmt.Errorf("reading the default token: %w", err)
	}
	b := ctrl.NewControllerManagedBy(mgr).Named("token-secret").
		WithOptions(controller.Options{MaxConcurrentReconciles: secretWorkers, NewQueue: queue.New("Secret", secretWorkers)}).
		For(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(predicate.NewPredicateFuncs(Protected))).
		WatchesMetadata(&corev1.Secret{}, tokens.Cache.Deletions())
	if namespaces.Metadata != nil {
		b = b.WatchesMetadata(&corev1.Secret{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(Changes(), predicate.NewPredicateFuncs(tokens.reads))).
			WatchesMetadata(&corev1.Namespace{}, enqueue.ForPreviousNameIn(tokens.Namespace, namespace.TokenSecretOf))
	}
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
