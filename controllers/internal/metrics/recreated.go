package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/api/v1alpha1"
)

var recreatedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "aero_recreated_total",
	Help: "Aiven resources that had been ready, were missing, and were created again, or may have been as the answer was lost, by kind.",
}, []string{"kind"})

func init() { metrics.Registry.MustRegister(recreatedTotal) }

// CountCreation counts what was created, or may have been, if the object had its resource before, and that was ready.
func CountCreation(kind string, before *v1alpha1.Provenance, made bool) {
	if made && before != nil && before.WasReady {
		recreatedTotal.WithLabelValues(kind).Inc()
	}
}
