// Package queue shares the workers of a kind among namespaces: whatever the objects of one wait for, those of another find a
// worker.
package queue

import (
	"container/heap"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// New returns the constructor of a queue for controller.Options, for a number of workers. While objects of a namespace have n
// workers, another one is for it only if more than n are free. So one namespace alone gets half of them, and two that
// wait for long a third each. Of several that begin at once, each gets half of what those before have left: with 16 workers, five
// of them take all until the first of their requests end. What has to wait is held, and counted in aero_queue_held_objects.
func New(kind string, workers int) func(string, workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		return newFair(kind, workers, priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) {
			o.Log = ctrl.Log.WithName("queue").WithValues("controller", name)
			o.RateLimiter = limiter
		}))
	}
}

// fair holds requests back that PriorityQueue has handed out. For that queue they are being processed: what is added meanwhile
// comes afterwards.
type fair struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	kind    string
	workers int

	mu     sync.Mutex
	busy   int
	shares map[string]*share // of the namespaces with requests that are processed or held
	held   map[reconcile.Request]*request
	number int // of the next request that is held
}

// share is what one namespace has.
type share struct {
	workers int
	held    waiting
}

func newFair(kind string, workers int, inner priorityqueue.PriorityQueue[reconcile.Request]) *fair {
	held.WithLabelValues(kind).Set(0)
	return &fair{
		PriorityQueue: inner, kind: kind, workers: workers,
		shares: map[string]*share{}, held: map[reconcile.Request]*request{},
	}
}

// GetWithPriority blocks until there is a request for which a worker is free. When a worker becomes free, it is the one
// that asks next, and no other namespace may have more because of it: those that block stay blocked.
func (q *fair) GetWithPriority() (reconcile.Request, int, bool) {
	if r, found := q.next(); found {
		return r.Request, r.priority, false
	}
	for {
		item, priority, shutdown := q.PriorityQueue.GetWithPriority()
		if shutdown || q.admit(item, priority) {
			return item, priority, shutdown
		}
	}
}

// Get implements workqueue.TypedInterface.
func (q *fair) Get() (reconcile.Request, bool) {
	item, _, shutdown := q.GetWithPriority()
	return item, shutdown
}

// Done frees the worker of a request.
func (q *fair) Done(item reconcile.Request) {
	q.PriorityQueue.Done(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	q.shares[item.Namespace].workers--
	q.forget(item.Namespace)
}

// AddWithOpts adds no request that is held: when it is processed, it is up to date.
func (q *fair) AddWithOpts(o priorityqueue.AddOpts, items ...reconcile.Request) {
	if o.After == 0 && !o.RateLimited {
		items = q.raise(o, items)
	}
	q.PriorityQueue.AddWithOpts(o, items...)
}

// Add implements workqueue.TypedInterface.
func (q *fair) Add(item reconcile.Request) { q.AddWithOpts(priorityqueue.AddOpts{}, item) }

// AddAfter implements workqueue.TypedDelayingInterface.
func (q *fair) AddAfter(item reconcile.Request, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, item)
}

// AddRateLimited implements workqueue.TypedRateLimitingInterface.
func (q *fair) AddRateLimited(item reconcile.Request) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item)
}

// raise gives requests that are held the higher priority of the two. It returns the others.
func (q *fair) raise(o priorityqueue.AddOpts, items []reconcile.Request) []reconcile.Request {
	priority := 0
	if o.Priority != nil {
		priority = *o.Priority
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	var others []reconcile.Request
	for _, item := range items {
		r := q.held[item]
		switch {
		case r == nil:
			others = append(others, item)
		case priority > r.priority:
			r.priority = priority
			heap.Fix(&q.shares[item.Namespace].held, r.index)
		}
	}
	return others
}

// next takes a request that is held, for which a worker is free now: the one of the namespace that has the fewest.
func (q *fair) next() (r *request, found bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.held) == 0 || q.ShuttingDown() {
		return nil, false
	}
	var fewest *share
	for _, s := range q.shares {
		if len(s.held) > 0 && (fewest == nil || s.workers < fewest.workers || s.workers == fewest.workers && s.held.before(fewest.held)) {
			fewest = s
		}
	}
	if !q.mayHave(fewest) {
		return nil, false
	}
	r, _ = heap.Pop(&fewest.held).(*request)
	delete(q.held, r.Request)
	q.take(fewest)
	return r, true
}

// admit takes a worker for a request, or holds it.
func (q *fair) admit(item reconcile.Request, priority int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.shares[item.Namespace]
	if s == nil {
		s = &share{}
		q.shares[item.Namespace] = s
	}
	if q.mayHave(s) {
		q.take(s)
		return true
	}
	r := &request{Request: item, priority: priority, number: q.number}
	q.number++
	q.held[item] = r
	heap.Push(&s.held, r)
	q.measure()
	return false
}

// mayHave reports whether a namespace may have one more worker. The lock is held by the caller of this and of what follows.
func (q *fair) mayHave(s *share) bool { return s.workers < q.workers-q.busy }

func (q *fair) take(s *share) {
	q.busy++
	s.workers++
	q.measure()
}

func (q *fair) forget(namespace string) {
	if s := q.shares[namespace]; s.workers == 0 && len(s.held) == 0 {
		delete(q.shares, namespace)
	}
}

func (q *fair) measure() { held.WithLabelValues(q.kind).Set(float64(len(q.held))) }
