package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/condition"
)

var (
	pickup = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "aero_pickup_duration_seconds",
		Help:    "Time from the watch event of a new object to the start of its first reconcile, by kind.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
	}, []string{"kind"})

	timeToReady = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "aero_time_to_ready_seconds",
		Help:    "Time from the watch event of a new object to the watch event of its first Ready=True, by kind.",
		Buckets: []float64{.25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600},
	}, []string{"kind"})
)

func init() { metrics.Registry.MustRegister(pickup, timeToReady) }

// Latency measures the new objects of one kind. Objects that existed before the operator worked are not measured: the time
// that it was away says nothing about how fast it is. A restart forgets the objects that are not ready yet.
type Latency struct {
	Kind    string
	Elected <-chan struct{}  // closed once this replica leads: the others reconcile nothing
	Now     func() time.Time // nil is the real time

	pending sync.Map // types.NamespacedName to newObject
}

// newObject is an object that is not ready yet.
type newObject struct {
	created time.Time // when its watch event came
	started bool      // its first reconcile has started
}

func (l *Latency) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// Predicate measures events, and filters none.
func (l *Latency) Predicate() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			select {
			case <-l.Elected:
				if !e.IsInInitialList {
					l.pending.Store(client.ObjectKeyFromObject(e.Object), newObject{created: l.now()})
				}
			default:
			}
			return true
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			if isReady(e.ObjectNew) {
				l.becameReady(client.ObjectKeyFromObject(e.ObjectNew))
			}
			return true
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			l.pending.Delete(client.ObjectKeyFromObject(e.Object))
			return true
		},
	}
}

// Wrap measures when reconciles start.
func (l *Latency) Wrap(inner reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		l.started(request.NamespacedName)
		return inner.Reconcile(ctx, request)
	})
}

func (l *Latency) started(key types.NamespacedName) {
	found, known := l.pending.Load(key)
	if !known || found.(newObject).started {
		return
	}
	created := found.(newObject).created
	// An event in between wins: the object was recreated, or is no longer pending.
	if l.pending.CompareAndSwap(key, found, newObject{created: created, started: true}) {
		pickup.WithLabelValues(l.Kind).Observe(l.now().Sub(created).Seconds())
	}
}

func (l *Latency) becameReady(key types.NamespacedName) {
	if found, known := l.pending.LoadAndDelete(key); known {
		timeToReady.WithLabelValues(l.Kind).Observe(l.now().Sub(found.(newObject).created).Seconds())
	}
}

func isReady(obj client.Object) bool {
	o, ok := obj.(object)
	return ok && apimeta.IsStatusConditionTrue(o.GetCommonStatus().Conditions, condition.Ready)
}
