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

	"github.com/aero-operator/aero/api/v1alpha1"
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
		Help:    "Time from the watch event of a new object to the one that tells that it is Ready for the first time, by kind.",
		Buckets: []float64{.25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600},
	}, []string{"kind"})
)

func init() { metrics.Registry.MustRegister(pickup, timeToReady) }

// Latency times the new objects of one kind. What was there before the operator worked isn't timed: how long the
// operator was away says nothing about how fast it is. A restart forgets who is on the way.
type Latency struct {
	Kind    string
	Elected <-chan struct{}  // closed once the operator works: a replica that stands by picks nothing up
	Now     func() time.Time // nil is the real time

	pending sync.Map // types.NamespacedName to lap
}

// newObject is how far a new object has got.
type newObject struct {
	began  time.Time
	picked bool
}

func (s *Latency) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Predicate lets every event through, and learns from it.
func (s *Latency) Predicate() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			select {
			case <-s.Elected:
				if !e.IsInInitialList {
					s.pending.Store(client.ObjectKeyFromObject(e.Object), newObject{began: s.now()})
				}
			default:
			}
			return true
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			if isReady(e.ObjectNew) {
				s.becameReady(client.ObjectKeyFromObject(e.ObjectNew))
			}
			return true
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			s.pending.Delete(client.ObjectKeyFromObject(e.Object))
			return true
		},
	}
}

// Wrap notes when a reconcile begins.
func (s *Latency) Wrap(inner reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		s.started(request.NamespacedName)
		return inner.Reconcile(ctx, request)
	})
}

func (s *Latency) started(key types.NamespacedName) {
	found, known := s.pending.Load(key)
	if !known || found.(newObject).picked {
		return
	}
	began := found.(newObject).began
	// An event that came in between is right: it has told of another object, or that this one is on its way no longer.
	if s.pending.CompareAndSwap(key, found, newObject{began: began, picked: true}) {
		pickup.WithLabelValues(s.Kind).Observe(s.now().Sub(began).Seconds())
	}
}

func (s *Latency) becameReady(key types.NamespacedName) {
	if found, known := s.pending.LoadAndDelete(key); known {
		timeToReady.WithLabelValues(s.Kind).Observe(s.now().Sub(found.(newObject).began).Seconds())
	}
}

func isReady(obj client.Object) bool {
	judged, ok := obj.(interface{ GetCommonStatus() *v1alpha1.CommonStatus })
	return ok && apimeta.IsStatusConditionTrue(judged.GetCommonStatus().Conditions, condition.Ready)
}
