package connection

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// The keys of a Secret with a pending password.
const (
	pendingPassword = "password" // that is about to be set at Aiven
	pendingReplaces = "replaces" // SHA-256 of the one that it replaces
	pendingRequest  = "request"  // value of the annotation that asked for it; empty for a schedule
)

const pendingState = "pending"

// maxSecretName is the limit of Kubernetes for the name of a Secret.
const maxSecretName = 253

// PendingName is the name of the Secret with the password that is about to replace the one in a connection Secret; false if
// the name would be too long.
func PendingName(target Target) (string, bool) {
	name := target.Name + "-pending"
	return name, len(name) <= maxSecretName
}

// Pending is a password that is about to replace another one. It is stored before it is set at Aiven, so that it isn't lost.
type Pending struct {
	Password string
	// Request is the value of the annotation that asked for it; empty for a schedule.
	Request string

	replaces []byte
	live     *corev1.Secret
}

// Replaces reports whether a password is the one that the pending one replaces.
func (p *Pending) Replaces(password string) bool {
	digest := sha256.Sum256([]byte(password))
	return subtle.ConstantTimeCompare(p.replaces, digest[:]) == 1
}

// MayBePending reports whether the Secret of a pending password has to be read, by what the cache has of it.
func (p Publisher) MayBePending(ctx context.Context, owner Owner, target Target) bool {
	name, fits := PendingName(target)
	if !fits || p.Metadata == nil {
		return fits
	}
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := p.Metadata.Get(ctx, client.ObjectKey{Namespace: owner.Namespace, Name: name}, meta)
	return err == nil && meta.Annotations[annotation.Rotation] == pendingState || err != nil && !apierrors.IsNotFound(err)
}

// Pending reads the pending password of an owner live: nil if there is none, *OwnershipError or *PendingError if the Secret is
// not the owner's.
func (p Publisher) Pending(ctx context.Context, owner Owner, target Target) (*Pending, error) {
	live, err := p.pendingSecret(ctx, owner, target)
	if err != nil || live == nil || live.Annotations[annotation.Rotation] != pendingState || len(live.Data[pendingPassword]) == 0 {
		return nil, err
	}
	return &Pending{
		Password: string(live.Data[pendingPassword]), Request: string(live.Data[pendingRequest]), replaces: live.Data[pendingReplaces], live: live,
	}, nil
}

// pendingSecret is nil if there is none.
func (p Publisher) pendingSecret(ctx context.Context, owner Owner, target Target) (*corev1.Secret, error) {
	want := p.renderPending(owner, target)
	live, err := p.read(ctx, want)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil // there is none, which is no error
	case err != nil:
		return nil, err
	}
	if metav1.GetControllerOf(live) == nil { // not even one that may be adopted: all that it has would be replaced
		return nil, &OwnershipError{Secret: client.ObjectKeyFromObject(live), Object: owner.GVK.Kind + " " + owner.Name}
	}
	if err := checkOwnership(live, want); err != nil {
		return nil, err
	}
	return live, nil
}

// renderPending has no label or annotation of the target: what those are for is the Secret that is published.
func (p Publisher) renderPending(owner Owner, target Target) *corev1.Secret {
	name, _ := PendingName(target)
	secret := Render(owner, Target{Name: name}, Info{})
	secret.Annotations = map[string]string{annotation.Rotation: pendingState}
	return secret
}

// StorePending stores a password that is about to replace another one. It fails if another process stores one at the same time.
func (p Publisher) StorePending(ctx context.Context, owner Owner, target Target, pending Pending, replaces string) (*Pending, error) {
	live, err := p.pendingSecret(ctx, owner, target)
	if err != nil {
		return nil, err
	}
	if live != nil && live.Annotations[annotation.Rotation] == pendingState && len(live.Data[pendingPassword]) > 0 {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "secrets"}, live.Name, errors.New("it has a pending password by now"))
	}
	digest := sha256.Sum256([]byte(replaces))
	want := p.renderPending(owner, target)
	want.Data = map[string][]byte{pendingPassword: []byte(pending.Password), pendingReplaces: digest[:], pendingRequest: []byte(pending.Request)}
	if live == nil {
		if err := p.Client.Create(ctx, want, client.FieldOwner(p.FieldManager)); err != nil {
			return nil, fmt.Errorf("creating Secret %s: %w", client.ObjectKeyFromObject(want), err)
		}
		p.recordWrite(client.ObjectKeyFromObject(want), want.ResourceVersion)
	} else if want, err = p.patchPending(ctx, live, want.OwnerReferences, want.Data, pendingState); err != nil {
		return nil, err
	}
	pending.replaces, pending.live = digest[:], want
	return &pending, nil
}

// DropPending empties the Secret of a pending password. It stays, until its owner goes: the operator may not delete Secrets.
func (p Publisher) DropPending(ctx context.Context, pending *Pending) error {
	_, err := p.patchPending(ctx, pending.live, pending.live.OwnerReferences, nil, "")
	return err
}

// patchPending fails with a conflict if the Secret has changed since it was read.
func (p Publisher) patchPending(
	ctx context.Context, live *corev1.Secret, owners []metav1.OwnerReference, data map[string][]byte, state string,
) (*corev1.Secret, error) {
	next := live.DeepCopy()
	next.OwnerReferences, next.Data = owners, data
	delete(next.Annotations, annotation.Rotation)
	if state != "" {
		metav1.SetMetaDataAnnotation(&next.ObjectMeta, annotation.Rotation, state)
	}
	patch := client.MergeFromWithOptions(live, client.MergeFromWithOptimisticLock{})
	if err := p.Client.Patch(ctx, next, patch, client.FieldOwner(p.FieldManager)); err != nil {
		return nil, fmt.Errorf("writing Secret %s: %w", client.ObjectKeyFromObject(live), err)
	}
	p.recordWrite(client.ObjectKeyFromObject(next), next.ResourceVersion)
	return next, nil
}
