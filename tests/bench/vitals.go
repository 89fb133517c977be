package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// vitals are what the operator's own metrics say about it.
type vitals struct {
	reconciles float64 // since it started
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
	return v, nil
}

// sum adds up a metric over its labels.
func sum(family *dto.MetricFamily) float64 {
	total := 0.0
	for _, metric := range family.GetMetric() {
		total += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
	}
	return total
}
