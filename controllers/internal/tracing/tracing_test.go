package tracing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// walk is what an engine does within a reconcile.
func walk(ctx context.Context) {
	for _, name := range []string{"token", "observe", "apply", "publish"} {
		at, span := tracing.Start(ctx, name)
		_, wait := tracing.Join(at, trace.SpanContext{})
		wait.End(nil)
		span.SetAttributes()
		span.EndStation(true, nil)
	}
	_, span := tracing.Start(ctx, "conclude")
	span.End(nil)
}

// off are the providers with which nothing is recorded.
func off() map[string]trace.TracerProvider {
	return map[string]trace.TracerProvider{
		"without a provider": nil,
		"not sampled":        sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())),
	}
}

func TestWhereNothingIsRecordedNothingIsAllocated(t *testing.T) {
	ctx, span := tracing.Root(t.Context(), off()["not sampled"], "poll")
	assert.Nil(t, span)
	assert.Zero(t, testing.AllocsPerRun(100, func() { walk(ctx) }), "not sampled")
	assert.Zero(t, testing.AllocsPerRun(100, func() { walk(t.Context()) }), "no trace at all")

	inner := &counter{}
	assert.Same(t, inner, tracing.Wrap(nil, "Database", inner), "no provider, nothing around")
	ctx, span = tracing.Root(t.Context(), nil, "poll project")
	assert.Nil(t, span)
	assert.Equal(t, t.Context(), ctx)
}

type counter struct{ recorded int }

func (c *counter) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	if tracing.IsRecording(ctx) {
		c.recorded++
	}
	return reconcile.Result{}, nil
}

func BenchmarkOff(b *testing.B) {
	for name, provider := range off() {
		b.Run(name, func(b *testing.B) {
			around := tracing.Wrap(provider, "Database", reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				walk(ctx)
				return reconcile.Result{}, nil
			}))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = around.Reconcile(b.Context(), reconcile.Request{})
			}
		})
	}
}

func BenchmarkOn(b *testing.B) {
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))
	around := tracing.Wrap(provider, "Database", reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		walk(ctx)
		return reconcile.Result{}, nil
	}))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = around.Reconcile(b.Context(), reconcile.Request{})
	}
}

// discard is a collector that drops everything.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }

func TestOnlyTheSampledPartIsRecorded(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	inner := &counter{}
	around := tracing.Wrap(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(0.5)))), "Database", inner)
	const all = 1000
	for range all {
		_, err := around.Reconcile(t.Context(), reconcile.Request{})
		require.NoError(t, err)
	}
	assert.InDelta(t, all/2, inner.recorded, all/10) // six standard deviations
	assert.Len(t, recorder.Ended(), inner.recorded)
}

func TestLogLinesHaveTheTraceID(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	var line string
	logger := funcr.New(func(_, args string) { line = args }, funcr.Options{})
	around := tracing.Wrap(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), "Database",
		reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			log.FromContext(ctx).Info("hello")
			return reconcile.Result{}, nil
		}))
	_, err := around.Reconcile(log.IntoContext(t.Context(), logger), reconcile.Request{})
	require.NoError(t, err)
	assert.Contains(t, line, `"traceID"="`+recorder.Ended()[0].SpanContext().TraceID().String()+`"`)
}

func TestAReconcileThatPanicsIsRecorded(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	around := tracing.Wrap(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), "Database",
		reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { panic("boom") }))
	assert.Panics(t, func() { _, _ = around.Reconcile(t.Context(), reconcile.Request{}) })
	assert.Len(t, recorder.Ended(), 1)
}

func TestAStationShowsItsErrorAndWhetherItStopped(t *testing.T) {
	for name, tc := range map[string]struct {
		next bool
		err  error
		want string
	}{
		"without an error":         {true, nil, ""},
		"stopped without an error": {false, nil, ""},
		"stopped by an error":      {false, errors.New("an error, with password=s3cretS3cret"), "an error, with password=***"},
		"an error it goes on with": {true, errors.New("an error"), "an error"},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := tracetest.NewSpanRecorder()
			ctx, root := tracing.Root(t.Context(), sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)), "all")
			_, span := tracing.Start(ctx, "observe")
			span.EndStation(tc.next, tc.err)
			root.End(nil)
			ended := recorder.Ended()[0]
			assert.Equal(t, tc.want, ended.Status().Description)
			assert.Equal(t, tc.err != nil, ended.Status().Code == codes.Error)
			stopped := false
			for _, a := range ended.Attributes() {
				stopped = stopped || a.Key == "aero.stopped" && a.Value.AsBool()
			}
			assert.Equal(t, !tc.next, stopped)
		})
	}
}

func TestAWaitLinksToTheTraceOfTheRead(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	reader, first := tracing.Root(t.Context(), provider, "reads")
	waiter, second := tracing.Root(t.Context(), provider, "waits")
	_, wait := tracing.Join(waiter, trace.SpanContextFromContext(reader))
	_, unknown := tracing.Join(waiter, trace.SpanContext{}, trace.WithTimestamp(time.Now()))
	_, lost := tracing.Join(waiter, trace.SpanContextFromContext(reader).WithTraceFlags(0))
	for _, span := range []*tracing.Span{wait, unknown, lost, first, second} {
		span.End(nil)
	}
	require.Len(t, recorder.Ended()[0].Links(), 1)
	assert.Equal(t, trace.SpanContextFromContext(reader), recorder.Ended()[0].Links()[0].SpanContext)
	assert.Empty(t, recorder.Ended()[1].Links(), "an unknown trace")
	assert.Empty(t, recorder.Ended()[2].Links(), "a trace that isn't sampled")
}
