// Package enqueue finds the objects that an event is about. Every answer comes from a field index of the cache: an event
// costs what it concerns, not what there is.
package enqueue

import (
	"context"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Queue is what requests are added to.
type Queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Lister finds objects of one kind.
type Lister struct {
	Reader client.Reader // with the indexes that are asked for
	Kind   schema.GroupVersionKind
	Scheme *runtime.Scheme // knows the kind and its list
	// Synced reports whether the cache has the objects; nil for a Reader that always has them.
	Synced func() bool
}

// NewLister lists objects from the cache of a manager.
func NewLister(mgr manager.Manager, example client.Object) (Lister, error) {
	gvk, err := apiutil.GVKForObject(example, mgr.GetScheme())
	if err != nil {
		return Lister{}, fmt.Errorf("finding the GroupVersionKind of %T: %w", example, err)
	}
	return Lister{Reader: mgr.GetClient(), Kind: gvk, Scheme: mgr.GetScheme(), Synced: synced(mgr.GetCache(), example)}, nil
}

func synced(informers cache.Informers, example client.Object) func() bool {
	var known atomic.Bool
	return func() bool {
		if !known.Load() {
			informer, err := informers.GetInformer(context.Background(), example, cache.BlockUntilSynced(false))
			known.Store(err == nil && informer.HasSynced())
		}
		return known.Load()
	}
}

// List lists the objects that match. They come from the cache and MUST NOT be changed.
func (f Lister) List(ctx context.Context, options ...client.ListOption) ([]client.Object, error) {
	made, err := f.Scheme.New(f.Kind.GroupVersion().WithKind(f.Kind.Kind + "List"))
	if err != nil {
		return nil, fmt.Errorf("making a list of %s: %w", f.Kind.Kind, err)
	}
	list, isList := made.(client.ObjectList)
	if !isList {
		return nil, fmt.Errorf("the list of %s is none", f.Kind.Kind)
	}
	if err := f.Reader.List(ctx, list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, fmt.Errorf("listing %s: %w", f.Kind.Kind, err)
	}
	var found []client.Object
	err = meta.EachListItem(list, func(item runtime.Object) error {
		found = append(found, item.(client.Object))
		return nil
	})
	return found, err
}

// Requests is List for a queue. It doesn't wait for the cache, as all handlers of an informer would wait with it: before it has synced,
// there are none, and then each object is enqueued anyway. A cache that has synced doesn't fail; if it does, the objects have
// their own timers.
func (f Lister) Requests(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	if f.Synced != nil && !f.Synced() {
		return nil
	}
	found, err := f.List(ctx, options...)
	if err != nil {
		log.FromContext(ctx).Error(err, "Could not list the objects to enqueue: they are reconciled at their next poll")
		return nil
	}
	requests := make([]reconcile.Request, 0, len(found))
	for _, obj := range found {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(obj)})
	}
	return requests
}

// ForName enqueues the objects whose index holds the namespace and name of the event's object.
func (f Lister) ForName(index string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, obj client.Object) []reconcile.Request {
		return f.Requests(ctx, client.MatchingFields{index: client.ObjectKeyFromObject(obj).String()})
	})
}

// OnPreviousValue enqueues, when an object goes or gets another value, those whose index holds the value that it had.
func (f Lister) OnPreviousValue(index string, value func(client.Object) string) handler.EventHandler {
	return onValueLost(value, func(ctx context.Context, _ client.Object, former string) []reconcile.Request {
		return f.Requests(ctx, client.MatchingFields{index: former})
	})
}

// ForSiblings enqueues, when an object is edited or goes, the others whose index holds a value that it has or had.
func (f Lister) ForSiblings(index string, values func(client.Object) []string) handler.EventHandler {
	add := func(ctx context.Context, queue Queue, versions ...client.Object) {
		for _, obj := range versions {
			for _, value := range values(obj) {
				for _, request := range f.Requests(ctx, client.MatchingFields{index: value}) {
					if request.NamespacedName != client.ObjectKeyFromObject(obj) {
						queue.Add(request)
					}
				}
			}
		}
	}
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue Queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() { // also where its deletion begins
				add(ctx, queue, e.ObjectOld, e.ObjectNew)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue Queue) { add(ctx, queue, e.Object) },
	}
}

// ForPreviousName enqueues, when an object goes or gets another name in a field, the object of that name in its namespace.
func ForPreviousName(name func(client.Object) string) handler.EventHandler {
	return forPreviousName(client.Object.GetNamespace, name)
}

// ForPreviousNameIn is ForPreviousName for names of objects in one namespace.
func ForPreviousNameIn(namespace string, name func(client.Object) string) handler.EventHandler {
	return forPreviousName(func(client.Object) string { return namespace }, name)
}

func forPreviousName(namespace, name func(client.Object) string) handler.EventHandler {
	return onValueLost(name, func(_ context.Context, obj client.Object, former string) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: namespace(obj), Name: former}}}
	})
}

// onValueLost enqueues what requestsFor returns when an object no longer has a value.
func onValueLost(
	value func(client.Object) string, requestsFor func(ctx context.Context, obj client.Object, former string) []reconcile.Request,
) handler.EventHandler {
	add := func(ctx context.Context, obj client.Object, queue Queue) {
		if former := value(obj); former != "" {
			for _, request := range requestsFor(ctx, obj, former) {
				queue.Add(request)
			}
		}
	}
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue Queue) {
			if value(e.ObjectOld) != value(e.ObjectNew) {
				add(ctx, e.ObjectOld, queue)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue Queue) { add(ctx, e.Object, queue) },
	}
}
