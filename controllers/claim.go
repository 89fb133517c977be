package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/policy"
)

// identity says what an object stands for at Aiven: what no other object of its kind can stand for as well. It is empty for
// an object that only looks on.
func (k Kind[T]) identity(obj client.Object) string {
	switch serviceKey := serviceKeyOf(k.Object); {
	case policy.ObservesOnly(obj):
		return ""
	case k.Claim != nil:
		return k.Claim(obj.(T))
	case serviceKey == nil:
		return ""
	case k.Parts != nil:
		return serviceKey(obj).String() + "/" + string(k.Parts(obj.(T))[0])
	default:
		return serviceKey(obj).String()
	}
}

func (k Kind[T]) identityIndex(obj client.Object) []string {
	if claim := k.identity(obj); claim != "" {
		return []string{claim}
	}
	return nil
}

// checkOwnership stops an object that stands for something that is another object's already.
func (r *Reconciler[T]) checkOwnership(ctx context.Context, p *pass[T]) bool {
	rivals, err := r.duplicates(ctx, p.before)
	if err != nil {
		p.facts.Problem = err
		return false
	}
	for _, rival := range rivals {
		if wins(rival, p.before) && (rival.GetDeletionTimestamp().IsZero() || hasFinalizer(rival)) {
			p.facts.Owner = r.nameOf(rival)
			return false
		}
	}
	return true
}

// skipIfShared leaves at Aiven what another object stands for too. That one goes on with it.
func (r *Reconciler[T]) skipIfShared(ctx context.Context, p *pass[T]) bool {
	rivals, err := r.duplicates(ctx, p.before)
	if err != nil {
		p.facts.Deletion.Err = err
		return false
	}
	for _, rival := range rivals {
		if rival.GetDeletionTimestamp().IsZero() {
			p.facts.Deletion.SharedWith = r.nameOf(rival)
			r.removeFinalizer(ctx, p)
			return false
		}
	}
	return true
}

// duplicates are the other objects that stand for the same thing.
func (r *Reconciler[T]) duplicates(ctx context.Context, obj T) ([]client.Object, error) {
	claim := r.kind.identity(obj)
	if claim == "" {
		return nil, nil
	}
	found, err := r.lister.List(ctx, client.MatchingFields{indexIdentity: claim})
	if err != nil {
		return nil, fmt.Errorf("looking for objects that stand for the same: %w", err)
	}
	var rivals []client.Object
	for _, other := range found {
		if other.GetUID() != obj.GetUID() {
			rivals = append(rivals, other)
		}
	}
	return rivals, nil
}

// wins says which of two objects has the claim: the one that has begun to work on it, else the older one.
func wins(a, b client.Object) bool {
	if hasFinalizer(a) != hasFinalizer(b) {
		return hasFinalizer(a)
	}
	created := a.GetCreationTimestamp()
	if other := b.GetCreationTimestamp(); !created.Equal(&other) {
		return created.Before(&other)
	}
	return a.GetUID() < b.GetUID()
}

func (r *Reconciler[T]) nameOf(obj client.Object) string {
	return r.gvk.Kind + " " + client.ObjectKeyFromObject(obj).String()
}
