package metrics

import (
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	objectsDesc = prometheus.NewDesc("aero_objects",
		"Objects by kind, by phase, and by the status and the reason of their condition Ready.",
		[]string{"kind", "phase", "ready", "reason"}, nil)

	unreadySinceDesc = prometheus.NewDesc("aero_unready_since_timestamp_seconds",
		"Since when the object of a kind has not been ready that has not been so for longest, by the reason. Paused objects are left out.",
		[]string{"kind", "reason"}, nil)
)

// running are the censuses that take part in a scrape: one in the operator, many in tests.
var running = &registry{collectors: map[*ObjectCollector]struct{}{}}

func init() { metrics.Registry.MustRegister(running) }

// registry counts when it is asked.
type registry struct {
	mu         sync.Mutex
	collectors map[*ObjectCollector]struct{}
}

func (c *registry) add(census *ObjectCollector) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.collectors[census] = struct{}{}
}

func (c *registry) remove(census *ObjectCollector) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.collectors, census)
}

// Describe tells what there may be.
func (c *registry) Describe(out chan<- *prometheus.Desc) {
	out <- objectsDesc
	out <- unreadySinceDesc
}

// Collect counts.
func (c *registry) Collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	censuses := slices.Collect(maps.Keys(c.collectors))
	c.mu.Unlock()
	t := newTotals()
	for _, census := range censuses {
		census.collect(t)
	}
	for key, n := range t.objects {
		out <- prometheus.MustNewConstMetric(objectsDesc, prometheus.GaugeValue, float64(n), key.kind, key.phase, key.ready, key.reason)
	}
	for key, since := range t.unready {
		out <- prometheus.MustNewConstMetric(unreadySinceDesc, prometheus.GaugeValue, float64(since.Unix()), key.kind, key.reason)
	}
}
