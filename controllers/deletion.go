package controllers

import (
	"context"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// The stations of the delete path.

func (r *Reconciler[T]) startDeletion(_ context.Context, p *pass[T]) (bool, error) {
	p.facts.Deletion.Since = p.before.GetDeletionTimestamp().Time
	return true, nil
}

// checkOrphan lets the object go without a call if its resource is to stay.
func (r *Reconciler[T]) checkOrphan(ctx context.Context, p *pass[T]) (bool, error) {
	if wanted, _ := policy.DeletionOf(p.before); wanted != policy.Orphan && !p.facts.ObserveOnly {
		return true, nil
	}
	p.facts.Deletion.Orphaned = true
	_, err := r.removeFinalizer(ctx, p)
	return false, err
}

func (r *Reconciler[T]) checkProtection(_ context.Context, p *pass[T]) (bool, error) {
	p.facts.Deletion.Protected = r.kind.Protected != nil && r.kind.Protected(p.before)
	return !p.facts.Deletion.Protected, nil
}

// checkReferrers waits for the objects that refer to this one and need it.
func (r *Reconciler[T]) checkReferrers(ctx context.Context, p *pass[T]) (bool, error) {
	referrers, err := r.guards.Referrers(ctx, p.before)
	if err != nil {
		p.facts.Deletion.Err = err
		return false, err
	}
	if len(referrers) == 0 {
		return true, nil
	}
	p.facts.Deletion.Blocked = "Referred to by " + strings.Join(referrers, ", ") + ". Delete what refers to it first"
	return false, nil
}

// resolveForDeletion follows the references: a deletion goes on without those that are missing, but not without an answer.
func (r *Reconciler[T]) resolveForDeletion(ctx context.Context, p *pass[T]) (bool, error) {
	p.env.Refs = r.references.Resolve(ctx, p.before, r.kind.References)
	p.facts.Secrets, p.facts.Deletion.Err = p.env.Refs.Secrets(r.shape.Secrets(p.before)...), p.env.Refs.Err()
	return p.facts.Deletion.Err == nil, p.facts.Deletion.Err
}

// resolveTokenForDeletion goes on without a token if nothing was ever created with one.
func (r *Reconciler[T]) resolveTokenForDeletion(ctx context.Context, p *pass[T]) (bool, error) {
	_, err := r.resolveToken(ctx, p)
	if err != nil && !ownership.Attempted(p.before) && (p.facts.TokenMissing || fault.Is(err, fault.Unauthorized)) {
		p.facts.TokenErr, p.facts.TokenMissing, p.neverCreated = nil, false, true
		return true, nil
	}
	p.facts.Deletion.Err = err
	return err == nil, err
}

// delete asks Aiven to delete, and records how far that got.
func (r *Reconciler[T]) delete(ctx context.Context, p *pass[T]) (bool, error) {
	if p.neverCreated {
		return true, nil
	}
	d := &p.facts.Deletion
	outcome := deletion.Of(r.kind.New(p.env).Delete(ctx, p.obj), ownership.Attempted(p.before))
	d.Requested, d.Blocked, d.Err = outcome.Pending, outcome.Blocked, outcome.Err
	return outcome.Done, outcome.Err
}

// removeFinalizer lets the object go. Its Secret goes with it, by garbage collection.
func (r *Reconciler[T]) removeFinalizer(ctx context.Context, p *pass[T]) (bool, error) {
	err := r.store.PatchMetadata(ctx, p.before, "removing the finalizer", ownership.End)
	if p.facts.Deletion.Err = client.IgnoreNotFound(err); p.facts.Deletion.Err != nil {
		return false, err
	}
	r.convergence.Reset(p.before)
	r.publisher.Returned.Forget(p.before.GetUID())
	p.facts.Deletion.Gone = true
	return true, nil
}
