package controllers

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/convergence"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/secretcontroller"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/store"
	"github.com/aero-operator/aero/controllers/internal/tracing"
	"github.com/aero-operator/aero/controllers/internal/watches"
)

// Reconciler reconciles objects of one kind with Aiven.
type Reconciler[T Object] struct {
	kind        Kind[T]
	gvk         schema.GroupVersionKind
	shape       watches.Kind // the kind without its Go type
	store       *store.Store[T]
	recordEvent func(context.Context, client.Object, schema.GroupVersionKind, event.Event)
	timings     status.Timings
	now         func() time.Time
	jitter      func() float64 // random, from -1 to 1
	convergence convergence.Tracker

	clients         *aiven.Clients
	identities      *ownership.Registry
	policies        policy.Defaults
	namespaces      namespace.Reader
	credentials     credentials.Resolver
	secretFinalizer credentials.SecretFinalizer
	references      reference.Resolver
	publisher       connection.Publisher
	sources         *secretcontroller.Sources // of ConnectionSecrets
	guards          watches.Guards
	memory          sync.Map // of the kind, between reconciles
}

// pass is one reconcile of one object.
type pass[T Object] struct {
	before     T // as it was read
	obj        T // the working copy, whose own status fields the kind fills
	writer     *store.Writer[T]
	env        Env
	kind       AivenController[T]
	seen       Observation
	plan       plan.Plan
	namespace  namespace.Settings
	policies   policy.Defaults // of the objects in the Namespace
	facts      status.Facts
	duplicates []ownership.Duplicate

	createOnlyMissing []status.Component // references that aren't ready and were needed to make the resource only
}

// station does one step of a reconcile and records what it found. It returns whether the next one may go on, and for the trace, its error.
type station[T Object] struct {
	name string
	do   func(ctx context.Context, p *pass[T]) (bool, error)
}

// stations lists the steps of a reconcile. The name of a station is that of its function.
func (r *Reconciler[T]) stations(p *pass[T]) []station[T] {
	if p.facts.Deleting {
		return []station[T]{
			{"checkProvenance", r.checkProvenance}, {"checkDeletionPolicy", r.checkDeletionPolicy}, {"checkOrphan", r.checkOrphan},
			{"checkProtection", r.checkProtection}, {"skipIfShared", r.skipIfShared}, {"checkGuards", r.checkGuards},
			{"readNamespace", r.readNamespace}, {"resolveToken", r.resolveToken}, {"resolveForDeletion", r.resolveForDeletion}, {"delete", r.delete}, {"removeFinalizer", r.removeFinalizer},
		}
	}
	return []station[T]{
		{"checkDeletionPolicy", r.checkDeletionPolicy}, {"checkPause", r.checkPause},
		{"readNamespace", r.readNamespace}, {"resolveToken", r.resolveToken}, {"checkOwnership", r.checkOwnership}, {"resolveReferences", r.resolveReferences},
		{"readPublished", r.readPublished}, {"observe", r.observe}, {"addFinalizer", r.addFinalizer}, {"persistIntent", r.persistIntent},
		{"apply", r.apply}, {"rotate", r.rotate}, {"publish", r.publish}, {"discard", r.discard},
	}
}

// Reconcile takes one object a step further.
func (r *Reconciler[T]) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p, err := r.fetch(ctx, req)
	if p == nil {
		return reconcile.Result{}, err
	}
	defer r.identities.Reservations.Rest(r.shape.Reservation(p.before), p.before.GetUID())
	ctx = aiven.WithCaller(ctx, string(p.before.GetUID()))
	if status.IsAwaited(p.before, p.before.GetCommonStatus()) {
		ctx = aiven.WithPriority(ctx)
	}
	r.secretFinalizer.Keep(ctx, p.before, ownership.HasFinalizer(p.before) && p.facts.Provenance != nil) // also for what waits: it may be replaced meanwhile
	for _, station := range r.stations(p) {
		at, span := tracing.Start(ctx, station.name)
		next, err := station.do(at, p)
		span.EndStation(next, p.facts.Secrets.Redacted(err))
		if !next {
			break
		}
	}
	return r.conclude(ctx, p)
}

// fetch returns nil if there is nothing to do.
func (r *Reconciler[T]) fetch(ctx context.Context, req reconcile.Request) (*pass[T], error) {
	obj := r.kind.Object.DeepCopyObject().(T)
	if err := r.store.Get(ctx, req.NamespacedName, obj); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	deleting := !obj.GetDeletionTimestamp().IsZero()
	if deleting && !ownership.HasFinalizer(obj) {
		return nil, nil
	}
	timings := r.timings
	timings.Poll = policy.PollInterval(obj, timings.Poll)
	writer, obj := r.store.Writer(obj), ownership.Marked(obj)
	return &pass[T]{
		before: obj, writer: writer, obj: obj.DeepCopyObject().(T), env: Env{Memory: &r.memory, Siblings: r.shape.Siblings(obj), MayLoseData: policy.MayLoseData(obj, r.policies)},
		facts: status.Facts{
			Now: r.now(), CreatedAt: obj.GetCreationTimestamp().Time, Generation: obj.GetGeneration(), UID: obj.GetUID(), Timings: timings, Jitter: r.jitter(),
			ObserveOnly: policy.ObservesOnly(obj), IsService: r.kind.IsService, Deleting: deleting, Secrets: reference.Resolved{}.Secrets(r.shape.Secrets(obj)...),
			WasReady: status.WasReady(obj, obj.GetCommonStatus()), HandledAt: obj.GetAnnotations()[annotation.Requested], Approved: policy.ApprovedChanges(obj), WasOff: obj.GetAnnotations()[annotation.Running] == "false",
			GenerationApplied: ownership.IsApplied(obj), TakenOver: obj.GetAnnotations()[annotation.TakenOver], Provenance: ownership.Of(obj),
		},
	}, nil
}

