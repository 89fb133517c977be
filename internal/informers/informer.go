package informers

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// informer passes the events of another one on to its handlers, in the order in which they were added, one event after the other. A
// handler that blocks holds up the others, and none may remove itself.
type informer struct {
	cache.Informer

	mu       sync.Mutex
	listener toolscache.ResourceEventHandlerRegistration // nil before the first handler
	handlers []*registration
	known    map[types.NamespacedName]any // what was added and not deleted, for handlers that are added later
}

var errStopped = errors.New("the informer has stopped")

// registration has the listener's knowledge of what was delivered.
type registration struct {
	toolscache.ResourceEventHandlerRegistration
	handler toolscache.ResourceEventHandler
}

func newInformer(inner cache.Informer) *informer {
	return &informer{Informer: inner, known: map[types.NamespacedName]any{}}
}

// AddEventHandler implements cache.Informer.
func (i *informer) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{})
}

// AddEventHandlerWithOptions adds a handler, which gets what exists first. One with a resync period of its own shares nothing.
func (i *informer) AddEventHandlerWithOptions(
	handler toolscache.ResourceEventHandler, options toolscache.HandlerOptions,
) (toolscache.ResourceEventHandlerRegistration, error) {
	if options.ResyncPeriod != nil {
		return i.Informer.AddEventHandlerWithOptions(handler, options)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.IsStopped() {
		return nil, errStopped
	}
	if i.listener == nil {
		listener, err := i.Informer.AddEventHandlerWithOptions((*listener)(i), options)
		if err != nil {
			return nil, fmt.Errorf("adding the listener of an informer: %w", err)
		}
		i.listener = listener
	}
	for _, obj := range i.known {
		handler.OnAdd(obj, true)
	}
	added := &registration{ResourceEventHandlerRegistration: i.listener, handler: handler}
	i.handlers = append(i.handlers, added)
	return added, nil
}

// RemoveEventHandler implements cache.Informer.
func (i *informer) RemoveEventHandler(handle toolscache.ResourceEventHandlerRegistration) error {
	added, shared := handle.(*registration)
	if !shared {
		return i.Informer.RemoveEventHandler(handle)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handlers = slices.DeleteFunc(i.handlers, func(r *registration) bool { return r == added })
	return nil
}

// listener is an informer as the handler of the other informer.
type listener informer

// OnAdd implements toolscache.ResourceEventHandler.
func (l *listener) OnAdd(obj any, isInInitialList bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learn(obj)
	for _, r := range l.handlers {
		r.handler.OnAdd(obj, isInInitialList)
	}
}

// OnUpdate implements toolscache.ResourceEventHandler.
func (l *listener) OnUpdate(before, after any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learn(after)
	for _, r := range l.handlers {
		r.handler.OnUpdate(before, after)
	}
}

// OnDelete implements toolscache.ResourceEventHandler.
func (l *listener) OnDelete(obj any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := obj
	if tombstone, missed := obj.(toolscache.DeletedFinalStateUnknown); missed {
		last = tombstone.Obj
	}
	if o, is := last.(client.Object); is {
		delete(l.known, client.ObjectKeyFromObject(o))
	}
	for _, r := range l.handlers {
		r.handler.OnDelete(obj)
	}
}

func (l *listener) learn(obj any) {
	if o, is := obj.(client.Object); is {
		l.known[client.ObjectKeyFromObject(o)] = obj
	}
}
