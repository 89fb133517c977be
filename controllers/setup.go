package controllers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// The operator reads and writes Secrets one by one, and watches their metadata. What it may do to a kind stands in the
// file of that kind; what leader election needs, in the operator's own namespace only, in config/manager.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
//
// The lease of the reference operator is looked for before the start, and afterwards: see internal/startup.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,resourceNames=40db2fac.aiven.io,verbs=list

// fieldManager is the name under which fields of objects are ours. It never changes.
const fieldManager = "aero"

// The field indexes.
const (
	indexToken    = "aero.token"    // name of the token Secret
	indexEntry    = "aero.entry"    // the service that the object is or lives in, and its parts that the object is or reads
	indexIdentity = "aero.identity" // what the object stands for at Aiven
)

// setup is what the kinds share while they are set up.
type setup struct {
	mgr     ctrl.Manager
	config  Config
	clients *aiven.Clients
	events  *event.Recorder
	tokens  *credentials.Cache
	objects metrics.ObjectCollector
	now     func() time.Time
}

// Setup adds a controller for each kind to the manager.
func Setup(mgr ctrl.Manager, config Config, kinds ...Registration) error {
	aiven.IgnoreSettings()
	s := &setup{
		mgr: mgr, config: config, now: time.Now,
		events: event.New(mgr.GetClient()), tokens: &credentials.Cache{Metadata: mgr.GetClient()},
		clients: aiven.New(aiven.Options{
			BaseURL: config.AivenURL, UserAgent: config.UserAgent, Timeout: config.CallTimeout,
			QPS: config.QPS, Burst: config.Burst, Tracing: config.Tracing,
			WatchInterval: config.WatchInterval, UnsettledInterval: config.WatchUnsettled, ReadLag: config.ReadLag,
		}),
	}
	for _, runnable := range []manager.Runnable{s.clients, s.events, &s.objects} {
		if err := mgr.Add(runnable); err != nil {
			return fmt.Errorf("adding what runs beside the controllers: %w", err)
		}
	}
	for _, kind := range kinds {
		if err := kind.setup(s); err != nil {
			return fmt.Errorf("setting up %s: %w", kindName(kind.GetObject()), err)
		}
	}
	return s.watchTokens(kinds)
}

func (k Kind[T]) setup(s *setup) error {
	gvk, err := apiutil.GVKForObject(k.Object, s.mgr.GetScheme())
	if err != nil {
		return fmt.Errorf("finding its group, version and kind: %w", err)
	}
	if err := k.index(s); err != nil {
		return err
	}
	live, secrets := s.mgr.GetAPIReader(), &expectations.Versions{}
	finder := s.lister(gvk)
	r := &Reconciler[T]{
		lister: finder, secretFinalizer: credentials.SecretFinalizer{Client: s.mgr.GetClient(), Live: live},
		kind: k, gvk: gvk, client: s.mgr.GetClient(), now: s.now, timings: s.config.timings(), clients: s.clients,
		recordEvent: s.events.Report,
		jitter:      func() float64 { return rand.Float64()*2 - 1 },
		credentials: credentials.Resolver{Reader: live, Cache: s.tokens, Default: s.config.DefaultToken},
		references:  reference.Resolver{Reader: live},
		publisher: connection.Publisher{
			Client: s.mgr.GetClient(), Reader: live, Metadata: s.mgr.GetClient(), FieldManager: fieldManager, RecordWrite: secrets.Record,
		},
	}
	s.objects.Kinds = append(s.objects.Kinds, finder)
	return k.build(s, finder, r, secrets)
}

// build says what wakes an object: its own spec and annotations, its Secret, its token, what it refers to, what it
// depends on at Aiven, and the end of another object that stood for the same.
func (k Kind[T]) build(s *setup, finder enqueue.Lister, r reconcile.Reconciler, secrets *expectations.Versions) error {
	name := strings.ToLower(finder.Kind.Kind)
	watch := &metrics.Latency{Kind: finder.Kind.Kind, Elected: s.mgr.Elected()}
	b := ctrl.NewControllerManagedBy(s.mgr).Named(name).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: s.config.workersFor(name),
			RateLimiter:             s.config.backoff(),
		}).
		For(k.Object, builder.WithPredicates(watch.Predicate(), userChanges())).
		Watches(k.Object, finder.OnPreviousValue(indexIdentity, k.identity)).
		WatchesMetadata(&corev1.Secret{}, finder.ForName(indexToken), builder.WithPredicates(credentials.Changes()))
	if _, publishes := any(k.Object).(publisher); publishes {
		b = b.Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(connection.ExternalChangePredicate(fieldManager, secrets)))
	}
	for _, declaration := range k.References {
		if target := newTarget(s, declaration); target != nil {
			b = b.WatchesMetadata(target, handler.EnqueueRequestsFromMapFunc(declaration.Requests(finder)),
				builder.WithPredicates(predicate.ResourceVersionChangedPredicate{}))
		}
	}
	if serviceKeyOf(k.Object) != nil {
		b = b.WatchesRawSource(remoteChanges(s.clients, finder))
	}
	return b.Complete(tracing.Wrap(s.config.Tracing, finder.Kind.Kind, watch.Wrap(r)))
}

// newTarget is an empty object of the kind that a reference leads to, or nil if the operator doesn't serve it: a watch
// on a kind that the cluster may not have would keep the operator from starting.
func newTarget(s *setup, d reference.Declaration) client.Object {
	if !s.mgr.GetScheme().Recognizes(d.Kind) {
		return nil
	}
	target := &metav1.PartialObjectMetadata{}
	target.SetGroupVersionKind(d.Kind)
	return target
}

// index registers the fields that objects are found by.
func (k Kind[T]) index(s *setup) error {
	indexes := map[string]client.IndexerFunc{indexToken: tokenIndex, indexIdentity: k.identityIndex}
	if serviceKeyOf(k.Object) != nil {
		indexes[indexEntry] = k.entryIndex
	}
	for _, declaration := range k.References {
		indexes[declaration.IndexKey()] = declaration.IndexFunc()
	}
	for name, extract := range indexes {
		if err := s.mgr.GetFieldIndexer().IndexField(context.Background(), k.Object, name, extract); err != nil {
			return fmt.Errorf("indexing %s: %w", name, err)
		}
	}
	return nil
}

// kindName is the name of a kind in flags and logs: that of its Go type, in lower case.
func kindName(obj client.Object) string {
	return strings.ToLower(reflect.TypeOf(obj).Elem().Name())
}

func (s *setup) lister(gvk schema.GroupVersionKind) enqueue.Lister {
	return enqueue.Lister{Reader: s.mgr.GetClient(), Kind: gvk, Scheme: s.mgr.GetScheme()}
}

func positive(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err == nil && n < 1 {
		err = fmt.Errorf("must be at least 1, not %d", n)
	}
	return n, err
}
