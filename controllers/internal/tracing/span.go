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

// Start begins a span within the one of ctx, and gives its context. The span is nil where nothing is recorded.
func Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, *Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nil
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name, options...)
	return ctx, recorded(span)
}

// EndStation ends the span of a step of a reconcile, with its error and whether the next step may go on.
func (s *Span) EndStation(next bool, err error) {
	if s == nil {
		return
	}
	if !next {
		s.span.SetAttributes(keyStopped.Bool(true))
	}
	_ = s.End(err)
}

// Join begins the span of somebody who waits for what another reader has begun, and links to that one if it is known.
func Join(ctx context.Context, other trace.SpanContext, options ...trace.SpanStartOption) (context.Context, *Span) {
	if !IsRecording(ctx) {
		return ctx, nil
	}
	if other.IsSampled() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: other}))
	}
	return Start(ctx, "wait for another reader", options...)
}

// IsRecording says whether the span of ctx is recorded: what it takes work to tell is told only then.
func IsRecording(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// SetAttributes sets attributes of the span of ctx.
func SetAttributes(ctx context.Context, told ...attribute.KeyValue) {
	trace.SpanFromContext(ctx).SetAttributes(told...)
}

// AddEvent notes a moment within the span of ctx.
func AddEvent(ctx context.Context, what string, told ...attribute.KeyValue) {
	trace.SpanFromContext(ctx).AddEvent(what, trace.WithAttributes(told...))
}

// SetAttributes sets attributes.
func (s *Span) SetAttributes(told ...attribute.KeyValue) {
	if s != nil {
		s.span.SetAttributes(told...)
	}
}

// Refused marks the span as failed, for a reason that is a word or a number.
func (s *Span) Refused(reason string) {
	if s != nil {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(reason))
		s.span.SetStatus(codes.Error, "")
	}
}

// End ends the span with an error or none, which it returns.
func (s *Span) End(err error) error {
	if s == nil {
		return err
	}
	if err != nil {
		s.fail(err)
	}
	s.span.End()
	return err
}

// fail records an error as people may see it.
func (s *Span) fail(err error) {
	found := fault.Of(err)
	s.span.SetAttributes(semconv.ErrorTypeKey.String(string(found.Class)))
	s.span.SetStatus(codes.Error, found.Message)
}
