package secretcontroller

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	events "github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/expectations"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/metrics"
	"github.com/aero-operator/aero/controllers/internal/queue"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// What the operator reads and writes of ConnectionSecrets, and reads of grants, if the cluster serves them.
// +kubebuilder:rbac:groups=aero-operator.io,resources=connectionsecrets,verbs=list;watch
// +kubebuilder:rbac:groups=aero-operator.io,resources=connectionsecrets/status,verbs=patch
// +kubebuilder:rbac:groups=aero-operator.io,resources=connectionsecrets/finalizers,verbs=update
// +kubebuilder:rbac:groups=gateway.networking.k8s.io,resources=referencegrants,verbs=list;watch

// Indexes over ConnectionSecrets.
const (
	sourceIndex    = "aero.source"          // the source, as Key.String
	namespaceIndex = "aero.sourceNamespace" // the namespace of a source in another one
	databaseIndex  = "aero.database"        // the database, as namespace/name
	passwordIndex  = "aero.keystore"        // the Secret with the password of key stores, as namespace/name
)

func indexes() map[string]client.IndexerFunc {
	of := func(value func(*aero.ConnectionSecret) string) client.IndexerFunc {
		return func(obj client.Object) []string {
			if found := value(obj.(*aero.ConnectionSecret)); found != "" {
				return []string{found}
			}
			return nil
		}
	}
	return map[string]client.IndexerFunc{
		sourceIndex: of(func(obj *aero.ConnectionSecret) string { return KeyOf(obj).String() }),
		namespaceIndex: of(func(obj *aero.ConnectionSecret) string {
			if obj.GetSourceNamespace() == obj.Namespace {
				return ""
			}
			return obj.GetSourceNamespace()
		}),
		databaseIndex: of(func(obj *aero.ConnectionSecret) string {
			if obj.Spec.DatabaseRef == nil {
				return ""
			}
			return obj.GetSourceNamespace() + "/" + obj.Spec.DatabaseRef.Name
		}),
		passwordIndex: of(func(obj *aero.ConnectionSecret) string {
			if obj.Spec.Keystore == nil {
				return ""
			}
			return obj.Namespace + "/" + obj.Spec.Keystore.PasswordSecretRef.Name
		}),
	}
}

// Sources connects the kinds that ConnectionSecrets name with the controller of these. The zero value is ready for Watch. A nil one
// is for kinds that no ConnectionSecret names.
type Sources struct {
	known  *connectionsecret.Known
	lister enqueue.Lister // of ConnectionSecrets
	kinds  map[string]client.Object
	queue  atomic.Pointer[enqueue.Queue] // of ConnectionSecrets; nil before their controller starts
}

// Observed hands over what an object was observed to connect with, by the route of its own connection Secret. One whose login is withheld
// isn't a source, and neither is one that has no endpoint on that route: another one is never published in its place.
func (s *Sources) Observed(obj client.Object, kind string, target connection.Target, withheld bool, info connection.Info) {
	if s == nil {
		return
	}
	key := connectionsecret.Key{Kind: kind, NamespacedName: client.ObjectKeyFromObject(obj)}
	there, err := info.Via(target.Route)
	if withheld || err != nil {
		s.known.Gone(key)
		return
	}
	s.known.Observed(key, obj.GetUID(), there)
}

// Watch makes ConnectionSecrets enqueue the objects of a kind that they begin to name: their next reconcile hands over what they connect with.
func (s *Sources) Watch(b *builder.Builder, kind string, example client.Object) {
	if s == nil {
		return
	}
	if s.kinds == nil {
		s.kinds = map[string]client.Object{}
	}
	s.kinds[kind] = example
	if !connection.Publishes(example) {
		return
	}
	named := func(_ context.Context, obj client.Object) []reconcile.Request {
		if key := KeyOf(obj.(*aero.ConnectionSecret)); key.Kind == kind {
			return []reconcile.Request{{NamespacedName: key.NamespacedName}}
		}
		return nil
	}
	b.Watches(&aero.ConnectionSecret{}, handler.EnqueueRequestsFromMapFunc(named), builder.WithPredicates(predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return KeyOf(e.ObjectOld.(*aero.ConnectionSecret)) != KeyOf(e.ObjectNew.(*aero.ConnectionSecret))
		},
		DeleteFunc: func(event.DeleteEvent) bool { return false },
	}))
}

