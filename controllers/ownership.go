package controllers

import (
	"context"
	"fmt"

	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// checkOwnership stops if another object manages the same Aiven resource.
func (r *Reconciler[T]) checkOwnership(ctx context.Context, p *pass[T]) (bool, error) {
	duplicates, err := r.duplicates(ctx, p.before)
	if err != nil {
		p.facts.Problem = err
		return false, err
	}
	if owner, managed := ownership.OwnerOf(p.before, duplicates); managed {
		p.facts.Owner, p.facts.OwnerOfOtherKind = owner.String(), owner.OtherKind
		return false, nil
	}
	return true, nil
}

// skipIfShared keeps the Aiven resource if another object manages it, too.
func (r *Reconciler[T]) skipIfShared(ctx context.Context, p *pass[T]) (bool, error) {
	duplicates, err := r.duplicates(ctx, p.before)
	if err != nil {
		p.facts.Deletion.Err = err
		return false, err
	}
	other, shared := ownership.HeirOf(duplicates)
	if !shared {
		return true, nil
	}
	p.facts.Deletion.SharedWith = other.String()
	_, err = r.removeFinalizer(ctx, p)
	return false, err
}

func (r *Reconciler[T]) duplicates(ctx context.Context, obj T) ([]ownership.Duplicate, error) {
	if r.kind.Identity(obj) == (Identity{}) {
		return nil, fmt.Errorf("the Identity of kind %s is empty for this object: return an Entry, a Name, or NoIdentity", r.gvk.Kind)
	}
	return r.identities.Duplicates(ctx, r.shape.Group(), r.shape.IdentityOf(obj), obj)
}
