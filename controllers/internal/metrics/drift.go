package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var driftedFields = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "aero_drifted_fields",
	Help: "Fields in which an object differs from what Aiven has, and which are left alone. There is no series without such a field.",
}, []string{"kind", "namespace", "name"})

func init() { metrics.Registry.MustRegister(driftedFields) }

// NoteDrift keeps in the metrics in how many fields an object differs from what Aiven has and is left alone.
func NoteDrift(kind string, object types.NamespacedName, fields int) {
	if fields == 0 {
		driftedFields.DeleteLabelValues(kind, object.Namespace, object.Name)
		return
	}
	driftedFields.WithLabelValues(kind, object.Namespace, object.Name).Set(float64(fields))
}
