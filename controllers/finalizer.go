package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/store"
)

// addFinalizer persists, before the first write at Aiven, what makes sure that it is cleaned up: the finalizer, that a
// create is about to be tried, and the token that the clean-up will need. Until then the object can go at any time.
func (r *Reconciler[T]) addFinalizer(ctx context.Context, p *pass[T]) (bool, error) {
	creates := p.plan.Action == plan.Create
	if p.facts.ObserveOnly || !creates && !p.seen.Remote.Exists || !ownership.Begin(p.before.DeepCopyObject().(T), creates) {
		return true, nil
	}
	if err := r.secretFinalizer.ProtectTokenOf(ctx, p.before); err != nil {
		p.facts.Problem = err
		return false, err
	}
	began := false
	p.facts.Problem = r.store.PatchMetadata(ctx, p.before, "adding the finalizer", func(obj client.Object) bool { began = ownership.Begin(obj, creates); return began })
	if p.facts.Problem == nil && !began { // a previous leader has: what it has created may not be shown yet
		p.facts.Problem = store.ErrStale
	}
	return p.facts.Problem == nil, p.facts.Problem
}

// withdraw takes back what this reconcile has added if Aiven has refused the create: what another client makes under the name
// isn't the object's. What was there before may be about an earlier create, whose end isn't known.
func (r *Reconciler[T]) withdraw(ctx context.Context, p *pass[T]) {
	if p.plan.Action == plan.Create && !ownership.Begun(p.before) && aiven.Refused(ctx, p.facts.MutateErr) {
		p.facts.Problem = client.IgnoreNotFound(r.store.PatchMetadata(ctx, p.before, "removing the finalizer", ownership.Withdraw))
	}
}

// persistIntent stores, for kinds that ask for it, the kind's own status fields before the first write at Aiven.
func (r *Reconciler[T]) persistIntent(ctx context.Context, p *pass[T]) (bool, error) {
	if !r.kind.PersistIntent || !p.plan.Writes() {
		return true, nil
	}
	if kind, records := p.kind.(interface{ RecordIntent(obj T) }); records {
		kind.RecordIntent(p.obj)
	}
	err := p.writer.WriteOwnFields(ctx, p.obj)
	if err != nil {
		p.facts.Problem = fmt.Errorf("recording what is going to be written at Aiven: %w", err)
	}
	return err == nil, err
}
