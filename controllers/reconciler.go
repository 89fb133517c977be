package controllers

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/convergence"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/listprice"
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

	reservation       ownership.Reservation
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
			{"readNamespace", r.readNamespace}, {"resolveToken", r.resolveToken}, {"resolveForDeletion", r.resolveForDeletion},
			{"delete", r.delete}, {"removeFinalizer", r.removeFinalizer},
		}
	}
	return []station[T]{
		{"checkDeletionPolicy", r.checkDeletionPolicy}, {"checkPause", r.checkPause}, {"readNamespace", r.readNamespace},
		{"resolveToken", r.resolveToken}, {"checkOwnership", r.checkOwnership}, {"resolveReferences", r.resolveReferences},
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
	defer p.reservation.Rest()
	ctx = aiven.WithCaller(ctx, string(p.before.GetUID()))
	if status.IsAwaited(p.before, p.before.GetCommonStatus()) {
		ctx = aiven.WithPriority(ctx)
	}
	// Also for what waits: the token's Secret may be replaced meanwhile.
	r.secretFinalizer.Keep(ctx, p.before, ownership.HasFinalizer(p.before) && p.facts.Provenance != nil)
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
	if !obj.GetDeletionTimestamp().IsZero() && !ownership.HasFinalizer(obj) {
		return nil, nil
	}
	writer, obj := r.store.Writer(obj), ownership.Marked(obj)
	p := &pass[T]{
		before: obj, writer: writer, obj: obj.DeepCopyObject().(T), facts: status.FactsOf(obj, obj.GetCommonStatus()),
		reservation: r.identities.Reservations.Of(r.shape.Reservation(obj), obj),
		env:         Env{Memory: &r.memory, Siblings: r.shape.Siblings(obj), MayLoseData: policy.MayLoseData(obj, r.policies)},
	}
	p.facts.Now, p.facts.Jitter, p.facts.Timings, p.facts.IsService = r.now(), r.jitter(), r.timings, r.kind.IsService
	p.facts.Timings.Poll = policy.PollInterval(obj, r.timings.Poll)
	p.facts.Secrets = reference.Resolved{}.Secrets(r.shape.Secrets(obj)...)
	p.facts.GenerationApplied, p.facts.Provenance = ownership.IsApplied(obj), ownership.Of(obj)
	return p, nil
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
		component := status.Component{
			Type: o.Condition(), Ready: o.State == reference.Ready, Absent: o.IsAbsent(), Reason: o.Reason, Message: o.Message, Err: o.Err,
		}
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
	if status.IsRequested(p.before, p.before.GetCommonStatus()) || ownership.RequestsApply(p.before) {
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
	sent, settled := p.facts.Sent() && !p.plan.HoldsSecrets, p.plan.Settles(p.seen.Newer) && !p.facts.Uncompared && !p.facts.Failed()
	p.facts.Resolved = p.env.Refs.Record(p.before.GetCommonStatus().ResolvedRefs, sent, settled)
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
