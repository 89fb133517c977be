package census

import (
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var (
	objects = prometheus.NewDesc("aero_objects",
		"Objects by kind, by phase, and by the status and the reason of their condition Ready.",
		[]string{"kind", "phase", "ready", "reason"}, nil)

	unreadySince = prometheus.NewDesc("aero_unready_since_timestamp_seconds",
		"Since when the object of a kind has not been ready that has not been so for longest, by the reason. Paused objects are left out.",
		[]string{"kind", "reason"}, nil)
)

// running are the censuses that take part in a scrape: one in the operator, many in tests.
var running = &collector{censuses: map[*Census]struct{}{}}

func init() { metrics.Registry.MustRegister(running) }

// collector counts when it is asked.
type collector struct {
	mu       sync.Mutex
	censuses map[*Census]struct{}
}

func (c *collector) add(census *Census) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.censuses[census] = struct{}{}
}

func (c *collector) remove(census *Census) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.censuses, census)
}

// Describe tells what there may be.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	out <- objects
	out <- unreadySince
}

// Collect counts.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	censuses := slices.Collect(maps.Keys(c.censuses))
	c.mu.Unlock()
	t := newTally()
	for _, census := range censuses {
		census.count(t)
	}
	for key, n := range t.objects {
		out <- prometheus.MustNewConstMetric(objects, prometheus.GaugeValue, float64(n), key.kind, key.phase, key.ready, key.reason)
	}
	for key, since := range t.unready {
		out <- prometheus.MustNewConstMetric(unreadySince, prometheus.GaugeValue, float64(since.Unix()), key.kind, key.reason)
	}
}
