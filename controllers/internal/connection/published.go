package connection

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// Published is what an owner has published so far. It never prints a value.
type Published struct {
	// Problem is why nothing can be published now, nil if it can: the Secret doesn't exist, is ours, or may be adopted. A
	// value that Aiven returns only once MUST NOT be asked for while there is a problem. See Publisher.DryRun too.
	Problem   error
	prefix    string
	issuedFor string                      // empty where it isn't known
	fields    []metav1.ManagedFieldsEntry // of other managers
	// returned is what the latest write at Aiven has returned, which the Secret may not have.
	returned func(key, issuedFor string) (string, bool)
	// data is a function because fmt prints what unexported fields hold, but of a function the address only.
	data func() map[string][]byte
}

// Value returns the published value of a key of Layout.Prefixed, such as PASSWORD, for the resource with this id; one that Aiven
// has returned since, if there is one. It is false if no such key is ours: it was never published, was overwritten, the Secret
// is gone, or it was issued for another resource.
func (p Published) Value(key, issuedFor string) (string, bool) {
	if p.returned != nil {
		if value, ok := p.returned(key, issuedFor); ok {
			return value, true
		}
	}
	if p.data == nil || !mayBeOf(p.issuedFor, issuedFor) {
		return "", false
	}
	value, ok := find(p.data(), p.prefix, key)
	return string(value), ok
}

// MayBeOf reports whether what is published may be of a resource with this id. Nothing may be, also of none.
func (p Published) MayBeOf(id string) bool {
	return p.data == nil || id != "" && mayBeOf(p.issuedFor, id)
}

// issuedFor is whom published values were issued for; empty where that isn't known.
func issuedFor(own *applycorev1.SecretApplyConfiguration, target Target) string {
	return cmp.Or(own.Annotations[annotation.CredentialsIssuedFor], target.IssuedFor)
}

// mayBeOf reports whether values that were published for one id may be of a resource with the other.
func mayBeOf(published, id string) bool { return published == "" || id == "" || published == id }

// Lacks reports whether a key that stays in the Secret, as Aiven returns its value once, has a value neither there nor in
// the latest details: it was lost. Nothing is lost where nothing can be published.
func (p Published) Lacks(details Info) bool {
	if p.Problem != nil {
		return false
	}
	latest := details.Prefixed()
	for _, key := range details.Keep {
		value, given := latest[key]
		_, published := p.Value(key, details.IssuedFor)
		if (!given || value == Missing) && !published {
			return true
		}
	}
	return false
}

// Secrets are values that no text about the owner may hold: the passwords among the details, and those of the keys that stay,
// as Aiven returns them or as they are published. Names and addresses aren't secret, and what else is has a form of its own
// that package fault knows.
func (p Published) Secrets(details Info) []string {
	var secrets []string
	for key, value := range details.Prefixed() {
		if value != Missing && (strings.HasSuffix(key, "PASSWORD") || slices.Contains(details.Keep, key)) {
			secrets = append(secrets, value)
		}
	}
	for _, key := range details.Keep {
		for _, id := range slices.Compact([]string{details.IssuedFor, p.issuedFor}) {
			value, _ := p.Value(key, id)
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// find returns the value of a key of Layout.Prefixed in a Secret: with the prefix, else without, as the prefix may have changed. What
// is empty isn't there.
func find(data map[string][]byte, prefix, key string) ([]byte, bool) {
	if value := data[prefix+key]; len(value) > 0 {
		return value, true
	}
	value := data[key]
	return value, len(value) > 0
}

// Published reads the Secret of an owner live and returns the values that our field manager owns in it. An error means
// that it couldn't be read, so that nothing is known.
func (p Publisher) Published(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target) (Published, error) {
	if target.Disabled {
		return Published{Problem: errDisabled}, nil
	}
	want := Render(OwnerOf(owner, gvk), target, Info{})
	published := Published{prefix: target.Prefix, returned: p.Returned.of(owner.GetUID()), Problem: validate(want, target)}
	if published.Problem != nil {
		return published, nil //nolint:nilerr // the problem is the result
	}
	live, err := p.read(ctx, want)
	if apierrors.IsNotFound(err) {
		live, err = p.former(ctx, want, target)
	}
	if err != nil {
		return Published{}, err
	}
	if live == nil {
		return published, nil
	}
	if published.Problem = checkOwnership(live, want); published.Problem != nil {
		return published, nil //nolint:nilerr // the problem is the result
	}
	own, err := p.ownedOrFormer(ctx, live, want, target)
	if err != nil {
		return Published{}, err
	}
	published.fields = p.foreign(live.ManagedFields)
	published.data, published.issuedFor = func() map[string][]byte { return own.Data }, issuedFor(own, target)
	if isImmutable(live) && live.Name == target.Name {
		published.Problem = fmt.Errorf("Secret %s is immutable", client.ObjectKeyFromObject(live))
	}
	return published, nil
}

// disabledError means that the spec turns publication off.
type disabledError struct{}

func (disabledError) Error() string { return "spec.connInfoSecretTargetDisabled is set" }

var errDisabled error = disabledError{}

// keep adds to a Secret the keys that Aiven no longer returns, with the values that are published.
func keep(want *corev1.Secret, own *applycorev1.SecretApplyConfiguration, target Target, keys []string) {
	if !mayBeOf(issuedFor(own, target), want.Annotations[annotation.CredentialsIssuedFor]) {
		return
	}
	for _, key := range keys {
		value, published := find(own.Data, target.Prefix, key)
		_, wanted := want.Data[target.Prefix+key]
		if published && !wanted {
			want.Data[target.Prefix+key] = value
		}
		value, published = own.Data[key]
		if _, wanted = want.Data[key]; published && !wanted {
			want.Data[key] = value
		}
	}
}

// keepUnmarked removes the id that values are of from a Secret, if they are published without one: for whom they were issued
// isn't known, and aiven-operator's Secrets stay as they are.
func keepUnmarked(want *corev1.Secret, own *applycorev1.SecretApplyConfiguration, prefix string, keys []string) {
	_, marked := own.Annotations[annotation.CredentialsIssuedFor]
	same := func(key string) bool {
		value, published := find(own.Data, prefix, key)
		return published && bytes.Equal(value, want.Data[prefix+key])
	}
	if !marked && len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return !same(key) }) {
		delete(want.Annotations, annotation.CredentialsIssuedFor)
	}
}