func (r *Reconciler[T]) checkDeletionPolicy(_ context.Context, p *pass[T]) (bool, error) {
	_, p.facts.PolicyErr = policy.DeletionOf(p.before)
	return p.facts.PolicyErr == nil, p.facts.PolicyErr
}

func (r *Reconciler[T]) checkPause(_ context.Context, p *pass[T]) (bool, error) {
	p.facts.Paused = policy.IsPaused(p.before)
	return !p.facts.Paused, nil
}

// readNamespace has what the Namespace sets, and checks the projects. A deletion goes on: what they were when the resource was made counts.
func (r *Reconciler[T]) readNamespace(ctx context.Context, p *pass[T]) (bool, error) {
	p.namespace, p.facts.Problem = r.namespaces.Of(ctx, p.before.GetNamespace())
	if p.facts.Deleting || p.facts.Problem != nil {
		p.facts.Deletion.Err = p.facts.Problem
		return p.facts.Problem == nil, p.facts.Problem
	}
	p.policies = r.policies.In(p.namespace.Annotations)
	p.facts.NotAllowed = p.namespace.Forbidden(func() []string { return r.shape.Projects(p.before) })
	return p.facts.NotAllowed == "", nil
}

// resolveToken gets the Aiven client for the object's token.
func (r *Reconciler[T]) resolveToken(ctx context.Context, p *pass[T]) (bool, error) {
	token, fallback, err := r.credentials.TokenOf(ctx, p.before, p.namespace, ownership.IsTakenOver(p.facts.Provenance))
	if err == nil {
		p.env.Client, err = r.clients.ForToken(token.Reveal())
	}
	if err == nil {
		p.facts.Timings.Poll = time.Duration(float64(p.facts.Timings.Poll) * p.env.Client.PollFactor())
	}
	_, p.facts.TokenMissing = errors.AsType[*credentials.MissingError](err)
	p.facts.TokenErr, p.facts.TokenFallback, p.facts.TokenPlace = err, fallback, r.credentials.PlaceOf(p.before, p.namespace, fallback)
	if p.facts.Deleting {
		p.facts.Deletion.Err = err
	}
	return err == nil, err
}

func (r *Reconciler[T]) resolveReferences(ctx context.Context, p *pass[T]) (bool, error) {
	resolved := r.references.Resolve(ctx, p.before, r.kind.References)
	ready, failed := true, error(nil)
	for _, o := range resolved.Summaries() {
		component := status.Component{Type: o.Condition(), Ready: o.State == reference.Ready, Absent: o.IsAbsent(), Reason: o.Reason, Message: o.Message, Err: o.Err}
		if o.CreateOnly && !component.Ready && (p.facts.GenerationApplied || ownership.IsMadeFrom(p.before)) {
			p.createOnlyMissing = append(p.createOnlyMissing, component)
			continue
		}
		ready, failed = ready && component.Ready, errors.Join(failed, o.Err)
		p.facts.References = append(p.facts.References, component)
	}
	p.env.Refs, p.facts.Secrets = resolved, resolved.Secrets(r.shape.Secrets(p.before)...)
	return ready, failed
}

// observe reads from Aiven, and plans. What a user requests is read live.
func (r *Reconciler[T]) observe(ctx context.Context, p *pass[T]) (bool, error) {
	if before := p.before.GetCommonStatus(); status.ObservationRequested(p.before, before) || status.RotationRequested(p.before, before) || ownership.RequestsApply(p.before) {
		r.shape.Invalidate(p.env.Client, p.before)
	}
	p.kind = r.kind.New(p.env)
	p.seen, p.facts.ObserveErr = p.kind.Observe(ctx, p.obj)
	p.record()
	if p.facts.ObserveErr != nil || !p.seen.usable() {
		return false, p.facts.ObserveErr
	}
	if !p.seen.Remote.Exists && len(p.createOnlyMissing) > 0 {
		p.facts.References = append(p.facts.References, p.createOnlyMissing...) // the resource is to be created again
		return false, nil
	}
	if p.facts.Problem = p.writer.WriteIdentity(ctx, p.obj, r.shape.Resource); p.facts.Problem == nil {
		p.plan, p.facts.Problem = r.decide(ctx, p)
	}
	return p.facts.Problem == nil, p.facts.Problem
}

// record keeps what the latest observation has found.
func (p *pass[T]) record() {
	p.facts.Services = p.seen.Services
	p.facts.Secrets.Add(p.env.Published.Secrets(p.seen.Details)...)
	if p.facts.ObserveErr == nil && p.seen.usable() {
		remote := p.seen.Remote
		p.facts.Remote, p.facts.Conditions = &remote, p.seen.Conditions
	}
}
