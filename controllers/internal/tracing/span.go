package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// keyStopped is set on the last step of a reconcile that stopped early.
const keyStopped = attribute.Key("aero.stopped")

// Span is a part of a trace that is recorded. Nil is one that isn't: every method accepts it.
type Span struct{ span trace.Span }

func recorded(span trace.Span) *Span {
	if !span.IsRecording() {
		return nil
	}
	return &Span{span: span}
}

// Start starts a span within the one of ctx, and returns its context. The span is nil where nothing is recorded.
func Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, *Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nil
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, options...)
	return ctx, recorded(span)
}

// EndStation ends the span of a step of a reconcile, with its redacted error and whether the next step may go on.
func (s *Span) EndStation(next bool, err error) {
	if s == nil {
		return
	}
	if !next {
		s.span.SetAttributes(keyStopped.Bool(true))
	}
	s.End(err)
}

// Join starts the span of a wait for a read that another trace started, and links to that trace if it is sampled.
func Join(ctx context.Context, other trace.SpanContext, options ...trace.SpanStartOption) (context.Context, *Span) {
	if !IsRecording(ctx) {
		return ctx, nil
	}
	if other.IsSampled() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: other}))
	}
	return Start(ctx, "wait for another reader", options...)
}

// IsRecording reports whether the span of ctx is recorded, for attributes that are expensive to compute.
func IsRecording(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// SetAttributes sets attributes of the span of ctx.
func SetAttributes(ctx context.Context, attributes ...attribute.KeyValue) {
	trace.SpanFromContext(ctx).SetAttributes(attributes...)
}

// AddEvent adds an event to the span of ctx.
func AddEvent(ctx context.Context, name string, attributes ...attribute.KeyValue) {
	trace.SpanFromContext(ctx).AddEvent(name, trace.WithAttributes(attributes...))
}

// SetAttributes sets attributes.
func (s *Span) SetAttributes(attributes ...attribute.KeyValue) {
	if s != nil {
		s.span.SetAttributes(attributes...)
	}
}

// Refused marks the span as failed. The reason is a word or a number.
func (s *Span) Refused(reason string) {
	if s != nil {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(reason))
		s.span.SetStatus(codes.Error, "")
	}
}

// End ends the span with an error or none. Where secrets of an object are known, the error MUST be redacted by them: see
// fault.Secrets.Redacted. It returns nothing, so that no control flow depends on a span.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.fail(err)
	}
	s.span.End()
}

// fail records an error, without what looks like a secret.
func (s *Span) fail(err error) {
	found := fault.Of(err)
	s.span.SetAttributes(semconv.ErrorTypeKey.String(string(found.Class)))
	s.span.SetStatus(codes.Error, found.Message)
}
