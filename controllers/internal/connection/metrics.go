package connection

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var publishesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "aero_secret_publishes_total",
	Help: "Publications of connection Secrets, by kind of the object and result: written, unchanged, foreign, noroute, pending, error.",
}, []string{"kind", "result"})

func init() { metrics.Registry.MustRegister(publishesTotal) }

// Results of a publication.
const (
	publishWritten      = "written"   // it was created or changed
	publishUnchanged    = "unchanged" // it was up to date
	publishOwnedByOther = "foreign"   // it belongs to another object
	publishNoRoute      = "noroute"   // Aiven has no address on the wanted route
	publishPending      = "pending"   // it has to be deleted first
	publishFailed       = "error"
)

func countPublish(kind string, changed bool, err error) {
	foreign, noRoute := Refusals(err)
	var pending *PendingError
	result := publishUnchanged
	switch {
	case foreign:
		result = publishOwnedByOther
	case noRoute:
		result = publishNoRoute
	case errors.As(err, &pending):
		result = publishPending
	case err != nil:
		result = publishFailed
	case changed:
		result = publishWritten
	}
	publishesTotal.WithLabelValues(kind, result).Inc()
}
