package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	writers = 16 // that apply objects at a time

	// crowdTimeout is how long a crowd may take to be ready.
	crowdTimeout = 20 * time.Minute
	// sampling is the pause between two checks of the operator's memory.
	sampling = 250 * time.Millisecond

	crowdLabel = "aero-bench"
)

// crowd is a number of objects that are applied at once, and watched until all are ready.
type crowd struct {
	*world
	label     string
	namespace string
	objects   []object
	each      func(object)  // is called with every state of every object, unless it is nil
	pause     time.Duration // between two creations; 0 creates many at a time

	made   sync.Map             // when each was created, by kind and name
	ready  map[string]time.Time // by kind and name
	curve  []point              // objects that are ready over the seconds since the beginning
	memory []point              // MB that the operator has allocated over objects that are ready
	begin  time.Time
	end    time.Time // of the last creation
}

func (w *world) newCrowd(label string) *crowd {
	return &crowd{world: w, label: label, namespace: namespace, ready: map[string]time.Time{}}
}

// add adds an example under a name of its own, in another service if one is named.
func (c *crowd) add(example, name, service string) error {
	o, err := c.place(example, name, service)
	if err != nil {
		return err
	}
	c.join(o)
	return nil
}

// join makes an object one of the crowd.
func (c *crowd) join(o object) {
	o.SetNamespace(c.namespace)
	o.SetLabels(map[string]string{crowdLabel: c.label})
	c.objects = append(c.objects, o)
}

// addChildren adds as many databases and users to a service.
func (c *crowd) addChildren(service string, each int) error {
	for i := range each {
		if err := c.add("database", fmt.Sprintf("%s-db-%04d", service, i), service); err != nil {
			return err
		}
		if err := c.add("serviceuser", fmt.Sprintf("%s-user-%04d", service, i), service); err != nil {
			return err
		}
	}
	return nil
}

// apply creates all of them, and returns when the last one is ready.
func (c *crowd) apply(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, crowdTimeout,
		fmt.Errorf("%d objects weren't ready within %s", len(c.objects), crowdTimeout))
	defer cancel()
	events, err := c.watch(ctx)
	if err != nil {
		return err
	}
	samples := time.NewTicker(sampling)
	defer samples.Stop()
	c.begin = time.Now()
	created := make(chan error, 1)
	go func() { created <- c.create(ctx) }()
	for c.end.IsZero() || len(c.ready) < len(c.objects) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: only %d are", context.Cause(ctx), len(c.ready))
		case err := <-created:
			if err != nil {
				return err
			}
			c.end = time.Now()
		case event := <-events:
			c.note(event)
		case <-samples.C:
			if err := c.sample(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *crowd) sample() error {
	now, err := c.operatorMemory()
	if err != nil {
		return err
	}
	c.memory = append(c.memory, point{float64(len(c.ready)), now.anon})
	return nil
}

// watch joins the watches of the kinds.
func (c *crowd) watch(ctx context.Context) (<-chan watch.Event, error) {
	events := make(chan watch.Event, 1000)
	watched := map[schema.GroupVersionKind]bool{}
	for _, o := range c.objects {
		kind, err := c.kube.GroupVersionKindFor(o)
		if err != nil {
			return nil, fmt.Errorf("watching: %w", err)
		}
		if watched[kind] {
			continue
		}
		watched[kind] = true
		if err := c.watchKind(ctx, kind, events); err != nil {
			return nil, fmt.Errorf("watching %s: %w", kind.Kind, err)
		}
	}
	return events, nil
}

// watchKind watches from now on until ctx ends, also if the API server ends a watch: a busy one does that to slow watchers.
func (c *crowd) watchKind(ctx context.Context, kind schema.GroupVersionKind, events chan<- watch.Event) error {
	kind.Kind += "List"
	object, err := c.kube.Scheme().New(kind)
	if err != nil {
		return err
	}
	list := object.(client.ObjectList)
	chosen := []client.ListOption{client.InNamespace(c.namespace), client.MatchingLabels{crowdLabel: c.label}}
	if err := c.kube.List(ctx, list, chosen...); err != nil {
		return err
	}
	source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		return c.kube.Watch(ctx, list, append(chosen, &client.ListOptions{Raw: &options})...)
	}}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), source)
	if err != nil {
		return err
	}
	go pass(ctx, watcher, events)
	return nil
}

// pass passes events on until ctx ends.
func pass(ctx context.Context, watcher watch.Interface, events chan<- watch.Event) {
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		select {
		case events <- event:
		case <-ctx.Done():
			return
		}
	}
}

func (c *crowd) note(event watch.Event) {
	o, ok := event.Object.(object)
	if !ok {
		return
	}
	if c.each != nil {
		c.each(o)
	}
	if !isReady(o) {
		return
	}
	key := keyOf(o)
	if _, known := c.ready[key]; known {
		return
	}
	now := time.Now()
	c.ready[key] = now
	c.curve = append(c.curve, point{now.Sub(c.begin).Seconds(), float64(len(c.ready))})
}

// keyOf is the kind and name of an object.
func keyOf(o object) string { return fmt.Sprintf("%T/%s", o, o.GetName()) }

func (c *crowd) create(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for _, o := range c.objects {
		group.Go(func() error {
			c.made.Store(keyOf(o), time.Now())
			return c.world.create(ctx, o)
		})
		if c.pause > 0 {
			if err := pause(ctx, c.pause); err != nil {
				break // the group has the reason, or the caller
			}
		}
	}
	return group.Wait()
}

// durations are how long each took from its creation until it was ready.
func (c *crowd) durations() []time.Duration {
	var took []time.Duration
	for key, at := range c.ready {
		if made, known := c.made.Load(key); known {
			took = append(took, at.Sub(made.(time.Time)))
		}
	}
	return took
}

// last is when the last one became ready.
func (c *crowd) last() time.Time {
	var last time.Time
	for _, at := range c.ready {
		if at.After(last) {
			last = at
		}
	}
	return last
}
