package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// keyStopped marks the last station of a reconcile that ended early.
const keyStopped = attribute.Key("aero.stopped")

// Span is a span that is recorded. Nil is one that isn't: every method accepts it.
type Span struct {
	span   trace.Span
	facts  Facts
	before []error
}

// Facts are the results of the stations of a reconcile. Errors has an entry for each possible error, nil without one. An entry
// keeps its index, and new ones are appended.
type Facts interface{ Errors() []error }

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

// Station starts the span of a station, which may add an error to the facts.
func Station(ctx context.Context, name string, facts Facts) (context.Context, *Span) {
	ctx, span := Start(ctx, name)
	if span != nil {
		span.facts, span.before = facts, facts.Errors()
	}
	return ctx, span
}

// EndStation ends the span of a station, with the error that it added to the facts. It returns its argument: whether the
// reconcile continues.
func (s *Span) EndStation(continues bool) bool {
	if s == nil {
		return continues
	}
	if !continues {
		s.span.SetAttributes(keyStopped.Bool(true))
	}
	for i, err := range s.facts.Errors() {
		if err != nil && (i >= len(s.before) || s.before[i] == nil) {
			s.fail(err)
			break
		}
	}
	s.span.End()
	return continues
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

// fail records a redacted error.
func (s *Span) fail(err error) {
	found := fault.Of(err)
	s.span.SetAttributes(semconv.ErrorTypeKey.String(string(found.Class)))
	s.span.SetStatus(codes.Error, found.Message)
}
