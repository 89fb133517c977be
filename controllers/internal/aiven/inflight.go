package aiven

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// inflight is a read that is under way, shared by all who ask meanwhile. Its value and err are set once done is closed.
type inflight[T any] struct {
	seq   uint64
	began time.Time
	trace trace.SpanContext // of the reader that began it
	done  chan struct{}
	value T
	err   error
}

func newInflight[T any](ctx context.Context, c *Client) *inflight[T] {
	return &inflight[T]{
		seq: c.clients.nextSeq(), began: c.clients.options.Now(), trace: trace.SpanContextFromContext(ctx),
		done: make(chan struct{}),
	}
}

// run reads, and hands the answer to finish, which returns what the readers get. The read belongs to all who wait for it,
// so it outlives the context of the reader that began it, but not the timeout. A panic is the error of this read.
func (f *inflight[T]) run(
	ctx context.Context, timeout time.Duration, read func(context.Context) (T, error), finish func(T, error) (T, error),
) {
	defer close(f.done)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	f.value, f.err = recovered(func() (T, error) { return read(ctx) })
	f.value, f.err = recovered(func() (T, error) { return finish(f.value, f.err) })
}

// running reports whether the read is under way and began after a sequence number. A nil read isn't.
func (f *inflight[T]) running(since uint64) bool {
	if f == nil || f.seq <= since {
		return false
	}
	select {
	case <-f.done:
		return false
	default:
		return true
	}
}

// interval is after how long the read is to be repeated: at its turn if it had none, else at the usual time. Polls that ask
// at their own times only would always find others ahead.
func (f *inflight[T]) interval(usual time.Duration) time.Duration {
	if f == nil || f.running(0) || !fault.NotSent(f.err) {
		return usual
	}
	return fault.Of(f.err).RetryAfter
}

// wait waits for the answer. A reader that gives up leaves the others theirs.
func (f *inflight[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case <-f.done:
		return f.value, f.err
	}
}

// join waits for what another reader has begun. Its span has the class of an error only: the step of the reconcile has the
// message, without the secrets of its object.
func (f *inflight[T]) join(ctx context.Context) (T, error) {
	ctx, span := tracing.Join(ctx, f.trace)
	value, err := f.wait(ctx)
	if err != nil {
		span.Refused(string(fault.Of(err).Class))
	}
	span.End(nil)
	return value, err
}

// recovered makes an error of a panic.
func recovered[T any](do func() (T, error)) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			ctrl.Log.WithName("aiven").Error(nil, "A read panicked", "panic", fault.DescribePanic(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("a panic while reading the answer: %s", fault.DescribePanic(p))
		}
	}()
	return do()
}

// guarded runs what no reader waits for. A panic ends it, and not the process.
func guarded(do func()) {
	_, _ = recovered(func() (struct{}, error) { do(); return struct{}{}, nil }) // it is logged
}

func inBackground(do func()) { go guarded(do) }
