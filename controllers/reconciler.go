package controllers

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/convergence"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// Reconciler makes objects of one kind true at Aiven.
type Reconciler[T Object] struct {
	kind         Kind[T]
	gvk          schema.GroupVersionKind
	client       client.Client
	recordEvent  func(context.Context, client.Object, schema.GroupVersionKind, event.Event)
	timings      status.Timings
	now          func() time.Time
	jitter       func() float64 // random, from -1 to 1
	expectations expectations.Versions
	convergence  convergence.Tracker

	lister          enqueue.Lister // of objects of the kind
	clients         *aiven.Clients
	credentials     credentials.Resolver
	secretFinalizer credentials.SecretFinalizer
	references      reference.Resolver
	publisher       connection.Publisher
	memory          sync.Map // of the kind
}

// pass is one reconcile of one object.
type pass[T Object] struct {
	before T // as it was fetched
	obj    T // the working copy, whose own status fields the kind fills
	env    Env
	kind   AivenController[T]
	seen   Observation
	facts  status.Facts
	// createOnlyMissing are references that aren't ready and were needed to make the resource only.
	createOnlyMissing []status.Component
}

// station does one step of a reconcile, notes what it found, and says whether the next one may go on.
type station[T Object] struct {
	name string // in traces
	do   func(ctx context.Context, p *pass[T]) bool
}

// Reconcile looks at one object and takes it a step further.
func (r *Reconciler[T]) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p, err := r.fetch(ctx, req)
	if p == nil {
		return reconcile.Result{}, err
	}
	stations := []station[T]{
		{"takeover", r.markTakeover}, {"policy", r.checkDeletionPolicy}, {"pause", r.pause}, {"token", r.token}, {"claim", r.checkOwnership},
		{"references", r.resolve}, {"observe", r.observe}, {"finalizer", r.addFinalizer}, {"apply", r.apply}, {"publish", r.publish},
	}
	if !p.before.GetDeletionTimestamp().IsZero() {
		stations = []station[T]{
			{"begin", r.startDeletion}, {"policy", r.checkDeletionPolicy}, {"orphan", r.orphan}, {"protection", r.protection},
			{"hand over", r.skipIfShared}, {"token", r.token}, {"delete", r.delete}, {"release", r.removeFinalizer},
		}
	}
	for _, station := range stations {
		at, span := tracing.Station(ctx, station.name, &p.facts)
		if !span.EndStation(station.do(at, p)) {
			break
		}
	}
	return r.conclude(ctx, p)
}

// fetch gives nil if there is nothing to do.
func (r *Reconciler[T]) fetch(ctx context.Context, req reconcile.Request) (*pass[T], error) {
	obj := r.kind.Object.DeepCopyObject().(T)
	if err := r.get(ctx, req.NamespacedName, obj); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if !obj.GetDeletionTimestamp().IsZero() && !hasFinalizer(obj) {
		return nil, nil
	}
	_, isService := any(obj).(service)
	timings := r.timings
	timings.Poll = policy.PollInterval(obj, timings.Poll)
	p := &pass[T]{
		before: obj,
		obj:    obj.DeepCopyObject().(T),
		facts: status.Facts{
			Now: r.now(), Generation: obj.GetGeneration(), Timings: timings, Jitter: r.jitter(),
			ObserveOnly: policy.ObservesOnly(obj),
			IsService:   isService, WasReady: status.WasReady(obj, obj.GetCommonStatus()), HandledAt: obj.GetAnnotations()[policy.Requested],
			GenerationApplied: obj.GetAnnotations()[status.AnnotationProcessed] == generation(obj),
		},
	}
	p.env.Memory = &r.memory
	if r.kind.Parts != nil {
		p.env.Entries = r.kind.Parts(obj)
	}
	return p, nil
}

// requested says whether somebody asks for a look now.
func requested(obj Object) bool {
	asked := obj.GetAnnotations()[policy.Requested]
	return asked != "" && asked != obj.GetCommonStatus().LastHandledReconcileAt
}

func generation(obj Object) string { return strconv.FormatInt(obj.GetGeneration(), 10) }

func (r *Reconciler[T]) checkDeletionPolicy(_ context.Context, p *pass[T]) bool {
	_, p.facts.PolicyErr = policy.DeletionOf(p.before)
	return p.facts.PolicyErr == nil
}

func (r *Reconciler[T]) pause(_ context.Context, p *pass[T]) bool {
	p.facts.Paused = policy.IsPaused(p.before)
	return !p.facts.Paused
}

func (r *Reconciler[T]) token(ctx context.Context, p *pass[T]) bool {
	token, err := r.tokenOf(ctx, p)
	if err == nil {
		p.env.Client, err = r.clients.ForToken(token.Reveal())
	}
	var missing *credentials.MissingError
	p.facts.TokenErr, p.facts.TokenMissing = err, errors.As(err, &missing)
	if p.facts.Deletion != nil {
		if (p.facts.TokenMissing || fault.Is(err, fault.Unauthorized)) && !attempted(p.before) {
			p.facts.TokenErr, p.facts.TokenMissing = nil, false
			return true
		}
		p.facts.Deletion.Err = err
	}
	return err == nil
}