// SetupWithManager adds the controller of ConnectionSecrets, after the kinds that they may name.
func (s *Sources) SetupWithManager(mgr ctrl.Manager, c config.Config, fieldManager string, recorder *events.Recorder) error {
	var err error
	if s.lister, err = enqueue.NewLister(mgr, &aero.ConnectionSecret{}); err != nil {
		return err //nolint:wrapcheck // it names the kind
	}
	s.known = connectionsecret.NewKnown(s.wanted, s.changed)
	for name, extract := range indexes() {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), &aero.ConnectionSecret{}, name, extract); err != nil {
			return fmt.Errorf("indexing %s: %w", name, err)
		}
	}
	if err := mgr.Add(&metrics.ObjectCollector{Kinds: []enqueue.Lister{s.lister}, ByNamespace: c.MetricsNamespaceLabel}); err != nil {
		return fmt.Errorf("counting ConnectionSecrets: %w", err)
	}
	granted, err := served(mgr)
	if err != nil {
		return err
	}
	live, secrets, workers := mgr.GetAPIReader(), &expectations.Versions{}, c.WorkersFor("connectionsecret")
	r := &Reconciler{
		Client: mgr.GetClient(), Live: live, Known: s.known, Report: recorder.Report, Now: time.Now, Grace: c.Degradation, FirstStatus: c.FirstStatus, Grants: none,
		Publisher: publisher{connection.Publisher{
			Client: mgr.GetClient(), Reader: live, Metadata: mgr.GetClient(), FieldManager: fieldManager, RecordWrite: secrets.Record,
		}},
	}
	if granted {
		r.Grants = list(mgr.GetCache())
	}
	latency := &metrics.Latency{Kind: kind.Kind, Elected: mgr.Elected()}
	b := ctrl.NewControllerManagedBy(mgr).Named("connectionsecret").
		WithOptions(controller.Options{MaxConcurrentReconciles: workers, NewQueue: queue.New(kind.Kind, workers), RateLimiter: c.Backoff()}).
		For(&aero.ConnectionSecret{}, builder.WithPredicates(latency.Predicate(), enqueue.UserChanges())).
		Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(connection.ExternalChangePredicate(fieldManager, secrets)))
	s.watch(b, granted)
	return b.Complete(tracing.Wrap(c.Tracing, kind.Kind, latency.Wrap(fault.HidePanics(r)))) //nolint:wrapcheck // it names the controller
}

// watch adds what enqueues a ConnectionSecret besides itself.
func (s *Sources) watch(b *builder.Builder, granted bool) {
	b.WatchesRawSource(source.Func(func(_ context.Context, queue enqueue.Queue) error {
		s.queue.Store(&queue)
		return nil
	}))
	for kind, example := range s.kinds {
		if connection.Publishes(example) {
			b.Watches(example, s.comesAndGoes(kind), builder.WithPredicates(predicate.GenerationChangedPredicate{}))
		}
		if kind == "Database" || kind == "ClickhouseDatabase" {
			b.Watches(example, s.lister.ForName(databaseIndex), builder.WithPredicates(predicate.GenerationChangedPredicate{}))
		}
	}
	b.WatchesMetadata(&corev1.Secret{}, s.lister.ForName(passwordIndex))
	if granted {
		b.Watches(aGrant(), handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, grant client.Object) []reconcile.Request {
			return s.lister.Requests(ctx, client.MatchingFields{namespaceIndex: grant.GetNamespace()})
		}))
	}
}

// comesAndGoes enqueues the ConnectionSecrets of a source that is new or gone, and forgets that.
func (s *Sources) comesAndGoes(kind string) handler.EventHandler {
	enqueueAll := func(ctx context.Context, obj client.Object, queue enqueue.Queue) {
		for _, request := range s.requests(ctx, connectionsecret.Key{Kind: kind, NamespacedName: client.ObjectKeyFromObject(obj)}) {
			queue.Add(request)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue enqueue.Queue) { enqueueAll(ctx, e.Object, queue) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue enqueue.Queue) {
			s.known.Gone(connectionsecret.Key{Kind: kind, NamespacedName: client.ObjectKeyFromObject(e.Object)})
			enqueueAll(ctx, e.Object, queue)
		},
	}
}

func (s *Sources) requests(ctx context.Context, key connectionsecret.Key) []reconcile.Request {
	return s.lister.Requests(ctx, client.MatchingFields{sourceIndex: key.String()})
}

// wanted reports whether a ConnectionSecret names a source.
func (s *Sources) wanted(key connectionsecret.Key) bool {
	return len(s.requests(context.Background(), key)) > 0
}

// changed enqueues the ConnectionSecrets of a source. Before their controller starts, that is of no use: it begins with all.
func (s *Sources) changed(key connectionsecret.Key) {
	queue := s.queue.Load()
	if queue == nil {
		return
	}
	for _, request := range s.requests(context.Background(), key) {
		(*queue).Add(request)
	}
}

func aGrant() *unstructured.Unstructured {
	grant := &unstructured.Unstructured{}
	grant.SetGroupVersionKind(connectionsecret.GrantKind)
	return grant
}

// served reports whether the cluster has grants. One that gets them later needs a restart of the operator.
func served(mgr ctrl.Manager) (bool, error) {
	_, err := mgr.GetRESTMapper().RESTMapping(connectionsecret.GrantKind.GroupKind(), connectionsecret.GrantKind.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("finding out whether ReferenceGrants are served: %w", err)
	}
	return true, nil
}

func none(context.Context, string) ([]unstructured.Unstructured, error) { return nil, nil }

// list lists the grants of a namespace from the cache.
func list(cached client.Reader) func(context.Context, string) ([]unstructured.Unstructured, error) {
	return func(ctx context.Context, namespace string) ([]unstructured.Unstructured, error) {
		found := &unstructured.UnstructuredList{}
		found.SetGroupVersionKind(connectionsecret.GrantKind.GroupVersion().WithKind(connectionsecret.GrantKind.Kind + "List"))
		err := cached.List(ctx, found, client.InNamespace(namespace))
		return found.Items, err //nolint:wrapcheck // the caller names the namespace
	}
}
