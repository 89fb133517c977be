package otlp

import (
	"context"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// sender sends spans to a collector.
type sender struct {
	sdktrace.SpanExporter
	errors errorLog
}

// ExportSpans implements sdktrace.SpanExporter. It logs errors itself: the caller would log each of them.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := s.SpanExporter.ExportSpans(ctx, spans); err != nil {
		s.errors.failed(err, len(spans))
	} else {
		s.errors.succeeded()
	}
	return nil
}

// errorLog logs the first error, others once in remindInterval, and when they end.
type errorLog struct {
	log func(message string, keysAndValues ...any)
	now func() time.Time

	mu     sync.Mutex
	logged time.Time // the last line, zero while there is no error
	lost   int       // spans, since the first error
}

func (l *errorLog) failed(err error, spans int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost += spans
	if now := l.now(); l.logged.IsZero() || now.Sub(l.logged) >= remindInterval {
		l.logged = now
		l.log("Could not send spans: they are dropped", "error", fault.Of(err).Message, "lost", l.lost)
	}
}

func (l *errorLog) succeeded() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.logged.IsZero() {
		l.log("Sending spans again", "lost", l.lost)
		l.logged, l.lost = time.Time{}, 0
	}
}
