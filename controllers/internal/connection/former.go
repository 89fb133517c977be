package connection

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// former reads the Secret that an owner has published before the one that its spec names now. It is nil unless there is one
// that belongs to the owner.
func (p Publisher) former(ctx context.Context, want *corev1.Secret, target Target) (*corev1.Secret, error) {
	if target.Former == "" {
		return nil, nil // there is none, which is no error
	}
	last := want.DeepCopy()
	last.Name = target.Former
	live, err := p.read(ctx, last)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil // it is gone, which is no error
	case err != nil:
		return nil, err
	case metav1.GetControllerOf(live) == nil, checkOwnership(live, last) != nil:
		return nil, nil //nolint:nilerr // it is another owner's, which is no error
	}
	return live, nil
}

// ownedOrFormer is what is ours in a Secret, or in that of the former name if this one is adopted and has nothing of ours yet.
func (p Publisher) ownedOrFormer(
	ctx context.Context, live, want *corev1.Secret, target Target,
) (*applycorev1.SecretApplyConfiguration, error) {
	owner := want.OwnerReferences[0].UID
	own, err := p.owned(live, owner)
	if err != nil || len(own.Data) > 0 {
		return own, err
	}
	former, err := p.former(ctx, want, target)
	if err != nil || former == nil {
		return own, err
	}
	return p.owned(former, owner)
}

// keepUnmarkedAsFormer is keepUnmarked for values that move from the Secret of the former name.
func (p Publisher) keepUnmarkedAsFormer(ctx context.Context, want *corev1.Secret, target Target, details Info) error {
	live, err := p.former(ctx, want, target)
	if err != nil || live == nil {
		return err
	}
	own, err := p.owned(live, want.OwnerReferences[0].UID)
	if err == nil {
		keepUnmarked(want, own, target.Prefix, details.Keep)
	}
	return err
}

// withdraw removes what is ours from the Secret of the former name: credentials that are no longer kept up to date don't stay behind.
// What others added to the Secret stays, and so does the Secret until its owner goes: the operator may not delete it.
func (p Publisher) withdraw(ctx context.Context, owner Owner, target Target) error {
	want := Render(owner, Target{Name: target.Former}, Info{})
	live, err := p.former(ctx, want, target)
	if err != nil || live == nil {
		return err
	}
	own, err := p.owned(live, owner.UID)
	switch {
	case err != nil || len(own.Data) == 0:
		return err
	case isImmutable(live):
		return fmt.Errorf("Secret %s is immutable, and has the connection details that are in Secret %s now: delete it",
			client.ObjectKeyFromObject(live), target.Name)
	}
	_, err = p.change(ctx, live, keepLiveFields(want, live, own), owner.UID)
	return err
}
