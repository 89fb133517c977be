package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// addFinalizer persists, before the first write at Aiven, what makes sure that it is cleaned up: the finalizer, that a
// create is about to be tried, and the token that the clean-up will need. Until then the object can go at any time.
func (r *Reconciler[T]) addFinalizer(ctx context.Context, p *pass[T]) (bool, error) {
	creates := p.plan.Action == plan.Create
	begun := ownership.HasFinalizer(p.before) && (!creates || ownership.Attempted(p.before))
	if p.facts.ObserveOnly || !creates && !p.seen.Remote.Exists || begun {
		return true, nil
	}
	if err := r.secretFinalizer.ProtectTokenOf(ctx, p.before); err != nil {
		p.facts.Problem = err
		return false, err
	}
	err := r.store.PatchMetadata(ctx, p.before, func(obj client.Object) bool { return ownership.Begin(obj, creates) })
	if err != nil {
		p.facts.Problem = fmt.Errorf("adding the finalizer: %w", err)
	}
	return err == nil, err
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
