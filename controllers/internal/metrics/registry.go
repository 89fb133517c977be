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
		"Number of objects by kind, phase, status and reason of their condition Ready, by the token that they use, whether they are paused, and by namespace if that is enabled.",
		[]string{"kind", "object_namespace", "paused", "phase", "ready", "reason", "token"}, nil)

	unreadySinceDesc = prometheus.NewDesc("aero_unready_since_timestamp_seconds",
		"Unix time since which the longest-unready object of a kind is not ready, by reason, and by namespace if that is enabled. Paused objects are not counted.",
		[]string{"kind", "object_namespace", "reason"}, nil)

	driftedFieldsDesc = prometheus.NewDesc("aero_drifted_fields",
		"Number of fields in which Aiven differs from the spec and that are not corrected, by object. Only objects with drift that aren't paused have a series.",
		[]string{"kind", "namespace", "name"}, nil)
)

// running are the collectors of a scrape: one in the operator, many in tests.
var running = &registry{collectors: map[*ObjectCollector]struct{}{}}

func init() { metrics.Registry.MustRegister(running) }

// registry is a prometheus.Collector of all ObjectCollectors that run.
type registry struct {
	mu         sync.Mutex
	collectors map[*ObjectCollector]struct{}
}

func (r *registry) add(c *ObjectCollector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collectors[c] = struct{}{}
}

func (r *registry) remove(c *ObjectCollector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.collectors, c)
}

// Describe implements prometheus.Collector.
func (r *registry) Describe(out chan<- *prometheus.Desc) {
	out <- objectsDesc
	out <- unreadySinceDesc
	out <- driftedFieldsDesc
	for _, desc := range noticeDescs {
		out <- desc
	}
}

// Collect implements prometheus.Collector.
func (r *registry) Collect(out chan<- prometheus.Metric) {
	r.mu.Lock()
	collectors := slices.Collect(maps.Keys(r.collectors))
	r.mu.Unlock()
	t := newTotals()
	for _, c := range collectors {
		c.collect(t)
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for s, n := range t.objects {
		gauge(objectsDesc, float64(n), s.kind, s.namespace, s.paused, s.phase, s.ready, s.reason, s.token)
	}
	for s, since := range t.unreadySince {
		gauge(unreadySinceDesc, float64(since.Unix()), s.kind, s.namespace, s.reason)
	}
	for s, fields := range t.driftedFields {
		gauge(driftedFieldsDesc, float64(fields), s.kind, s.namespace, s.name)
	}
	for s, at := range t.notices {
		gauge(s.desc, float64(at.Unix()), s.labels()...)
	}
}
