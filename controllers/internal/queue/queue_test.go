package queue

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func object(namespace string, n int) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: fmt.Sprint(n)}}
}

// newQueue is a queue in a bubble of synctest.
func newQueue(t *testing.T, workers int) *fair {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Minute)
	q, _ := New(t.Name(), workers)("", limiter).(*fair)
	return q
}

// fill adds objects of a namespace, once the queue has taken in those that were added before.
func (q *fair) fill(namespace string, objects int) {
	synctest.Wait()
	for n := range objects {
		q.Add(object(namespace, n))
	}
	synctest.Wait()
}

// workers are a pool. Each one processes a request until it is let go.
type workers struct {
	q       *fair
	mu      sync.Mutex
	running map[reconcile.Request]chan struct{}
	begun   []reconcile.Request
	twice   bool // one was processed by two workers at once
}

func work(q *fair) *workers {
	w := &workers{q: q, running: map[reconcile.Request]chan struct{}{}}
	for range q.workers {
		go func() {
			for {
				item, shutdown := q.Get()
				if shutdown {
					return
				}
				<-w.begin(item)
				q.Done(item)
			}
		}()
		synctest.Wait() // so that they begin in the order of the queue
	}
	return w
}

func (w *workers) begin(item reconcile.Request) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.twice = w.twice || w.running[item] != nil
	w.begun = append(w.begun, item)
	w.running[item] = make(chan struct{})
	return w.running[item]
}

// end lets the worker of a request go on.
func (w *workers) end(item reconcile.Request) {
	w.mu.Lock()
	if running := w.running[item]; running != nil {
		close(running)
	}
	delete(w.running, item)
	w.mu.Unlock()
	synctest.Wait()
}

// of is how many workers a namespace has.
func (w *workers) of(namespace string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for item := range w.running {
		if item.Namespace == namespace {
			n++
		}
	}
	return n
}

func (w *workers) any() (item reconcile.Request, found bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for item = range w.running {
		return item, true
	}
	return item, false
}

func (w *workers) stop() {
	w.q.ShutDown()
	for item, found := w.any(); found; item, found = w.any() {
		w.end(item)
	}
}

func TestReviewL4_ANamespaceThatHangsLeavesWorkersToOthers(t *testing.T) {
	for name, test := range map[string]struct {
		workers int
		hang    []int // workers of each namespace that hangs, in the order in which they began
	}{
		"one namespace gets half":       {16, []int{8}},
		"an odd number of workers":      {7, []int{4}},
		"the next ones half of what is": {16, []int{8, 4, 2, 1}},
		"two workers":                   {2, []int{1}},
		"three workers":                 {3, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, test.workers)
				for i := range test.hang {
					q.fill(fmt.Sprint("hangs-", i), 100)
				}
				w := work(q)
				defer w.stop()
				busy := 0
				for i, workers := range test.hang {
					assert.Equal(t, workers, w.of(fmt.Sprint("hangs-", i)), i)
					busy += workers
				}
				assert.InDelta(t, 100*len(test.hang)-busy, testutil.ToFloat64(held.WithLabelValues(q.kind)), 0)
				q.fill("new", 1)
				assert.Equal(t, 1, w.of("new"), "it waits for none of them")
			})
		})
	}
}

func TestTheOnlyWorkerIsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 1)
		q.fill("a", 2)
		w := work(q)
		defer w.stop()
		assert.Equal(t, 1, w.of("a"))
		q.fill("b", 1)
		w.end(object("a", 0))
		w.end(object("a", 1))
		assert.Equal(t, 1, w.of("b"))
	})
}

func TestNamespacesThatHangForLongHaveEqualShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 16)
		for _, namespace := range []string{"a", "b", "c"} {
			q.fill(namespace, 1000)
		}
		w := work(q)
		defer w.stop()
		for range 100 {
			item, _ := w.any()
			w.end(item)
		}
		for _, namespace := range []string{"a", "b", "c"} {
			assert.Equal(t, 4, w.of(namespace), namespace)
		}
	})
}

func TestWhatIsHeldKeepsItsPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 2)
		q.fill("a", 4)
		w := work(q)
		defer w.stop()
		edited := 10
		q.AddWithOpts(priorityqueue.AddOpts{Priority: &edited}, object("a", 3))
		synctest.Wait()
		for _, next := range []int{0, 3, 1, 2} {
			w.end(object("a", next))
		}
		assert.Equal(t, []reconcile.Request{object("a", 0), object("a", 3), object("a", 1), object("a", 2)}, w.begun)
	})
}

func TestAnEventAboutWhatIsHeldIsOneWithIt(t *testing.T) {
	for name, test := range map[string]struct {
		add  func(*fair, reconcile.Request)
		runs int
	}{
		"an event":               {(*fair).Add, 1},
		"a time":                 {func(q *fair, o reconcile.Request) { q.AddAfter(o, time.Minute) }, 2},
		"a repetition":           {(*fair).AddRateLimited, 2},
		"an event of low weight": {func(q *fair, o reconcile.Request) { q.AddWithOpts(priorityqueue.AddOpts{Priority: new(-100)}, o) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, 2)
				q.fill("a", 2)
				w := work(q)
				defer w.stop()
				test.add(q, object("a", 1))
				synctest.Wait()
				runs := 0
				for range 3 {
					if item, found := w.any(); found {
						w.end(item)
						runs++
					}
					<-time.After(time.Hour) // in the bubble
				}
				assert.Equal(t, 1+test.runs, runs)
			})
		})
	}
}

func TestNoRequestIsLostOrProcessedTwiceAtOnce(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			q := newQueue(t, 1+random.IntN(9))
			w := work(q)
			defer w.stop()
			added, before := 0, map[reconcile.Request]int{} // how many had begun when it was added last
			for item, found := w.any(); found || added < 200; item, found = w.any() {
				if found && (added == 200 || random.IntN(2) == 0) {
					w.end(item)
					continue
				}
				item = object(fmt.Sprint(random.IntN(5)), random.IntN(20))
				before[item] = len(w.begun)
				q.Add(item)
				synctest.Wait()
				added++
			}
			for item, n := range before {
				assert.Contains(t, w.begun[n:], item, "seed %d", seed)
			}
			assert.False(t, w.twice, "seed %d", seed)
			assert.Empty(t, q.held, "seed %d", seed)
			assert.Empty(t, q.shares, "seed %d", seed)
		})
	}
}
