package controllers

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/listprice"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/store"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// conclude turns the facts into one status, one event and one result. The event comes last: its readers find the
// status that it is about.
func (r *Reconciler[T]) conclude(ctx context.Context, p *pass[T]) (reconcile.Result, error) {
	logger := log.FromContext(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		logger.V(1).Info("Reconcile aborted: shutting down")
		return reconcile.Result{}, nil
	}
	if errors.Is(p.facts.Problem, store.ErrStale) {
		return reconcile.Result{RequeueAfter: store.Soon}, nil
	}
	p.facts.Resolved = p.env.Refs.Record(p.before.GetCommonStatus().ResolvedRefs, p.facts.Sent() && !p.plan.HoldsSecrets, p.plan.Settles(p.seen.Newer) && !p.facts.Uncompared && !p.facts.Failed())
	p.facts.Pending = listprice.Add(ctx, p.env.Client, p.before, p.facts.Pending)
	c := status.Conclude(p.before.GetCommonStatus(), &p.facts)
	logger.V(1).Info("Concluded", "row", c.Row, "generation", annotation.FormatGeneration(p.facts.Generation),
		"mutation", p.facts.Mutation, "requeueAfter", c.Result.RequeueAfter.String())
	c.Trace(ctx, &p.facts)
	at, span := tracing.Start(ctx, "conclude")
	writeErr := p.facts.Secrets.Redacted(p.writer.WriteConclusion(at, p.obj, store.Conclusion{
		Deferred: c.Deferred || p.facts.Released(p.before), Status: c.Status, Annotations: c.Annotations, WasReady: p.facts.WasReady,
	}))
	span.End(writeErr)
	stale := errors.Is(writeErr, store.ErrStale)
	if c.Event != nil && (!stale || p.facts.Mutation != status.Unchanged) {
		r.recordEvent(ctx, p.before, r.gvk, event.Event{Type: c.Event.Type, Reason: c.Event.Reason, Action: c.Event.Action, Note: c.Event.Note})
	}
	switch {
	case stale:
		return reconcile.Result{RequeueAfter: store.Soon, Priority: c.Result.Priority}, nil
	case writeErr != nil && c.Err == nil:
		return reconcile.Result{Priority: c.Result.Priority}, writeErr
	case writeErr != nil:
		logger.Error(writeErr, "Writing the status failed")
	}
	return c.Result, c.Err
}
