package controllers

import (
	"context"

	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/rotation"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// readPublished reads what was published, for kinds whose credentials Aiven returns once.
func (r *Reconciler[T]) readPublished(ctx context.Context, p *pass[T]) (bool, error) {
	if !r.kind.CredentialsOnce {
		return true, nil
	}
	target, _ := connection.TargetOf(p.before, r.gvk.Kind, p.policies)
	p.env.Published, p.facts.Problem = r.publisher.Published(ctx, p.before, r.gvk, target)
	return p.facts.Problem == nil, p.facts.Problem
}

// rotate sets another password, if that is due and nothing else has been written.
func (r *Reconciler[T]) rotate(ctx context.Context, p *pass[T]) (bool, error) {
	next := rotation.Rotation{
		Publisher: r.publisher, Object: p.before, Kind: r.gvk, Policies: p.policies, Plan: p.plan.Action, Details: p.seen.Details,
		Acknowledge: rotation.Acknowledging(p.kind, p.obj),
	}
	if password := next.Next(ctx, &p.facts); password != "" {
		r.mutate(ctx, p, status.Rotated, rotation.Setting(p.kind, p.obj, p.seen, password))
	}
	return p.facts.Problem == nil, p.facts.Problem
}

func (r *Reconciler[T]) publish(ctx context.Context, p *pass[T]) (bool, error) {
	target, publishes := connection.TargetOf(p.before, r.gvk.Kind, p.policies)
	if !publishes {
		return true, nil
	}
	held := p.facts.Mutation != status.Created && p.facts.Provenance == nil && !p.facts.Adopts && (p.facts.ObserveOnly || p.seen.Remote.Exists)
	r.sources.Observed(p.before, r.gvk.Kind, target, held, p.seen.Details)
	p.facts.Secret = status.Secret{
		Applies: true, Disabled: target.Disabled, Name: target.Name, Withheld: held, Credentials: p.seen.Details.Credentials,
	}
	if held && !target.Disabled {
		return true, nil
	}
	err := p.env.Published.Problem // why lost credentials aren't issued again
	if target.Disabled || p.seen.Details.Empty() && err == nil {
		p.facts.Secret.Lost, p.facts.Problem = r.publisher.Lost(ctx, p.before, target,
			connection.Withheld{Details: p.seen.Details, Published: p.env.Published, Left: p.plan.Reason})
		return p.facts.Problem == nil, p.facts.Problem
	}
	if !p.seen.Details.Empty() {
		_, err = r.publisher.Publish(ctx, p.before, r.gvk, target, p.seen.Details)
	}
	p.facts.Secret.Published, p.facts.Secret.Err = err == nil, err
	p.facts.Secret.Conflict, p.facts.Secret.NoRoute = connection.Refusals(err)
	return true, err
}

// discard deletes the Secret that the object needed once, if the spec asks for it and the resource is there.
func (r *Reconciler[T]) discard(ctx context.Context, p *pass[T]) (bool, error) {
	if p.seen.Remote.Exists && p.facts.Mutation != status.Created {
		reports, refs := p.facts.ObserveOnly || p.facts.DriftMode(p.before) != "", p.before.GetCommonStatus().ResolvedRefs
		p.facts.Discarded = status.Discarded(r.references.Discard(ctx, p.before, r.kind.References, refs, reports))
	}
	return true, nil
}
