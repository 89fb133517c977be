package controllers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/queue"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/store"
	"github.com/aero-operator/aero/controllers/internal/tracing"
	"github.com/aero-operator/aero/controllers/internal/watches"
)

// FieldManager is the name under which fields of objects are ours. It never changes.
const FieldManager = "aero"

// setup is what the kinds share while they are set up.
type setup struct {
	mgr        ctrl.Manager
	config     config.Config
	clients    *aiven.Clients
	events     *event.Recorder
	tokens     *credentials.Cache
	identities ownership.Registry
	objects    metrics.ObjectCollector
	now        func() time.Time
	watches    watches.Registry
}

// Setup adds a controller for each kind to the manager. It fails on a kind without an identity.
func Setup(mgr ctrl.Manager, c config.Config, kinds ...Registration) error {
	aiven.IgnoreSettings()
	s := &setup{
		mgr: mgr, config: c, now: time.Now,
		events: event.New(mgr.GetClient(), c.EventDelay), tokens: &credentials.Cache{Metadata: mgr.GetClient()},
		clients: aiven.New(c.Aiven()),
	}
	s.watches = watches.New(mgr, s.clients, FieldManager, c.Tokens(nil, nil), c.ClusterScope)
	s.objects.TokenOf, s.objects.ByNamespace = c.Tokens(nil, nil).ByNamespace(s.watches.Namespaces), c.MetricsNamespaceLabel
	s.tokens.OnForget = func(token credentials.Token) { s.clients.Forget(token.Reveal()) }
	for _, runnable := range []manager.Runnable{s.clients, s.events, &s.objects} {
		if err := mgr.Add(runnable); err != nil {
			return fmt.Errorf("adding what runs beside the controllers: %w", err)
		}
	}
	for _, step := range []func(Registration, *setup) error{Registration.register, Registration.build} {
		for _, kind := range kinds {
			if err := step(kind, s); err != nil {
				return fmt.Errorf("setting up %T: %w", kind.GetObject(), err)
			}
		}
	}
	return errors.Join(credentials.SetupWithManager(mgr, c.Tokens(mgr.GetAPIReader(), s.tokens), s.watches.Namespaces, s.watches.Objects()...),
		s.watches.Sources.SetupWithManager(mgr, c, FieldManager, s.events))
}

// register makes the objects of a kind known to all others.
func (k Kind[T]) register(s *setup) error {
	if k.Identity == nil {
		return fmt.Errorf("%T has no Identity: set it, or NoIdentity if its objects may overlap", k.Object)
	}
	lister, err := enqueue.NewLister(s.mgr, k.Object)
	if err != nil {
		return err
	}
	shape := k.shape(lister)
	s.identities.Add(shape.Group(), lister)
	s.objects.Kinds = append(s.objects.Kinds, lister)
	return s.watches.Add(shape, s.mgr.GetFieldIndexer())
}

// build adds the controller of a kind that is registered.
func (k Kind[T]) build(s *setup) error {
	shape := s.watches.KindOf(k.Object)
	name, live, secrets, guards := shape.Lister.Kind.Kind, s.mgr.GetAPIReader(), &expectations.Versions{}, s.watches.Guards(shape)
	r := &Reconciler[T]{
		kind: k, gvk: shape.Lister.Kind, shape: shape, now: s.now, timings: s.config.Timings, clients: s.clients,
		store:      &store.Store[T]{Client: s.mgr.GetClient(), Live: live},
		identities: &s.identities, namespaces: s.watches.Namespaces, policies: s.config.Policies(),
		secretFinalizer: credentials.SecretFinalizer{Client: s.mgr.GetClient(), Live: live},
		recordEvent:     s.events.Report,
		jitter:          func() float64 { return rand.Float64()*2 - 1 },
		credentials:     s.config.Tokens(live, s.tokens),
		references: reference.Resolver{
			Reader: live, NoCrossNamespace: s.config.NoCrossNamespaceRefs, Guards: guards.References,
			Discarder: reference.Discarder{Client: s.mgr.GetClient(), FieldManager: FieldManager, Users: s.watches.SecretUsers},
		},
		guards: guards, sources: s.watches.Sources,
		publisher: connection.Publisher{
			Client: s.mgr.GetClient(), Reader: live, Metadata: s.mgr.GetClient(), FieldManager: FieldManager, RecordWrite: secrets.Record,
			Returned: &connection.Returned{Now: s.now},
		},
	}
	workers, latency := s.config.WorkersFor(strings.ToLower(name)), &metrics.Latency{Kind: name, Elected: s.mgr.Elected()}
	options := controller.Options{MaxConcurrentReconciles: workers, NewQueue: queue.New(name, workers), RateLimiter: s.config.Backoff()}
	b := ctrl.NewControllerManagedBy(s.mgr).Named(strings.ToLower(name)).WithOptions(options).
		For(k.Object, builder.WithPredicates(latency.Predicate(), enqueue.UserChanges()))
	s.watches.Watch(b, shape, secrets)
	return b.Complete(tracing.Wrap(s.config.Tracing, name, latency.Wrap(fault.HidePanics(r))))
}
