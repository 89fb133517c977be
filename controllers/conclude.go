package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/store"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// immediately is a requeue without a delay: zero would be none.
const immediately = time.Millisecond

// conclude turns the facts into one status, one event and one result. The event comes last: its readers find the
// status that it is about.
func (r *Reconciler[T]) conclude(ctx context.Context, p *pass[T]) (reconcile.Result, error) {
	logger := log.FromContext(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		logger.V(1).Info("Reconcile aborted: shutting down")
		return reconcile.Result{}, nil
	}
	if errors.Is(p.facts.Problem, store.ErrStale) {
		return reconcile.Result{RequeueAfter: immediately}, nil
	}
	p.facts.Resolved = p.env.Refs.Record(p.before.GetCommonStatus().ResolvedRefs, p.facts.Mutation != status.Unchanged)
	c := status.Conclude(p.before.GetCommonStatus(), &p.facts)
	logger.V(1).Info("Concluded", "row", c.Row, "generation", annotation.FormatGeneration(p.facts.Generation),
		"mutation", p.facts.Mutation, "requeueAfter", c.Result.RequeueAfter.String())
	c.Trace(ctx, &p.facts)
	at, span := tracing.Start(ctx, "conclude")
	writeErr := p.facts.Secrets.Redacted(p.writer.WriteConclusion(at, p.obj, store.Conclusion{
		Deferred: c.Deferred, Status: c.Status, Annotations: c.Annotations, WasReady: p.facts.WasReady,
	}))
	span.End(writeErr)
	stale := errors.Is(writeErr, store.ErrStale)
	if c.Event != nil && (!stale || p.facts.Mutation != status.Unchanged) {
		r.report(ctx, p.before, c.Event)
	}
	switch {
	case stale:
		return reconcile.Result{RequeueAfter: immediately, Priority: c.Result.Priority}, nil
	case writeErr != nil && c.Err == nil:
		return reconcile.Result{Priority: c.Result.Priority}, writeErr
	case writeErr != nil:
		logger.Error(writeErr, "Writing the status failed")
	}
	return c.Result, c.Err
}

// report emits one event, and the same in the log.
func (r *Reconciler[T]) report(ctx context.Context, obj T, e *status.Event) {
	r.recordEvent(ctx, obj, r.gvk, event.Event{
		Controller: strings.ToLower(r.gvk.Kind) + "-reconciler",
		Type:       e.Type, Reason: e.Reason, Action: e.Action, Note: e.Note,
	})
	log.FromContext(ctx).Info(e.Note, "event", true, "type", e.Type, "reason", e.Reason,
		"warning", e.Type == corev1.EventTypeWarning)
}

// markTakeover marks what aiven-operator has left, before the first status of ours makes it look like any other object.
func (r *Reconciler[T]) markTakeover(ctx context.Context, p *pass[T]) (bool, error) {
	if !status.IsTakeover(p.before, p.before.GetCommonStatus()) {
		return true, nil
	}
	mark := annotation.FormatGeneration(p.facts.Generation)
	if err := r.store.PatchAnnotations(ctx, p.before, map[string]*string{annotation.TakenOver: &mark}); err != nil {
		p.facts.Problem = fmt.Errorf("taking over from aiven-operator: %w", err)
		return false, p.facts.Problem
	}
	for _, obj := range []client.Object{p.before, p.obj} {
		policy.Annotate(obj, annotation.TakenOver, mark)
	}
	return true, nil
}
