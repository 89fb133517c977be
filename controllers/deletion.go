package controllers

import (
	"context"
	"errors"
	"fmt"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// The stations of the delete path.

func (r *Reconciler[T]) startDeletion(_ context.Context, p *pass[T]) bool {
	p.facts.Deletion = &status.Deletion{}
	return true
}

func (r *Reconciler[T]) orphan(ctx context.Context, p *pass[T]) bool {
	if wanted, _ := policy.DeletionOf(p.before); wanted != policy.Orphan && !p.facts.ObserveOnly {
		return true
	}
	p.facts.Deletion.Orphaned = true
	r.removeFinalizer(ctx, p)
	return false
}

func (r *Reconciler[T]) protection(_ context.Context, p *pass[T]) bool {
	p.facts.Deletion.Protected = r.kind.Protected != nil && r.kind.Protected(p.before)
	return !p.facts.Deletion.Protected
}

// delete asks Aiven to delete, and notes how far that came. Without a token there is nothing that it was ever asked to
// make.
func (r *Reconciler[T]) delete(ctx context.Context, p *pass[T]) bool {
	d := p.facts.Deletion
	if p.env.Client == nil {
		return true
	}
	err := r.kind.New(p.env).Delete(ctx, p.obj)
	var blocked *BlockedError
	switch {
	case err == nil:
		return true
	case errors.Is(err, ErrDeletionPending):
		d.Requested = true
	case errors.As(err, &blocked):
		d.Blocked = blocked.Reason
	case fault.Of(err).Class == fault.Conflict:
		d.Blocked = fault.Of(err).Message
	case fault.Is(err, fault.Unauthorized) && !attempted(p.before):
		return true
	default:
		d.Err = err
	}
	return false
}

// removeFinalizer lets the object go. Its Secret goes with it, by garbage collection.
func (r *Reconciler[T]) removeFinalizer(ctx context.Context, p *pass[T]) bool {
	if err := r.dropFinalizer(ctx, p.before); err != nil {
		p.facts.Deletion.Err = fmt.Errorf("removing the finalizer: %w", err)
		return false
	}
	r.convergence.Reset(p.before)
	p.facts.Deletion.Gone = true
	return true
}
