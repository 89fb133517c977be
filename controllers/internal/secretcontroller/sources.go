package secretcontroller

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	"github.com/aero-operator/aero/controllers/internal/metrics"
)

// sourceIndex is over objects of the kinds below: the sources that each names, as Key.String.
const sourceIndex = "aero.source"

// naming is a kind whose objects name sources of some kinds.
type naming struct {
	example client.Object
	names   func(kind string) bool
}

func namings() []naming {
	return []naming{
		{&aero.ConnectionSecret{}, func(string) bool { return true }},
		{&aero.ServiceUserRotation{}, func(kind string) bool { return kind == userKind }},
	}
}

const userKind = "ServiceUser"

// KeysOf names the sources of an object.
func KeysOf(obj client.Object) []connectionsecret.Key {
	switch named := obj.(type) {
	case *aero.ConnectionSecret:
		return []connectionsecret.Key{KeyOf(named)}
	case *aero.ServiceUserRotation:
		keys := make([]connectionsecret.Key, 0, len(named.Spec.UserRefs))
		for _, user := range named.Spec.UserRefs {
			keys = append(keys, UserKey(types.NamespacedName{Namespace: named.Namespace, Name: user.Name}))
		}
		return keys
	default:
		return nil
	}
}

// UserKey names a ServiceUser.
func UserKey(name types.NamespacedName) connectionsecret.Key {
	return connectionsecret.Key{Kind: userKind, NamespacedName: name}
}

// reader is a kind whose objects name sources, while its controller runs.
type reader struct {
	naming

	lister enqueue.Lister
	queue  atomic.Pointer[enqueue.Queue] // nil before the controller starts
}

// Sources connects the kinds that others name with the controllers of these. A nil one is for kinds that none names.
type Sources struct {
	others  SetUp
	known   *connectionsecret.Known
	readers []*reader
	kinds   map[string]*sourceKind
}

// sourceKind is a kind that may be named, while its controller runs.
type sourceKind struct {
	example client.Object
	queue   atomic.Pointer[enqueue.Queue] // nil before the controller starts
}

// SetUp adds a controller of a kind that names sources.
type SetUp func(mgr ctrl.Manager, s *Sources, c config.Config, fieldManager string, recorder *events.Recorder) error

// NewSources is ready for Watch. The controller of ConnectionSecrets and the others are added by SetupWithManager.
func NewSources(others SetUp) *Sources { return &Sources{others: others} }

// Known is what was observed. It is nil before SetupWithManager.
func (s *Sources) Known() *connectionsecret.Known { return s.known }

// Observed hands over what an object was observed to connect with, by the route of its own connection Secret. One whose login is withheld
// isn't a source, and neither is one that has no endpoint on that route: another one is never published in its place.
func (s *Sources) Observed(obj client.Object, kind string, target connection.Target, withheld bool, info connection.Info) {
	if s == nil {
		return
	}
	key := connectionsecret.Key{Kind: kind, NamespacedName: client.ObjectKeyFromObject(obj)}
	there, err := info.Via(target.Route)
	if withheld || err != nil {
		s.known.Withheld(key, obj.GetUID())
		return
	}
	s.known.Observed(key, obj.GetUID(), there)
}

// Watch makes what names objects of a kind, in their namespace, enqueue those that it begins to name: their next reconcile hands over what
// they connect with. What names one in another namespace asks for it once that is permitted: see Ask.
func (s *Sources) Watch(b *builder.Builder, kind string, example client.Object) {
	if s == nil {
		return
	}
	if s.kinds == nil {
		s.kinds = map[string]*sourceKind{}
	}
	of := &sourceKind{example: example}
	s.kinds[kind] = of
	if !connection.Publishes(example) {
		return
	}
	b.WatchesRawSource(source.Func(func(_ context.Context, queue enqueue.Queue) error {
		of.queue.Store(&queue)
		return nil
	}))
	named := func(_ context.Context, obj client.Object) []reconcile.Request {
		var requests []reconcile.Request
		for _, key := range KeysOf(obj) {
			if key.Kind == kind && key.Namespace == obj.GetNamespace() {
				requests = append(requests, reconcile.Request{NamespacedName: key.NamespacedName})
			}
		}
		return requests
	}
	for _, n := range namings() {
		if n.names(kind) {
			b.Watches(n.example, handler.EnqueueRequestsFromMapFunc(named), builder.WithPredicates(predicate.Funcs{
				UpdateFunc: func(e event.UpdateEvent) bool { return !slices.Equal(KeysOf(e.ObjectOld), KeysOf(e.ObjectNew)) },
				DeleteFunc: func(event.DeleteEvent) bool { return false },
			}))
		}
	}
}

// Ask enqueues a source. Before its controller starts, that is of no use: it begins with all.
func (s *Sources) Ask(key connectionsecret.Key) {
	of, is := s.kinds[key.Kind]
	if !is {
		return
	}
	if queue := of.queue.Load(); queue != nil {
		(*queue).Add(reconcile.Request{NamespacedName: key.NamespacedName})
	}
}