// tokenOf finds the token of an object. The reference operator prefers its default token to what an object names, so an
// object of its may name a Secret that was never there.
func (r *Reconciler[T]) tokenOf(ctx context.Context, p *pass[T]) (credentials.Token, error) {
	token, err := r.credentials.Token(ctx, p.before.GetNamespace(), p.before.GetAuthSecretRef())
	var missing *credentials.MissingError
	_, inherited := p.before.GetAnnotations()[status.AnnotationTakenOver]
	if inherited && errors.As(err, &missing) && missing.Problem == credentials.SecretMissing {
		if token, fallback := r.credentials.Token(ctx, "", nil); fallback == nil {
			p.facts.TokenFallback = err
			return token, nil
		}
	}
	return token, err
}

func (r *Reconciler[T]) resolve(ctx context.Context, p *pass[T]) bool {
	resolved := r.references.Resolve(ctx, p.before, r.kind.References)
	ready := true
	for _, o := range resolved.Summaries() {
		component := status.Component{
			Type: o.Condition(), Ready: o.State == reference.Ready,
			Absent: o.State == reference.NotFound || o.State == reference.KeyMissing,
			Reason: o.Reason, Message: o.Message, Err: o.Err,
		}
		if o.CreateOnly && !component.Ready && p.facts.GenerationApplied {
			p.createOnlyMissing = append(p.createOnlyMissing, component)
			continue
		}
		ready = ready && component.Ready
		p.facts.References = append(p.facts.References, component)
	}
	p.facts.Resolved = resolved.Refs()
	p.env.Refs = resolved
	return ready
}

// observe looks at Aiven. What somebody asks for must be a new look.
func (r *Reconciler[T]) observe(ctx context.Context, p *pass[T]) bool {
	if key := serviceKeyOf(r.kind.Object); key != nil && requested(p.before) {
		service := key(p.before)
		p.env.Client.Invalidate(service.Project, service.Service)
	}
	p.kind = r.kind.New(p.env)
	p.seen, p.facts.ObserveErr = p.kind.Observe(ctx, p.obj)
	p.record()
	if p.facts.ObserveErr == nil && p.seen.usable() && !p.seen.Remote.Exists && len(p.createOnlyMissing) > 0 {
		p.facts.References = append(p.facts.References, p.createOnlyMissing...) // the resource is to be made anew
		return false
	}
	return p.facts.ObserveErr == nil && p.seen.usable()
}

// record keeps what the latest look at Aiven has found.
func (p *pass[T]) record() {
	p.facts.Service = p.seen.Service
	if p.facts.ObserveErr == nil && p.seen.usable() {
		remote := p.seen.Remote
		p.facts.Remote, p.facts.Conditions = &remote, p.seen.Conditions
	}
}

func (r *Reconciler[T]) publish(ctx context.Context, p *pass[T]) bool {
	kind, publishes := any(p.before).(publisher)
	if !publishes {
		return true
	}
	target := connection.TargetOf(p.before, r.gvk.Kind, kind.GetSecretFields())
	p.facts.Secret = status.Secret{Applies: true, Disabled: target.Disabled, Name: target.Name}
	if target.Disabled || p.seen.Details.Empty() {
		return true
	}
	_, err := r.publisher.Publish(ctx, p.before, r.gvk, target, p.seen.Details)
	var foreign *connection.OwnershipError
	p.facts.Secret.Published, p.facts.Secret.Err, p.facts.Secret.Conflict = err == nil, err, errors.As(err, &foreign)
	return true
}

// conclude turns the facts into one status, one event and one result.
func (r *Reconciler[T]) conclude(ctx context.Context, p *pass[T]) (reconcile.Result, error) {
	logger := log.FromContext(ctx)
	if errors.Is(ctx.Err(), context.Canceled) {
		logger.V(1).Info("Left off, as the operator is shutting down")
		return reconcile.Result{}, nil
	}
	c := status.Conclude(p.before.GetCommonStatus(), &p.facts)
	logger.V(1).Info("Concluded", "row", c.Row, "generation", strconv.FormatInt(p.facts.Generation, 10),
		"mutation", p.facts.Mutation, "requeueAfter", c.Result.RequeueAfter.String())
	metrics.NoteDrift(r.gvk.Kind, client.ObjectKeyFromObject(p.before), len(c.Status.Drift))
	c.Trace(ctx, &p.facts)
	at, span := tracing.Start(ctx, "conclude")
	writeErr := span.End(r.write(at, p, &c))
	if c.Event != nil {
		r.report(ctx, p.before, c.Event)
	}
	switch {
	case writeErr != nil && c.Err == nil:
		return reconcile.Result{Priority: c.Result.Priority}, writeErr
	case writeErr != nil:
		logger.Error(writeErr, "The status could not be written")
	}
	return c.Result, c.Err
}

// report tells one event, and its twin in the log.
func (r *Reconciler[T]) report(ctx context.Context, obj T, e *status.Event) {
	r.recordEvent(ctx, obj, r.gvk, event.Event{
		Controller: strings.ToLower(r.gvk.Kind) + "-reconciler",
		Type:       e.Type, Reason: e.Reason, Action: e.Action, Note: e.Note,
	})
	log.FromContext(ctx).Info(e.Note, "event", true, "type", e.Type, "reason", e.Reason,
		"warning", e.Type == corev1.EventTypeWarning)
}
