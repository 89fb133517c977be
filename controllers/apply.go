package controllers

import (
	"context"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// apply goes on to the Secret even if Aiven refuses a change: what is there already can be connected to.
func (r *Reconciler[T]) apply(ctx context.Context, p *pass[T]) bool {
	due := !p.seen.Remote.Exists || len(p.seen.Diff) > 0 || r.forced(p)
	reason := status.DriftMode(p.before)
	if p.facts.ObserveOnly {
		reason = condition.ReasonReportOnly
	}
	if reason == "" && r.convergence.Exhausted(p.before, p.seen.Diff) {
		reason = condition.ReasonNotConverging
	}
	switch {
	case p.seen.Remote.Exists && reason != "":
		p.facts.Drift = status.Drift{Reason: reason, Entries: p.seen.Diff}
	case p.facts.ObserveOnly:
	case due && p.seen.WaitFor != "":
		p.facts.WaitFor = p.seen.WaitFor
	case !p.seen.Remote.Exists:
		p.facts.Recreated = status.SeenBefore(p.before)
		r.create(ctx, p)
	default:
		r.correct(ctx, p)
	}
	if p.seen.Remote.Active && len(p.seen.Diff) == 0 {
		r.convergence.Reset(p.before)
	}
	return true
}

// correct repairs what differs in a resource that exists.
func (r *Reconciler[T]) correct(ctx context.Context, p *pass[T]) {
	switch {
	case len(p.seen.Diff) > 0:
		p.facts.Changes = p.seen.Diff.Paths()
		r.update(ctx, p)
	case r.forced(p):
		p.facts.Changes = p.seen.WriteOnly
		r.update(ctx, p)
	}
}

func (r *Reconciler[T]) update(ctx context.Context, p *pass[T]) {
	diff := p.seen.Diff
	r.mutate(ctx, p, status.Updated, func(ctx context.Context) (Observation, error) { return p.kind.Update(ctx, p.obj, p.seen) })
	if p.facts.MutateErr == nil && len(diff) > 0 {
		r.convergence.Accepted(p.before, diff)
	}
}

// create makes the resource. That it exists by now, although it did not when we looked, means that an answer was lost
// or that somebody was faster: either way a second look tells.
func (r *Reconciler[T]) create(ctx context.Context, p *pass[T]) {
	r.mutate(ctx, p, status.Created, func(ctx context.Context) (Observation, error) { return p.kind.Create(ctx, p.obj) })
	if fault.Of(p.facts.MutateErr).Class == fault.Exists {
		if seen, err := p.kind.Observe(ctx, p.obj); err == nil && seen.Remote.Exists {
			p.facts.MutateErr, p.facts.Recreated, p.seen = nil, false, seen
			p.record()
			r.correct(ctx, p)
		}
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

// forced says whether an update is due although no difference shows: the spec has changed in something that Aiven
// doesn't report on, or somebody has removed the annotation, which asks for a fresh apply.
func (r *Reconciler[T]) forced(p *pass[T]) bool {
	_, marked := p.before.GetAnnotations()[annotation.Processed]
	unsent := len(p.seen.WriteOnly) > 0 && !p.facts.GenerationApplied
	return unsent || !marked && status.Accepted(p.before.GetCommonStatus(), p.before.GetGeneration())
}
