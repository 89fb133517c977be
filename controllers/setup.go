package controllers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/aero-operator/aero/controllers/internal/memory"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// The operator reads and writes Secrets one by one, and watches their metadata. What it may do to a kind stands in the
// file of that kind; what leader election needs, in the operator's own namespace only, in config/rbac.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// fieldManager is the name under which fields of objects are ours. It never changes.
const fieldManager = "aero"

// The field indexes.
const (
	indexToken   = "aero.token"   // name of the token Secret
	indexService = "aero.service" // project/service
)

// setup is what the kinds share while they are set up.
type setup struct {
	mgr    ctrl.Manager
	config Config
	door   *aiven.Door
	now    func() time.Time
}

// Setup adds a controller for each kind to the manager.
func Setup(mgr ctrl.Manager, config Config, kinds ...Registration) error {
	s := &setup{
		mgr: mgr, config: config, now: time.Now,
		door: aiven.New(aiven.Options{
			BaseURL: config.AivenURL, UserAgent: config.UserAgent, Timeout: config.CallTimeout,
			QPS: config.QPS, Burst: config.Burst,
		}),
	}
	for _, kind := range kinds {
		if err := kind.setup(s); err != nil {
			return fmt.Errorf("setting up %s: %w", kindName(kind.GetObject()), err)
		}
	}
	return nil
}

func (k Kind[T]) setup(s *setup) error {
	gvk, err := apiutil.GVKForObject(k.Object, s.mgr.GetScheme())
	if err != nil {
		return fmt.Errorf("finding its group, version and kind: %w", err)
	}
	if err := k.index(s); err != nil {
		return err
	}
	live, secrets := s.mgr.GetAPIReader(), &memory.Written{}
	r := &Reconciler[T]{
		kind: k, gvk: gvk, client: s.mgr.GetClient(), now: s.now, timings: s.config.timings(), door: s.door,
		recorder:    s.mgr.GetEventRecorder(strings.ToLower(gvk.Kind) + "-reconciler"),
		spread:      func() float64 { return rand.Float64()*2 - 1 },
		credentials: credentials.Resolver{Reader: live, Default: s.config.DefaultToken},
		references:  reference.Resolver{Reader: live},
		publisher: connection.Publisher{
			Client: s.mgr.GetClient(), Reader: live, FieldManager: fieldManager, Wrote: secrets.Note,
		},
	}
	return k.build(s, gvk, r, secrets)
}

// build says what wakes an object: its own spec and annotations, its Secret, its token, what it refers to, its service.
func (k Kind[T]) build(s *setup, gvk schema.GroupVersionKind, r reconcile.Reconciler, secrets *memory.Written) error {
	newList := listMaker(s, gvk)
	b := ctrl.NewControllerManagedBy(s.mgr).Named(strings.ToLower(gvk.Kind)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: s.config.workersFor(strings.ToLower(gvk.Kind)),
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
				s.config.BackoffMin, s.config.BackoffMax),
		}).
		For(k.Object, builder.WithPredicates(ownChanges())).
		WatchesMetadata(&corev1.Secret{}, byIndex(s, newList, indexToken),
			builder.WithPredicates(predicate.ResourceVersionChangedPredicate{}))
	if _, publishes := any(k.Object).(publisher); publishes {
		b = b.Owns(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(changedOrGone(secrets)))
	}
	for _, declaration := range k.References {
		if target := newTarget(s, declaration); target != nil {
			b = b.WatchesMetadata(target,
				handler.EnqueueRequestsFromMapFunc(declaration.Requests(s.mgr.GetClient(), newList)),
				builder.WithPredicates(predicate.ResourceVersionChangedPredicate{}))
		}
	}
	if serviceKeyOf(k.Object) != nil {
		b = b.WatchesRawSource(serviceChanges(s, newList))
	}
	return b.Complete(r)
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
	indexes := map[string]client.IndexerFunc{
		indexToken: func(obj client.Object) []string {
			if ref := obj.(Object).GetAuthSecretRef(); ref != nil {
				return []string{ref.Name}
			}
			return nil
		},
	}
	if key := serviceKeyOf(k.Object); key != nil {
		indexes[indexService] = func(obj client.Object) []string { return []string{key(obj).String()} }
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

// serviceKeyOf gives the function that names the service of an object, or nil for kinds that have none.
func serviceKeyOf(kind client.Object) func(client.Object) aiven.ServiceKey {
	switch kind.(type) {
	case dependent:
		return func(obj client.Object) aiven.ServiceKey {
			d := obj.(dependent).GetServiceDependant()
			return aiven.ServiceKey{Project: d.Project, Service: d.ServiceName}
		}
	case service:
		return func(obj client.Object) aiven.ServiceKey {
			return aiven.ServiceKey{Project: obj.(service).GetProjectDependant().Project, Service: obj.GetName()}
		}
	default:
		return nil
	}
}

// serviceChanges wakes what lives in a service as soon as anyone sees that the service has changed its state.
func serviceChanges(s *setup, newList func() client.ObjectList) source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		s.door.OnChange(func(key aiven.ServiceKey) {
			for _, request := range requestsFor(ctx, s, newList, client.MatchingFields{indexService: key.String()}) {
				queue.Add(request)
			}
		})
		return nil
	})
}

// byIndex maps an object to those of a kind, in its namespace, whose index holds its name.
func byIndex(s *setup, newList func() client.ObjectList, index string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []reconcile.Request {
		return requestsFor(ctx, s, newList,
			client.InNamespace(obj.GetNamespace()), client.MatchingFields{index: obj.GetName()})
	})
}

func requestsFor(ctx context.Context, s *setup, newList func() client.ObjectList, options ...client.ListOption) []reconcile.Request {
	list := newList()
	if err := s.mgr.GetClient().List(ctx, list, options...); err != nil {
		s.mgr.GetLogger().Error(err, "Objects could not be listed, so they are woken by their own timers only")
		return nil
	}
	var requests []reconcile.Request
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(item.(client.Object))})
		return nil
	})
	return requests
}

func listMaker(s *setup, gvk schema.GroupVersionKind) func() client.ObjectList {
	return func() client.ObjectList {
		list, err := s.mgr.GetScheme().New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err != nil {
			panic(fmt.Sprintf("the scheme knows %s and not its list: %v", gvk.Kind, err))
		}
		return list.(client.ObjectList)
	}
}

// kindName is the name of a kind in flags and logs: that of its Go type, in lower case.
func kindName(obj client.Object) string {
	return strings.ToLower(reflect.TypeOf(obj).Elem().Name())
}

func positive(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err == nil && n < 1 {
		err = fmt.Errorf("must be at least 1, not %d", n)
	}
	return n, err
}
