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
	trouble trouble
}

// ExportSpans implements sdktrace.SpanExporter. An error is told here: who called has nothing to add.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := s.SpanExporter.ExportSpans(ctx, spans); err != nil {
		s.trouble.began(err, len(spans))
	} else {
		s.trouble.ended()
	}
	return nil
}

// trouble tells the log when it begins, now and then while it lasts, and when it ends.
type trouble struct {
	log func(message string, keysAndValues ...any)
	now func() time.Time

	mu   sync.Mutex
	told time.Time // when the log was last told, zero while there is no trouble
	lost int       // spans, since it began
}

func (t *trouble) began(err error, spans int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost += spans
	if now := t.now(); t.told.IsZero() || now.Sub(t.told) >= remindInterval {
		t.told = now
		t.log("Spans can't be sent, and are dropped", "error", fault.Of(err).Message, "lost", t.lost)
	}
}

func (t *trouble) ended() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.told.IsZero() {
		t.log("Spans are sent again", "lost", t.lost)
		t.told, t.lost = time.Time{}, 0
	}
}
