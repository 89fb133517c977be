package queue

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var held = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "aero_queue_held_objects",
	Help: "Objects that wait because others of their namespace have its share of the workers, by kind.",
}, []string{"kind"})

func init() { metrics.Registry.MustRegister(held) }
