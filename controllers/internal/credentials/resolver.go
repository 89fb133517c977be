package credentials

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/namespace"
)

// Resolver reads tokens.
type Resolver struct {
	// Reader reads Secrets. It should read live: a cache would hold the Secrets of all namespaces.
	Reader client.Reader
	// Cache keeps what was read; nil for none.
	Cache *Cache
	// Default is the token for objects without a reference of their own; nil if the operator has none.
	Default *Default
	// Namespace is the operator's own, which has the Secrets that Namespaces name.
	Namespace string
	// Open reports whether objects in a Namespace may use the default token; nil is all.
	Open func(namespace.Settings) bool
	// Fallback gives objects that were taken over the default token if the Secret that they name doesn't exist.
	Fallback bool
}

// Token returns the token for an object in this namespace with this spec.authSecretRef, which may be nil. White space
// around it is dropped: files often end with a newline.
//
// Errors: *MissingError if there is no usable token, else the wrapped error of the API.
func (r Resolver) Token(ctx context.Context, namespace string, ref *v1alpha1.AuthSecretReference) (Token, error) {
	if ref == nil {
		value := r.Default.Value()
		if value == "" {
			return Token{}, &MissingError{Problem: NoneConfigured}
		}
		return parse(value, MissingError{})
	}
	name := types.NamespacedName{Namespace: namespace, Name: ref.Name}
	missing := MissingError{Secret: name, Key: ref.Key}
	if namespace == "" {
		return Token{}, missing.with(NoNamespace)
	}
	if token, known := r.Cache.get(ctx, name, ref.Key); known {
		return token, nil
	}
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, name, secret)
	if apierrors.IsNotFound(err) {
		r.Cache.Forget(name)
		return Token{}, missing.with(SecretMissing)
	}
	if err != nil {
		return Token{}, fmt.Errorf("reading token Secret %s: %w", name, err)
	}
	value, ok := secret.Data[ref.Key]
	if !ok {
		r.Cache.forgetKey(name, ref.Key)
		return Token{}, missing.with(KeyMissing)
	}
	token, err := parse(string(value), missing)
	if err != nil {
		r.Cache.forgetKey(name, ref.Key)
		return Token{}, err
	}
	r.Cache.put(name, ref.Key, secret.ResourceVersion, token)
	return token, nil
}

// reads reports whether tokens were read from a Secret of the operator's namespace.
func (r Resolver) reads(secret client.Object) bool {
	return secret.GetNamespace() == r.Namespace && len(r.Cache.keys(client.ObjectKeyFromObject(secret))) > 0
}

// Refresh reads the tokens of a Secret that has changed, so that the former ones are forgotten, also where no object asks: its
// users may be paused.
func (r Resolver) Refresh(ctx context.Context, secret types.NamespacedName) error {
	for _, key := range r.Cache.keys(secret) {
		_, err := r.Token(ctx, secret.Namespace, &v1alpha1.AuthSecretReference{Name: secret.Name, Key: key})
		var missing *MissingError
		if err != nil && !errors.As(err, &missing) {
			return err
		}
	}
	return nil
}

// parse accepts what can be sent in an HTTP header. Two tokens in one value, or a line break within one, are a mistake
// that Aiven would answer with a 401 without a reason.
func parse(value string, source MissingError) (Token, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return Token{}, source.with(Empty)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return Token{}, source.with(Malformed)
	}
	return NewToken(value), nil
}
