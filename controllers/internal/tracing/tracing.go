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

// scope is the instrumentation scope.
const scope = "github.com/aero-operator/aero"

// Attributes of the span of a reconcile. Other attributes with the prefix aero. are declared where they are set.
const (
	keyKind    = attribute.Key("aero.kind")
	keyName    = attribute.Key("aero.name")
	keyID      = attribute.Key("aero.reconcile_id")
	keyRequeue = attribute.Key("aero.requeue_after_s")
)

// logTrace is the key of the trace ID in the log.
const logTrace = "traceID"

// Wrap makes a trace of each reconcile of a kind, and adds its ID to the lines that the reconcile logs. Without a provider it
// returns inner itself.
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
		span.End(err)
		return result, err
	})
}

// Root starts a trace of work outside reconciles. Without a provider the span is nil.
func Root(ctx context.Context, provider trace.TracerProvider, name string, attributes ...attribute.KeyValue) (context.Context, *Span) {
	if provider == nil {
		return ctx, nil
	}
	ctx, started := provider.Tracer(scope).Start(ctx, name, trace.WithNewRoot(), trace.WithAttributes(attributes...))
	return ctx, recorded(started)
}
