package otlp

import (
	"context"
	"errors"
	"flag"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestFlagsAndVariablesAreValidated(t *testing.T) {
	const notAURL = "--tracing-endpoint must be a URL"
	for name, tc := range map[string]struct {
		flags   []string
		headers string
		want    string // "" for no error
	}{
		"no flag":                    {},
		"a collector":                {flags: []string{"--tracing-endpoint=http://otel-collector.monitoring:4318"}},
		"one with TLS and a slash":   {flags: []string{"--tracing-endpoint=https://collector/"}},
		"a fraction":                 {flags: []string{"--tracing-endpoint=http://c", "--tracing-sampling-rate=0.01"}},
		"no reconcile":               {flags: []string{"--tracing-endpoint=http://c", "--tracing-sampling-rate=0"}},
		"headers":                    {flags: []string{"--tracing-endpoint=http://c"}, headers: "api-key=s3cret, x=y,"},
		"no scheme":                  {flags: []string{"--tracing-endpoint=collector:4318"}, want: notAURL},
		"another scheme":             {flags: []string{"--tracing-endpoint=grpc://collector:4317"}, want: notAURL},
		"no host":                    {flags: []string{"--tracing-endpoint=http://:4318"}, want: notAURL},
		"a base path":                {flags: []string{"--tracing-endpoint=https://gateway/otlp"}},
		"the path of traces":         {flags: []string{"--tracing-endpoint=http://c:4318/v1/traces/"}, want: "--tracing-endpoint must not end in /v1/traces: it is appended"},
		"the port of gRPC":           {flags: []string{"--tracing-endpoint=http://c:4317"}, want: "4317 is that of OTLP over gRPC"},
		"a query":                    {flags: []string{"--tracing-endpoint=http://c?key=s3cret"}, want: notAURL},
		"a password":                 {flags: []string{"--tracing-endpoint=http://u:s3cret@c:4318"}, want: notAURL},
		"a rate without an endpoint": {flags: []string{"--tracing-sampling-rate=0.5"}, want: "--tracing-sampling-rate requires --tracing-endpoint"},
		"more than all":              {flags: []string{"--tracing-endpoint=http://c", "--tracing-sampling-rate=10"}, want: "must be from 0 to 1, not 10"},
		"less than none":             {flags: []string{"--tracing-endpoint=http://c", "--tracing-sampling-rate=-1"}, want: "must be from 0 to 1, not -1"},
		"no number":                  {flags: []string{"--tracing-endpoint=http://c", "--tracing-sampling-rate=NaN"}, want: "must be from 0 to 1, not NaN"},
		"headers in another form": {
			flags: []string{"--tracing-endpoint=http://c"}, headers: "api-key: s3cret",
			want: "OTEL_EXPORTER_OTLP_HEADERS must be a list of key=value",
		},
		"invalid headers without an endpoint": {headers: "api-key: s3cret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", tc.headers)
			o, fs := &Options{}, flag.NewFlagSet("", flag.ContinueOnError)
			o.BindFlags(fs)
			require.NoError(t, fs.Parse(tc.flags))
			err := o.Validate()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func TestWithoutAnEndpointNothingIsTraced(t *testing.T) {
	provider, flush, err := (&Options{Rate: 1}).Start(t.Context(), "v1")
	require.NoError(t, err)
	assert.Nil(t, provider)
	flush()
}

func TestACollectorThatHangsDelaysNothing(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // accepts connections, and never answers
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	provider, flush, err := (&Options{Endpoint: "http://" + listener.Addr().String(), Rate: 1}).Start(t.Context(), "v1")
	require.NoError(t, err)
	tracer := provider.Tracer("test")
	began := time.Now()
	for range 10_000 { // more than the queue has room for
		_, span := tracer.Start(t.Context(), "span")
		span.End()
	}
	assert.Less(t, time.Since(began), flushTimeout, "spans are dropped, not waited for")
	began = time.Now()
	flush()
	assert.Less(t, time.Since(began), 2*flushTimeout)
}

func TestInvalidResourceAttributesAreRefused(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "no attribute")
	_, _, err := (&Options{Endpoint: "http://127.0.0.1:1", Rate: 1}).Start(t.Context(), "v1")
	require.ErrorContains(t, err, "OTEL_RESOURCE_ATTRIBUTES")
}

// broken is an exporter that fails while it has an error.
type broken struct {
	sdktrace.SpanExporter
	err error
}

func (b *broken) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return b.err }

func TestErrorsOfTheCollectorAreLoggedOnceInTenMinutes(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	exporter, lines := &broken{}, []any(nil)
	s := &sender{SpanExporter: exporter, errors: errorLog{now: func() time.Time { return now }, log: func(message string, values ...any) {
		lines = append(lines, append([]any{message}, values...))
	}}}
	send := func(err error) {
		exporter.err = err
		require.NoError(t, s.ExportSpans(t.Context(), tracetest.SpanStubs{{}, {}}.Snapshots()))
	}
	down := errors.New("traces export: refused, token=s3cretS3cret")
	send(nil)
	for range 30 { // fifteen minutes
		send(down)
		now = now.Add(30 * time.Second)
	}
	send(nil)
	send(nil)
	send(down)
	failed := func(lost int) any {
		return []any{"Could not send spans: they are dropped", "error", "traces export: refused, token=***", "lost", lost}
	}
	assert.Equal(t, []any{failed(2), failed(42), []any{"Sending spans again", "lost", 60}, failed(2)}, lines)
}
