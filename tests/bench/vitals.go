package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// vitals are what the operator's own metrics say about it.
type vitals struct {
	reconciles float64 // since it started
	pickups    histogram
	live       float64 // bytes that the last garbage collection left
}

func (w *world) vitals(ctx context.Context) (v vitals, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.metrics, nil)
	if err != nil {
		return v, fmt.Errorf("making a request: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return v, fmt.Errorf("reading the operator's metrics: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return v, fmt.Errorf("reading the operator's metrics: status %d", response.StatusCode)
	}
	return parseVitals(response.Body)
}

func parseVitals(text io.Reader) (vitals, error) {
	var v vitals
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return v, fmt.Errorf("reading the operator's metrics: %w", err)
	}
	const name = "controller_runtime_reconcile_total"
	family, found := families[name]
	if !found {
		return v, fmt.Errorf("the operator has no metric %s", name)
	}
	v.reconciles = sum(family)
	v.pickups = histogramOf(families["aero_pickup_duration_seconds"])
	v.live = sum(families["go_memstats_next_gc_bytes"]) / (1 + sum(families["go_gc_gogc_percent"])/100)
	return v, nil
}

// histogram has numbers of observations by the upper bounds of buckets, each with those of the lower ones.
type histogram map[float64]float64

// histogramOf adds up a metric over its labels. Without the metric, nothing was observed.
func histogramOf(family *dto.MetricFamily) histogram {
	h := histogram{}
	for _, metric := range family.GetMetric() {
		for _, bucket := range metric.GetHistogram().GetBucket() {
			h[bucket.GetUpperBound()] += float64(bucket.GetCumulativeCount())
		}
	}
	return h
}

// minus is what was observed since.
func (h histogram) minus(before histogram) histogram {
	since := histogram{}
	for bound, n := range h {
		since[bound] = n - before[bound]
	}
	return since
}

// quantile is the bound that p percent of the observations don't exceed; 0 without any.
func (h histogram) quantile(p float64) float64 {
	bounds := slices.Sorted(maps.Keys(h))
	if len(bounds) == 0 {
		return 0
	}
	all := h[bounds[len(bounds)-1]]
	for _, bound := range bounds {
		if all > 0 && h[bound] >= p/100*all {
			return bound
		}
	}
	return 0
}

// sum adds up a metric over its labels.
func sum(family *dto.MetricFamily) float64 {
	total := 0.0
	for _, metric := range family.GetMetric() {
		total += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
	}
	return total
}
