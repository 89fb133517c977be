package controllers

import (
	"context"

	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// checkOwnership stops if another object owns the same Aiven resource.
func (r *Reconciler[T]) checkOwnership(ctx context.Context, p *pass[T]) (bool, error) {
	p.duplicates, p.facts.Problem = r.identities.DuplicatesOf(ctx, r.shape, p.before)
	if p.facts.Problem != nil {
		return false, p.facts.Problem
	}
	if owner, owned := r.identities.Reservations.OwnerOf(r.shape.Reservation(p.before), p.before, p.duplicates); owned {
		p.facts.Owner, p.facts.OwnerOfOtherKind, p.facts.OwnerPending = owner.Within(p.before.GetNamespace()), owner.OtherKind, !ownership.IsRecorded(owner.Object)
		p.facts.Problem = r.withdraw(ctx, p, ownership.Yield(p.before, owner.Object))
		return false, p.facts.Problem
	}
	p.facts.Problem = r.identities.WithdrawOthers(ctx, r.store.PatchOther, r.shape, p.before)
	return p.facts.Problem == nil, p.facts.Problem
}

// skipIfShared keeps the Aiven resource if another object owns it, or is to own it from now on. What earlier specs have asked for is deleted.
func (r *Reconciler[T]) skipIfShared(ctx context.Context, p *pass[T]) (bool, error) {
	d := &p.facts.Deletion
	if d.SharedWith, d.Blocked, d.Err = r.identities.Keep(ctx, r.store.Client, r.shape, p.before, r.now()); d.SharedWith == "" || ownership.HasFormer(p.before) {
		return d.Blocked == "" && d.Err == nil, d.Err
	}
	return r.removeFinalizer(ctx, p)
}
