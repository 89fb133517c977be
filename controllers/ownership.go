package controllers

import (
	"cmp"
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/store"
)

// checkOwnership stops if another object owns the same Aiven resource.
func (r *Reconciler[T]) checkOwnership(ctx context.Context, p *pass[T]) (bool, error) {
	p.duplicates, p.facts.Problem = r.identities.DuplicatesOf(ctx, r.shape, p.before)
	if p.facts.Problem != nil {
		return false, p.facts.Problem
	}
	if owner, owned := p.reservation.OwnerOf(p.duplicates); owned {
		p.facts.Owner, p.facts.OwnerOfOtherKind = owner.Within(p.before.GetNamespace()), owner.OtherKind
		p.facts.OwnerPending = !ownership.IsRecorded(owner.Object)
		p.facts.Problem = r.withdraw(ctx, p, ownership.Yield(p.before, owner.Object))
		return false, p.facts.Problem
	}
	p.facts.Problem = r.identities.WithdrawOthers(ctx, r.store.PatchOther, r.shape, p.before)
	return p.facts.Problem == nil, p.facts.Problem
}

// skipIfShared keeps the Aiven resource if another object owns it, or is to own it from now on. What earlier specs have asked for is
// deleted.
func (r *Reconciler[T]) skipIfShared(ctx context.Context, p *pass[T]) (bool, error) {
	d := &p.facts.Deletion
	d.SharedWith, d.Blocked, d.Err = r.identities.Keep(ctx, r.store.Client, r.shape, p.before, r.now())
	if d.SharedWith == "" || ownership.HasFormer(p.before) {
		return d.Blocked == "" && d.Err == nil, d.Err
	}
	return r.removeFinalizer(ctx, p)
}

// addFinalizer persists, before the first write at Aiven, what makes sure that it is cleaned up: the finalizer, that a create is
// about to be tried or the resource is adopted, and the token of the clean-up. Until then the object can go at any time.
func (r *Reconciler[T]) addFinalizer(ctx context.Context, p *pass[T]) (bool, error) {
	creates := p.plan.Action == plan.Create
	manages := p.seen.Remote.Exists && (p.facts.Provenance != nil || p.plan.Action != plan.Wait) // what waits may not be there
	if p.facts.ObserveOnly || p.plan.Action == plan.Refuse || !creates && !manages {
		return true, nil
	}
	if p.seen.Remote.Exists && !ownership.IsRecorded(p.before) && p.reservation.MadeNothing() {
		p.facts.Problem = cmp.Or(r.withdraw(ctx, p, ownership.Withdraw(p.before)), store.ErrStale) // another client has made it since
		return false, p.facts.Problem
	}
	if !p.reservation.Permits(creates, p.duplicates) {
		p.facts.Provenance, p.facts.MutateErr = nil, ownership.ErrReserved
		return false, p.facts.MutateErr
	}
	if ownership.Begin(p.before.DeepCopyObject().(T), creates) {
		p.facts.Problem = r.begin(ctx, p, creates)
		p.reservation.Settle(p.facts.Problem == nil)
	}
	next := ownership.Next(p.before, p.facts.Provenance, creates, creates && r.kind.IsService, p.facts.Now)
	if next != nil && p.facts.Problem == nil {
		r.secretFinalizer.Keep(ctx, p.before, ownership.HasFinalizer(p.before)) // else the Secret was protected with the finalizer
		p.facts.Provenance, p.facts.Problem = next, p.writer.WriteRecord(ctx, func(obj T) { ownership.Record(obj, next) })
	}
	return p.facts.Problem == nil, p.facts.Problem
}

// begin is store.ErrStale where another process has begun, and the cache doesn't show it yet.
func (r *Reconciler[T]) begin(ctx context.Context, p *pass[T], creates bool) error {
	if err := r.secretFinalizer.ProtectTokenOf(ctx, p.before); err != nil {
		return err
	}
	began := false
	err := r.store.PatchMetadata(ctx, p.before, "adding the finalizer", func(obj client.Object) bool {
		began = ownership.Begin(obj, creates)
		return began
	})
	if err == nil && !began { // what a previous leader has created may not be shown yet
		err = store.ErrStale
	}
	return err
}

// withdraw takes back what was added for a create that made nothing: what another client makes isn't the object's.
func (r *Reconciler[T]) withdraw(ctx context.Context, p *pass[T], edit func(client.Object) bool) error {
	err := client.IgnoreNotFound(r.store.PatchMetadata(ctx, p.before, "removing the finalizer", edit))
	p.reservation.Settle(err != nil)
	return err
}

// persistIntent stores, for kinds that ask for it, the kind's own status fields before the first write at Aiven.
func (r *Reconciler[T]) persistIntent(ctx context.Context, p *pass[T]) (bool, error) {
	if !r.kind.PersistIntent || !p.plan.Writes() {
		return true, nil
	}
	if kind, records := p.kind.(interface{ RecordIntent(obj T) }); records {
		kind.RecordIntent(p.obj)
	}
	p.facts.Problem = p.writer.WriteIntent(ctx, p.obj)
	return p.facts.Problem == nil, p.facts.Problem
}
