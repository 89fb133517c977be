package connection

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var publishesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "aero_secret_publishes_total",
	Help: "Times that a connection Secret was brought in line, by the kind of its object and by how that ended.",
}, []string{"kind", "result"})

func init() { metrics.Registry.MustRegister(publishesTotal) }

// How publishing a Secret ends.
const (
	publishWritten      = "written"   // it was created or changed
	publishUnchanged    = "unchanged" // it was as it should be
	publishOwnedByOther = "foreign"   // it is somebody else's
	publishPending      = "pending"   // it has to go away first
	publishFailed       = "error"
)

func countPublish(kind string, changed bool, err error) {
	var foreign *OwnershipError
	var pending *PendingError
	result := publishUnchanged
	switch {
	case errors.As(err, &foreign):
		result = publishOwnedByOther
	case errors.As(err, &pending):
		result = publishPending
	case err != nil:
		result = publishFailed
	case changed:
		result = publishWritten
	}
	publishesTotal.WithLabelValues(kind, result).Inc()
}
