package controllers

import (
	"context"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// decide plans what to do about what was observed.
func (r *Reconciler[T]) decide(p *pass[T]) plan.Plan {
	_, marked := p.before.GetAnnotations()[annotation.Processed]
	return plan.Decide(plan.Input{
		Exists: p.seen.Remote.Exists, ObserveOnly: p.facts.ObserveOnly, Leave: status.DriftMode(p.before),
		Exhausted: r.convergence.Exhausted(p.before, p.seen.Diff),
		Diff:      p.seen.Diff, WriteOnly: p.seen.WriteOnly, WaitFor: p.seen.WaitFor,
		GenerationApplied: p.facts.GenerationApplied, SourcesChanged: reference.Changed(p.env.Refs.Refs(), p.before.GetCommonStatus().ResolvedRefs), CredentialsLost: r.credentialsLost(p),
		ApplyRequested: !marked && status.Accepted(p.before.GetCommonStatus(), p.before.GetGeneration()),
	})
}

// apply carries out the plan. It goes on to the Secret even if Aiven refuses a change: what exists can be connected to.
func (r *Reconciler[T]) apply(ctx context.Context, p *pass[T]) (bool, error) {
	if err := r.checkPublishable(ctx, p); err != nil {
		p.facts.Problem = err
		return false, err
	}
	switch p.plan.Action {
	case plan.Report:
		p.facts.Drift = status.Drift{Reason: p.plan.Reason, Entries: p.seen.Diff}
	case plan.Wait:
		p.facts.WaitFor = p.seen.WaitFor
	case plan.Create:
		p.facts.Recreated = status.SeenBefore(p.before)
		r.create(ctx, p)
	default:
		r.correct(ctx, p)
	}
	if p.seen.Remote.Active && len(p.seen.Diff) == 0 {
		r.convergence.Reset(p.before)
	}
	return true, p.facts.MutateErr
}

// correct changes a resource that exists, if the plan is to do so.
func (r *Reconciler[T]) correct(ctx context.Context, p *pass[T]) {
	diff := p.seen.Diff
	switch p.plan.Action {
	case plan.Update:
		p.facts.Changes = p.plan.Changes
		r.mutate(ctx, p, status.Updated, func(ctx context.Context) (Observation, error) { return p.kind.Update(ctx, p.obj, p.seen) })
		if p.facts.MutateErr == nil && len(diff) > 0 {
			r.convergence.Accepted(p.before, diff)
		}
	case plan.Reset:
		r.mutate(ctx, p, status.Updated, func(ctx context.Context) (Observation, error) {
			return p.kind.(CredentialsResetter[T]).ResetCredentials(ctx, p.obj, p.seen)
		})
	}
}

// create makes the resource. That it exists by now, although it was not observed, means that an answer was lost or that
// another client was faster: a second observation decides.
func (r *Reconciler[T]) create(ctx context.Context, p *pass[T]) {
	r.mutate(ctx, p, status.Created, func(ctx context.Context) (Observation, error) { return p.kind.Create(ctx, p.obj) })
	if fault.Of(p.facts.MutateErr).Class != fault.Exists {
		return
	}
	if seen, err := p.kind.Observe(ctx, p.obj); err == nil && seen.Remote.Exists {
		p.facts.MutateErr, p.facts.Recreated, p.seen = nil, false, seen
		p.record()
		p.plan = r.decide(p)
		r.correct(ctx, p)
	}
}

func (r *Reconciler[T]) mutate(ctx context.Context, p *pass[T], what status.Mutation, call func(context.Context) (Observation, error)) {
	ctx, span := tracing.Start(ctx, what.Verb())
	seen, err := call(ctx)
	if span.End(err) != nil {
		p.facts.MutateErr = err
		return
	}
	p.facts.Mutation, p.seen = what, seen
	p.record()
}
