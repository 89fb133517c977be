package aiven

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	callsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "aero_aiven_calls_total",
		Help: "Calls to the Aiven API by operation and by the status of the answer, or else by what prevented one.",
	}, []string{"operation", "code"})

	callDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "aero_aiven_call_duration_seconds",
		Help:    "Time until the Aiven API began to answer, or the call failed, by operation.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20},
	}, []string{"operation"})
)

func init() { metrics.Registry.MustRegister(callsTotal, callDuration) }

// observeCall counts one attempt. code is a status or a class of package fault.
func observeCall(operation, code string, took time.Duration) {
	callsTotal.WithLabelValues(operation, code).Inc()
	callDuration.WithLabelValues(operation).Observe(took.Seconds())
}

// observeRefusal counts a call that the own budget forbade.
func observeRefusal(operation string) { callsTotal.WithLabelValues(operation, "budget").Inc() }
