// Package pace measures how fast objects get ahead: from the event that tells of a new object to the first reconcile, and
// to readiness.
package pace

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

// Stopwatch times the new objects of one kind. What was there before the operator worked isn't timed: how long the
// operator was away says nothing about how fast it is. A restart forgets who is on the way.
type Stopwatch struct {
	Kind    string
	Working <-chan struct{}  // closed once the operator works: a replica that stands by picks nothing up
	Now     func() time.Time // nil is the real time

	laps sync.Map // types.NamespacedName to lap
}

// lap is how far a new object has got.
type lap struct {
	began  time.Time
	picked bool
}

func (s *Stopwatch) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Sees lets every event through, and learns from it.
func (s *Stopwatch) Sees() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			select {
			case <-s.Working:
				if !e.IsInInitialList {
					s.laps.Store(client.ObjectKeyFromObject(e.Object), lap{began: s.now()})
				}
			default:
			}
			return true
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			if isReady(e.ObjectNew) {
				s.arrived(client.ObjectKeyFromObject(e.ObjectNew))
			}
			return true
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			s.laps.Delete(client.ObjectKeyFromObject(e.Object))
			return true
		},
	}
}

// Around notes when a reconcile begins.
func (s *Stopwatch) Around(inner reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		s.picked(request.NamespacedName)
		return inner.Reconcile(ctx, request)
	})
}

func (s *Stopwatch) picked(key types.NamespacedName) {
	found, known := s.laps.Load(key)
	if !known || found.(lap).picked {
		return
	}
	began := found.(lap).began
	// An event that came in between is right: it has told of another object, or that this one is on its way no longer.
	if s.laps.CompareAndSwap(key, found, lap{began: began, picked: true}) {
		pickup.WithLabelValues(s.Kind).Observe(s.now().Sub(began).Seconds())
	}
}

func (s *Stopwatch) arrived(key types.NamespacedName) {
	if found, known := s.laps.LoadAndDelete(key); known {
		timeToReady.WithLabelValues(s.Kind).Observe(s.now().Sub(found.(lap).began).Seconds())
	}
}

func isReady(obj client.Object) bool {
	judged, ok := obj.(interface{ GetCommonStatus() *v1alpha1.CommonStatus })
	return ok && apimeta.IsStatusConditionTrue(judged.GetCommonStatus().Conditions, condition.Ready)
}
