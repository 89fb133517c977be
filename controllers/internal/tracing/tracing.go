package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// scope names what makes the spans.
const scope = "github.com/aero-operator/aero"

// Attributes of the span of a reconcile. Others that begin with aero. are beside what they tell.
const (
	keyKind    = attribute.Key("aero.kind")
	keyName    = attribute.Key("aero.name")
	keyID      = attribute.Key("aero.reconcile_id")
	keyRequeue = attribute.Key("aero.requeue_after_s")
)

// logTrace is the name in the log of what leads to the trace.
const logTrace = "traceID"

// Wrap makes each reconcile of a kind a trace, and writes its id to each line that the reconcile logs. Without a
// provider it is inner itself.
func Wrap(provider trace.TracerProvider, kind string, inner reconcile.Reconciler) reconcile.Reconciler {
	if provider == nil {
		return inner
	}
	tracer, name := provider.Tracer(scope), "reconcile "+kind
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		ctx, started := tracer.Start(ctx, name)
		if !started.IsRecording() {
			return inner.Reconcile(ctx, request)
		}
		span := &Span{span: started}
		defer started.End() // also when a reconcile panics
		started.SetAttributes(keyKind.String(kind), semconv.K8SNamespaceName(request.Namespace), keyName.String(request.Name),
			keyID.String(string(controller.ReconcileIDFromContext(ctx))))
		logger := log.FromContext(ctx).WithValues(logTrace, started.SpanContext().TraceID().String())
		result, err := inner.Reconcile(log.IntoContext(ctx, logger), request)
		started.SetAttributes(keyRequeue.Float64(result.RequeueAfter.Seconds()))
		return result, span.End(err)
	})
}

// Root begins a trace of work that no object asked for. Without a provider the span is nil.
func Root(ctx context.Context, provider trace.TracerProvider, name string, told ...attribute.KeyValue) (context.Context, *Span) {
	if provider == nil {
		return ctx, nil
	}
	ctx, started := provider.Tracer(scope).Start(ctx, name, trace.WithNewRoot(), trace.WithAttributes(told...))
	return ctx, recorded(started)
}
