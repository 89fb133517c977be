package controllers

import (
	"cmp"
	"context"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/store"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// decide plans what to do about what was observed.
func (r *Reconciler[T]) decide(ctx context.Context, p *pass[T]) (plan.Plan, error) {
	adoption := policy.AdoptionOf(p.before, p.policies)
	lost, err := r.identities.IsLost(ctx, p.before, ownership.Loss{
		Exists: p.seen.Remote.Exists, HoldsData: r.kind.HoldsData, Recreates: policy.Recreates(p.before, p.policies),
		Kept: p.facts.DriftMode(p.before) != "", Provenance: cmp.Or(p.facts.Provenance, ownership.Recorded(p.before)),
		Containers: r.shape.Containers(p.before),
	})
	p.facts.Adopts, p.facts.LosesData = adoption.Adopts, len(p.seen.Held.Diff) > 0
	p.facts.Uncompared = p.seen.Remote.Unread || p.seen.Remote.Exists && p.seen.WaitFor != "" && len(p.seen.Diff) == 0
	before, refs := p.before.GetCommonStatus(), p.env.Refs.Refs()
	return plan.Decide(plan.Input{
		Exists: p.seen.Remote.Exists, ObserveOnly: p.facts.ObserveOnly, Leave: p.facts.DriftMode(p.before),
		Owned: p.facts.Provenance != nil, Free: p.seen.Free, Adoption: adoption, Lost: lost,
		Exhausted: func(due Diff) bool { return r.convergence.Exhausted(p.before, due, p.env.Refs.SecretVersions()) },
		Diff:      p.seen.Diff, Newer: p.seen.Newer, Held: p.seen.Held, WriteOnly: p.seen.WriteOnly,
		Wanted: p.seen.Wanted, WaitFor: p.seen.WaitFor,
		First: p.facts.Generation == 1, GenerationApplied: p.facts.GenerationApplied, ApplyRequested: ownership.RequestsApply(p.before),
		RestApplied: status.RestApplied(p.before, before), SourcesChanged: reference.Changed(refs, before.ResolvedRefs),
		Proven:          ownership.Accepts(p.before) || ownership.IsTakeover(p.before),
		CredentialsLost: r.kind.CredentialsOnce && p.seen.Remote.Exists && p.env.Published.Lacks(p.seen.Details),
		Review: plan.ReviewOf(p.before, plan.Rules{
			Kind: r.gvk.Kind, Defaults: p.policies, Secrets: p.env.Refs.SecretVersions(), Conceal: p.facts.Concealed, Controller: p.kind,
			Accepted: ownership.AcceptsAll(p.before, reference.Replaced(refs, before.ResolvedRefs)),
		}),
	}), err
}

// apply carries out the plan. It goes on to the Secret even if Aiven refuses a change: what exists can be connected to.
func (r *Reconciler[T]) apply(ctx context.Context, p *pass[T]) (bool, error) {
	r.carryOut(ctx, p)
	if p.facts.Problem != nil || p.plan.Action == plan.Refuse {
		return false, p.facts.Problem
	}
	if p.facts.Mutation == status.Unchanged && p.seen.Remote.Active && len(p.seen.Diff) == 0 { // as a read shows it
		r.convergence.Reset(p.before)
	}
	return true, p.facts.MutateErr
}

// carryOut makes the changes that the plan has.
func (r *Reconciler[T]) carryOut(ctx context.Context, p *pass[T]) {
	p.facts.Drift = status.Drift{Reason: p.plan.Reason, Entries: p.plan.Left}
	p.facts.Unapplied, p.facts.Unconfirmed, p.facts.Pending = p.plan.Unapplied, p.plan.Unconfirmed, p.plan.Pending
	p.facts.Refused, p.facts.RefusedNote = p.plan.Refusal, p.plan.Note
	switch seen := p.seen; p.plan.Action {
	case plan.Wait:
		p.facts.WaitFor = seen.WaitFor
	case plan.Create:
		p.facts.Recreated = status.SeenBefore(p.before)
		create := func(ctx context.Context) (Observation, error) { return p.kind.Create(ctx, p.obj) }
		r.mutate(ctx, p, status.Created, connection.IfPossible(p.before, r.gvk, create))
		metrics.CountCreation(r.gvk.Kind, p.facts.Provenance, aiven.MayHaveApplied(p.facts.MutateErr))
		r.settle(ctx, p)
	case plan.Update:
		p.facts.Changes, p.facts.Replaced = p.plan.Changes(), p.plan.Diff
		seen.Diff, seen.WriteOnly, seen.Held.Diff = p.plan.Diff, p.plan.WriteOnly, p.plan.Held
		r.mutate(ctx, p, status.Updated, func(ctx context.Context) (Observation, error) { return p.kind.Update(ctx, p.obj, seen) })
		if p.facts.MutateErr == nil && len(seen.Diff) > 0 {
			r.convergence.Accepted(p.before, seen.Diff, p.env.Refs.SecretVersions())
		}
	case plan.Reset:
		target, _ := connection.TargetOf(p.before, r.gvk.Kind, p.policies)
		p.facts.Overwriters = p.env.Published.Writers(seen.Details)
		if p.env.Published.Problem = r.publisher.DryRun(ctx, p.before, r.gvk, target, p.seen.Details); p.env.Published.Problem == nil {
			r.mutate(ctx, p, status.Reset, func(ctx context.Context) (Observation, error) {
				return p.kind.(CredentialsResetter[T]).ResetCredentials(ctx, p.obj, seen)
			})
		}
	}
}

// settle ends a create. What exists was made by an attempt of this object whose answer was lost, unless Aiven has answered to each: then it
// is another client's, as is what that makes later. A former service may come back: it isn't younger by an attempt that changed nothing.
func (r *Reconciler[T]) settle(ctx context.Context, p *pass[T]) {
	unchanged, recorded, exists := aiven.ChangedNothing(ctx, p.facts.MutateErr), ownership.IsRecorded(p.before), false
	none := p.reservation.Answer(unchanged) && !recorded
	if unchanged && recorded {
		p.facts.Provenance, p.facts.Problem = p.writer.RestoreProvenance(ctx)
	}
	if p.facts.Problem == nil && fault.Is(p.facts.MutateErr, fault.Exists) {
		if seen, err := p.kind.Observe(ctx, p.obj); err == nil && seen.Remote.Exists {
			p.seen, exists = seen, true
		}
	}
	switch {
	case exists && none:
		p.facts.Problem = cmp.Or(r.withdraw(ctx, p, ownership.Withdraw(p.before)), store.ErrStale) // the next attempt asks for consent
	case exists:
		p.facts.MutateErr, p.facts.Recreated = nil, false
		p.facts.Provenance = cmp.Or(p.facts.Provenance, ownership.Created(p.before))
		p.record()
		if p.plan, p.facts.Problem = r.decide(ctx, p); p.facts.Problem == nil {
			r.carryOut(ctx, p)
		}
	case (none || p.facts.Provenance == nil) && aiven.Refused(ctx, p.facts.MutateErr):
		p.facts.Problem = r.withdraw(ctx, p, ownership.Withdraw(p.before))
	}
}

func (r *Reconciler[T]) mutate(ctx context.Context, p *pass[T], what status.Mutation, call func(context.Context) (Observation, error)) {
	r.publisher.Returned.Forget(p.before.GetUID())
	p.reservation.Ask(what == status.Created)
	ctx, span := tracing.Start(ctx, what.Verb())
	seen, err := call(ctx)
	span.End(p.facts.Secrets.Redacted(err))
	if p.facts.MutateErr = err; err != nil {
		return
	}
	r.publisher.Returned.Record(p.before.GetUID(), seen.Details, what == status.Reset)
	p.facts.Mutation, p.seen = what, seen
	p.record()
}
