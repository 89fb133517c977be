// Package otlp sends traces to an OpenTelemetry collector, by OTLP over HTTP with protobuf. The operator doesn't
// depend on it: spans that can't be sent are dropped.
package otlp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	logName = "tracing"
	// httpPort and grpcPort are the ports of OTLP, and tracesPath is where traces are posted, as its specification says.
	httpPort   = "4318"
	grpcPort   = "4317"
	tracesPath = "/v1/traces"
	// flushTimeout bounds how long the shutdown waits for a collector.
	flushTimeout = 3 * time.Second
	// remindInterval is the minimum interval between log lines about the same error of the collector.
	remindInterval = 10 * time.Minute
)

// Options of tracing. The zero value disables it.
type Options struct {
	Endpoint string  // URL of a collector, "" for no traces
	Rate     float64 // fraction of reconciles that are traced, 0 to 1
}

// BindFlags adds the flags of tracing.
func (o *Options) BindFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.Endpoint, "tracing-endpoint", "",
		"URL of an OpenTelemetry collector for OTLP over HTTP, such as http://otel-collector.monitoring:4318, or https:// for TLS. Without it, tracing is off.")
	fs.Float64Var(&o.Rate, "tracing-sampling-rate", 1, "Fraction of reconciliations that are traced, from 0 to 1, with --tracing-endpoint.")
}

// Validate returns an error that names the first invalid flag or variable.
func (o *Options) Validate() error {
	if o.Endpoint == "" {
		if o.Rate != 1 {
			return errors.New("--tracing-sampling-rate requires --tracing-endpoint: without it, tracing is off")
		}
		return nil
	}
	target, err := target(o.Endpoint)
	if err != nil {
		return err
	}
	if !(o.Rate >= 0 && o.Rate <= 1) { // NaN is neither
		return fmt.Errorf("--tracing-sampling-rate must be from 0 to 1, not %g", o.Rate)
	}
	_, err = readSettings(target.Scheme == "https")
	return err
}

// target returns the URL to post traces to. Its errors don't show the endpoint, which may have a password in it.
func target(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("--tracing-endpoint must be a URL with a host, and without a user or a query, such as http://otel-collector.monitoring:4318, or https:// for TLS")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), tracesPath):
		return nil, errors.New("--tracing-endpoint must not end in " + tracesPath + ": it is appended")
	case u.Port() == grpcPort:
		return nil, errors.New("--tracing-endpoint must name the port of OTLP over HTTP, usually " + httpPort + ": " + grpcPort + " is that of OTLP over gRPC")
	case u.Port() == "" && u.Scheme == "http":
		u.Host = net.JoinHostPort(u.Hostname(), httpPort)
	}
	return u.JoinPath(tracesPath), nil
}

// Start returns a provider for a version of the operator, and a function that sends the remaining spans. The provider is nil
// if tracing is off. Start doesn't call the collector: the operator works without it.
func (o *Options) Start(ctx context.Context, version string) (trace.TracerProvider, func(), error) {
	if o.Endpoint == "" {
		return nil, func() {}, nil
	}
	log := ctrl.Log.WithName(logName)
	otel.SetLogger(log)
	target, err := target(o.Endpoint)
	if err != nil {
		return nil, nil, err
	}
	settings, err := readSettings(target.Scheme == "https")
	if err != nil {
		return nil, nil, err
	}
	exporter, err := otlptrace.New(ctx, newClient(target.String(), version, settings))
	if err != nil {
		return nil, nil, fmt.Errorf("preparing to send traces to --tracing-endpoint: %w", err)
	}
	self, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("aero"), semconv.ServiceVersion(version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("reading OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	sent := &sender{SpanExporter: exporter, errors: errorLog{log: log.Info, now: time.Now}}
	others := &errorLog{log: log.Info, now: time.Now} // such as a partial success
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { others.failed(err, 0) }))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(sent), // drops spans rather than blocks
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(o.Rate))),
		sdktrace.WithResource(self),
	)
	return provider, func() { flush(context.WithoutCancel(ctx), provider) }, nil
}

// flush sends the remaining spans, for a bounded time.
func flush(ctx context.Context, provider *sdktrace.TracerProvider) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if err := provider.Shutdown(ctx); err != nil {
		ctrl.Log.WithName(logName).Info("The last spans could not be sent", "error", fault.Of(err).Message)
	}
}
