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
	outage outage
}

// ExportSpans implements sdktrace.SpanExporter. It logs errors itself: the caller has nothing to add.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := s.SpanExporter.ExportSpans(ctx, spans); err != nil {
		s.outage.began(err, len(spans))
	} else {
		s.outage.ended()
	}
	return nil
}

// outage logs when it begins, at an interval while it lasts, and when it ends.
type outage struct {
	log func(message string, keysAndValues ...any)
	now func() time.Time

	mu     sync.Mutex
	logged time.Time // when a line was last logged, zero while there is no outage
	lost   int       // spans, since it began
}

func (o *outage) began(err error, spans int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lost += spans
	if now := o.now(); o.logged.IsZero() || now.Sub(o.logged) >= logInterval {
		o.logged = now
		o.log("Spans can't be sent, and are dropped", "error", fault.Of(err).Message, "lost", o.lost)
	}
}

func (o *outage) ended() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.logged.IsZero() {
		o.log("Spans are sent again", "lost", o.lost)
		o.logged, o.lost = time.Time{}, 0
	}
}
