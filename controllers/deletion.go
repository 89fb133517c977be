package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// checkProvenance lets the object go without a call if it owns nothing at Aiven: every user can set a finalizer.
func (r *Reconciler[T]) checkProvenance(ctx context.Context, p *pass[T]) (bool, error) {
	p.facts.Deletion.Since = p.before.GetDeletionTimestamp().Time
	if p.facts.Provenance != nil && !p.reservation.Disproves() {
		p.facts.Problem = r.identities.WithdrawOthers(ctx, r.store.PatchOther, r.shape, p.before)
		return p.facts.Problem == nil, p.facts.Problem
	}
	if p.facts.Problem = r.store.Confirm(ctx, p.before); p.facts.Problem != nil {
		return false, p.facts.Problem
	}
	p.facts.Deletion.NotOwned = true
	return r.removeFinalizer(ctx, p)
}

// checkOrphan lets the object go without a call if its resource is to stay.
func (r *Reconciler[T]) checkOrphan(ctx context.Context, p *pass[T]) (bool, error) {
	if wanted, _ := policy.DeletionOf(p.before); wanted != policy.Orphan && !p.facts.ObserveOnly {
		return true, nil
	}
	p.facts.Deletion.Orphaned = true
	return r.removeFinalizer(ctx, p)
}

func (r *Reconciler[T]) checkProtection(_ context.Context, p *pass[T]) (bool, error) {
	p.facts.Deletion.Protected = r.kind.Protected != nil && r.kind.Protected(p.before)
	return !p.facts.Deletion.Protected, nil
}

// checkGuards waits for what holds the deletion back, such as objects that refer to this one and need it.
func (r *Reconciler[T]) checkGuards(ctx context.Context, p *pass[T]) (bool, error) {
	d := &p.facts.Deletion
	d.Blocked, d.Err = r.guards.Blocked(ctx, p.before)
	return d.Blocked == "" && d.Err == nil, d.Err
}

// resolveForDeletion follows the references: a deletion goes on without those that are missing, but not without an answer.
func (r *Reconciler[T]) resolveForDeletion(ctx context.Context, p *pass[T]) (bool, error) {
	p.env.Refs, p.env.Shared = r.references.Resolve(ctx, p.before, r.kind.References), p.facts.Deletion.SharedWith != ""
	p.facts.Secrets, p.facts.Deletion.Err = p.env.Refs.Secrets(r.shape.Secrets(p.before)...), p.env.Refs.Err()
	return p.facts.Deletion.Err == nil, p.facts.Deletion.Err
}

// delete asks Aiven to delete, and records how far that got.
func (r *Reconciler[T]) delete(ctx context.Context, p *pass[T]) (bool, error) {
	d := &p.facts.Deletion
	outcome := deletion.Of(r.kind.New(p.env).Delete(ctx, p.obj))
	d.Requested, d.Blocked, d.Err = outcome.Pending, outcome.Blocked, outcome.Err
	return outcome.Done, outcome.Err
}

// removeFinalizer lets the object go, as the last step. Its Secret goes with it, by garbage collection.
func (r *Reconciler[T]) removeFinalizer(ctx context.Context, p *pass[T]) (bool, error) {
	err := r.store.PatchMetadata(ctx, p.before, "removing the finalizer", ownership.End)
	if p.facts.Deletion.Err = client.IgnoreNotFound(err); p.facts.Deletion.Err != nil {
		return false, err
	}
	r.convergence.Reset(p.before)
	p.reservation.Release()
	r.publisher.Returned.Forget(p.before.GetUID())
	p.facts.Deletion.Gone = true
	return false, nil
}