// SetupWithManager adds the controllers of all that names sources, after the kinds that they may name.
func (s *Sources) SetupWithManager(mgr ctrl.Manager, c config.Config, fieldManager string, recorder *events.Recorder) error {
	if err := s.setUp(mgr, c.MetricsNamespaceLabel); err != nil {
		return err
	}
	if err := s.setUpSecrets(mgr, c, fieldManager, recorder); err != nil {
		return fmt.Errorf("setting up ConnectionSecrets: %w", err)
	}
	if err := s.others(mgr, s, c, fieldManager, recorder); err != nil {
		return fmt.Errorf("setting up what else names sources: %w", err)
	}
	return nil
}

// setUp indexes and counts all that names sources.
func (s *Sources) setUp(mgr ctrl.Manager, metricsByNamespace bool) error {
	objects := &metrics.ObjectCollector{ByNamespace: metricsByNamespace}
	s.known = connectionsecret.NewKnown(s.wanted, s.changed)
	for _, n := range namings() {
		lister, err := enqueue.NewLister(mgr, n.example)
		if err != nil {
			return err // it names the kind
		}
		index := func(obj client.Object) []string {
			var names []string
			for _, key := range KeysOf(obj) {
				names = append(names, key.String())
			}
			return names
		}
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), n.example, sourceIndex, index); err != nil {
			return fmt.Errorf("indexing sources: %w", err)
		}
		s.readers, objects.Kinds = append(s.readers, &reader{naming: n, lister: lister}), append(objects.Kinds, lister)
	}
	if err := mgr.Add(objects); err != nil {
		return fmt.Errorf("counting what names sources: %w", err)
	}
	return nil
}

// Lister lists the objects of a kind that names sources, while controllers are set up.
func (s *Sources) Lister(kind string) enqueue.Lister { return s.of(kind).lister }

func (s *Sources) of(kind string) *reader {
	for _, reads := range s.readers {
		if reads.lister.Kind.Kind == kind {
			return reads
		}
	}
	panic("no kind that names sources: " + kind)
}

// Naming lists the objects of a kind that name a source, from the cache.
func (s *Sources) Naming(ctx context.Context, kind string, key connectionsecret.Key) ([]client.Object, error) {
	return s.of(kind).lister.List(ctx, client.MatchingFields{sourceIndex: key.String()}) // it names the kind
}

// Requests are those for the objects of a kind that name a source.
func (s *Sources) Requests(ctx context.Context, kind string, key connectionsecret.Key) []reconcile.Request {
	return s.of(kind).requests(ctx, key)
}

// Enqueue makes the controller of a kind reconcile its objects whenever a source of them comes, goes, or connects with something else.
func (s *Sources) Enqueue(b *builder.Builder, kind string) {
	reads := s.of(kind)
	b.WatchesRawSource(source.Func(func(_ context.Context, queue enqueue.Queue) error {
		reads.queue.Store(&queue)
		return nil
	}))
	for name, of := range s.kinds {
		if connection.Publishes(of.example) && reads.names(name) {
			b.Watches(of.example, s.comesAndGoes(reads, name))
		}
	}
}

// comesAndGoes enqueues what names a source that is new or gone, and forgets that. One that is being deleted, or whose resource is gone at
// Aiven, counts as gone.
func (s *Sources) comesAndGoes(reads *reader, kind string) handler.EventHandler {
	enqueueAll := func(ctx context.Context, obj client.Object, queue enqueue.Queue) {
		for _, request := range reads.requests(ctx, connectionsecret.Key{Kind: kind, NamespacedName: client.ObjectKeyFromObject(obj)}) {
			queue.Add(request)
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue enqueue.Queue) { enqueueAll(ctx, e.Object, queue) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue enqueue.Queue) {
			if isGoing(e.ObjectOld) != isGoing(e.ObjectNew) || lost(e.ObjectOld) != lost(e.ObjectNew) {
				enqueueAll(ctx, e.ObjectNew, queue)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue enqueue.Queue) {
			s.known.Gone(connectionsecret.Key{Kind: kind, NamespacedName: client.ObjectKeyFromObject(e.Object)})
			enqueueAll(ctx, e.Object, queue)
		},
	}
}

func isGoing(obj client.Object) bool { return obj.GetDeletionTimestamp() != nil }

func (r *reader) requests(ctx context.Context, key connectionsecret.Key) []reconcile.Request {
	return r.lister.Requests(ctx, client.MatchingFields{sourceIndex: key.String()})
}

// wanted reports whether an object names a source.
func (s *Sources) wanted(key connectionsecret.Key) bool {
	for _, reads := range s.readers {
		if len(reads.requests(context.Background(), key)) > 0 {
			return true
		}
	}
	return false
}

// changed enqueues what names a source. Before a controller starts, that is of no use: it begins with all.
func (s *Sources) changed(key connectionsecret.Key) {
	for _, reads := range s.readers {
		queue := reads.queue.Load()
		if queue == nil {
			continue
		}
		for _, request := range reads.requests(context.Background(), key) {
			(*queue).Add(request)
		}
	}
}
