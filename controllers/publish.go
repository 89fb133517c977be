package controllers

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// sourcesChanged reports whether a Secret that the spec names has changed since it was applied.
func (p *pass[T]) sourcesChanged() bool { return false }

// credentialsLost reports whether credentials that Aiven returns once have to be issued anew.
func (p *pass[T]) credentialsLost() bool { return false }

func (r *Reconciler[T]) publish(ctx context.Context, p *pass[T]) (bool, error) {
	kind, publishes := any(p.before).(publisher)
	if !publishes {
		return true, nil
	}
	target := connection.TargetOf(p.before, r.gvk.Kind, kind.GetSecretFields())
	p.facts.Secret = status.Secret{Applies: true, Disabled: target.Disabled, Name: target.Name}
	if target.Disabled || p.seen.Details.Empty() {
		return true, nil
	}
	_, err := r.publisher.Publish(ctx, p.before, r.gvk, target, p.seen.Details)
	var foreign *connection.OwnershipError
	p.facts.Secret.Published, p.facts.Secret.Err, p.facts.Secret.Conflict = err == nil, err, errors.As(err, &foreign)
	return true, err
}
