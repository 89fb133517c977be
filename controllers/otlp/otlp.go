// Package otlp sends traces to an OpenTelemetry collector, by OTLP over gRPC. The operator doesn't depend on it: spans that
// can't be sent are dropped.
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
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	logName = "tracing"
	// otlpPort is the default port of OTLP over gRPC, by its specification.
	otlpPort = "4317"
	// flushTime bounds how long the shutdown waits for a collector.
	flushTime = 3 * time.Second
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
		"URL of an OpenTelemetry collector for OTLP over gRPC, such as http://otel-collector.monitoring:4317, or https:// for TLS. Without it, tracing is off.")
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
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" {
		return errors.New("--tracing-endpoint must be a URL with a host, and without a path or a user, such as http://otel-collector.monitoring:4317, or https:// for TLS")
	}
	if !(o.Rate >= 0 && o.Rate <= 1) { // NaN is neither
		return fmt.Errorf("--tracing-sampling-rate must be from 0 to 1, not %g", o.Rate)
	}
	return validateEnvironment(u.Scheme == "https")
}

// Start returns a provider for a version of the operator, and a function that sends the remaining spans. The provider is nil
// if tracing is off. Start doesn't call the collector: the operator works without it.
func (o *Options) Start(ctx context.Context, version string) (trace.TracerProvider, func(), error) {
	if o.Endpoint == "" {
		return nil, func() {}, nil
	}
	log := ctrl.Log.WithName(logName)
	otel.SetLogger(log)
	u, err := url.Parse(o.Endpoint)
	if err != nil {
		return nil, nil, fmt.Errorf("reading --tracing-endpoint: %w", err)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), otlpPort)
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(u.String()))
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
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := provider.Shutdown(ctx); err != nil {
		ctrl.Log.WithName(logName).Info("The last spans could not be sent", "error", fault.Of(err).Message)
	}
}
