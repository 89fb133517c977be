// Package otlp sends traces to an OpenTelemetry collector, by OTLP over gRPC. The operator works as well without one: what
// can't be sent is dropped.
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
	// otlpPort is where collectors take OTLP by gRPC, as its specification says.
	otlpPort = "4317"
	// flushTime is how long the end of the manager may wait for a collector.
	flushTime = 3 * time.Second
	// remindInterval is the least time between two lines in the log about the same trouble with the collector.
	remindInterval = 10 * time.Minute
)

// Options say where traces go, and of how many reconciles there are any. The zero value is none.
type Options struct {
	Endpoint string  // URL of a collector, "" for no traces
	Rate     float64 // part of the reconciles that is traced, 0 to 1
}

// BindFlags adds the flags of tracing.
func (o *Options) BindFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.Endpoint, "tracing-endpoint", "",
		"URL of an OpenTelemetry collector that takes OTLP by gRPC, such as http://otel-collector.monitoring:4317, or https:// for TLS; without it, nothing is traced")
	fs.Float64Var(&o.Rate, "tracing-sampling-rate", 1, "with --tracing-endpoint: the part of all reconciles that is traced, from 0 to 1")
}

// Validate names the first flag or variable that can't be right.
func (o *Options) Validate() error {
	if o.Endpoint == "" {
		if o.Rate != 1 {
			return errors.New("--tracing-sampling-rate needs --tracing-endpoint: without it, nothing is traced")
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

// Start gives what makes traces for a version of the operator, and a function that sends the last ones; nil, and one that
// does nothing, if none are wanted. It doesn't call the collector: one that can't be reached is no reason not to work.
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
	sent := &sender{SpanExporter: exporter, trouble: trouble{log: log.Info, now: time.Now}}
	others := &trouble{log: log.Info, now: time.Now} // such as spans that a collector refuses among others
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { others.began(err, 0) }))
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(sent), // it drops spans rather than waits
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(o.Rate))),
		sdktrace.WithResource(self),
	)
	return provider, func() { flush(context.WithoutCancel(ctx), provider) }, nil
}

// flush sends what is left, unless that takes long.
func flush(ctx context.Context, provider *sdktrace.TracerProvider) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	if err := provider.Shutdown(ctx); err != nil {
		ctrl.Log.WithName(logName).Info("The last spans could not be sent", "error", fault.Of(err).Message)
	}
}
