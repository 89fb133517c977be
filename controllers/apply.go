package controllers

import (
	"context"

	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// decide plans what to do about what was observed.
func (r *Reconciler[T]) decide(p *pass[T]) plan.Plan {
	return plan.Decide(plan.Input{
		Exists: p.seen.Remote.Exists, ObserveOnly: p.facts.ObserveOnly, Leave: status.DriftMode(p.before),
		Exhausted: r.convergence.Exhausted(p.before, p.seen.Diff, p.env.Refs.SecretVersions()),
		Diff:      p.seen.Diff, WriteOnly: p.seen.WriteOnly, WaitFor: p.seen.WaitFor,
		GenerationApplied: p.facts.GenerationApplied, ApplyRequested: status.ApplyRequested(p.before, p.before.GetCommonStatus()),
		SourcesChanged:  reference.Changed(p.env.Refs.Refs(), p.before.GetCommonStatus().ResolvedRefs),
		CredentialsLost: r.kind.CredentialsOnce && p.seen.Remote.Exists && p.env.Published.Lacks(p.seen.Details),
	})
}

// apply carries out the plan. It goes on to the Secret even if Aiven refuses a change: what exists can be connected to.
func (r *Reconciler[T]) apply(ctx context.Context, p *pass[T]) (bool, error) {
	r.carryOut(ctx, p)
	if p.plan.Action == plan.Create && fault.Is(p.facts.MutateErr, fault.Exists) && r.planAgain(ctx, p) {
		r.carryOut(ctx, p)
	}
	r.withdraw(ctx, p)
	if p.facts.Problem != nil {
		return false, p.facts.Problem
	}
	if p.facts.Mutation == status.Unchanged && p.seen.Remote.Active && len(p.seen.Diff) == 0 { // as a read shows it
		r.convergence.Reset(p.before)
	}
	return true, p.facts.MutateErr
}

// carryOut makes the changes that the plan has.
func (r *Reconciler[T]) carryOut(ctx context.Context, p *pass[T]) {
	p.facts.Drift, p.facts.Unapplied = status.Drift{Reason: p.plan.Reason, Entries: p.plan.Left}, p.plan.Unapplied
	switch seen := p.seen; p.plan.Action {
	case plan.Wait:
		p.facts.WaitFor = seen.WaitFor
	case plan.Create:
		p.facts.Recreated = status.SeenBefore(p.before)
		r.mutate(ctx, p, status.Created, func(ctx context.Context) (Observation, error) { return p.kind.Create(ctx, p.obj) })
	case plan.Update:
		p.facts.Changes, seen.Diff, seen.WriteOnly = p.plan.Changes(), p.plan.Diff, p.plan.WriteOnly
		r.mutate(ctx, p, status.Updated, func(ctx context.Context) (Observation, error) { return p.kind.Update(ctx, p.obj, seen) })
		if p.facts.MutateErr == nil && len(seen.Diff) > 0 {
			r.convergence.Accepted(p.before, seen.Diff, p.env.Refs.SecretVersions())
		}
	case plan.Reset:
		target, _ := connection.TargetOf(p.before, r.gvk.Kind)
		p.facts.Overwriters = p.env.Published.Writers(seen.Details)
		if p.env.Published.Problem = r.publisher.DryRun(ctx, p.before, r.gvk, target, p.seen.Details); p.env.Published.Problem == nil {
			r.mutate(ctx, p, status.Reset, func(ctx context.Context) (Observation, error) {
				return p.kind.(CredentialsResetter[T]).ResetCredentials(ctx, p.obj, seen)
			})
		}
	}
}

// planAgain observes and plans after a create of what exists: an answer was lost, or another client was faster. It reports
// false if the resource isn't shown yet.
func (r *Reconciler[T]) planAgain(ctx context.Context, p *pass[T]) bool {
	seen, err := p.kind.Observe(ctx, p.obj)
	if err != nil || !seen.Remote.Exists {
		return false
	}
	p.facts.MutateErr, p.facts.Recreated, p.seen = nil, false, seen
	p.record()
	p.plan = r.decide(p)
	return true
}

func (r *Reconciler[T]) mutate(ctx context.Context, p *pass[T], what status.Mutation, call func(context.Context) (Observation, error)) {
	r.publisher.Returned.Forget(p.before.GetUID())
	ctx, span := tracing.Start(ctx, what.Verb())
	seen, err := call(ctx)
	span.End(p.facts.Secrets.Redacted(err))
	if err != nil {
		p.facts.MutateErr = err
		return
	}
	r.publisher.Returned.Record(p.before.GetUID(), seen.Details, what == status.Reset)
	p.facts.Mutation, p.seen = what, seen
	p.record()
}
