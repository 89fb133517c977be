package aiven

import (
	"context"
	"errors"
	"io"
	"net/http"
	"syscall"
	"time"

	"github.com/avast/retry-go/v5"
)

const (
	retryDelay = 100 * time.Millisecond
	// retryBound is how late a second attempt may begin, after the first.
	retryBound = time.Second
)

// withRetry makes a call once more if its connection failed before any byte of the answer, as when a proxy restarts.
// The work queue owns all other retries: nothing is tried again after an answer or a deadline, and only a GET is.
func (d *doer) withRetry(operation string, req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return d.attempt(operation, req)
	}
	began := time.Now()
	return retry.NewWithData[*http.Response](
		retry.Context(req.Context()), retry.Attempts(2), retry.DelayType(retry.FixedDelay), retry.Delay(retryDelay), retry.LastErrorOnly(true),
		retry.RetryIf(func(err error) bool {
			return connectionFailed(err) && !d.closing() && time.Since(began) < retryBound-retryDelay
		}),
	).Do(func() (*http.Response, error) { return d.attempt(operation, req) })
}

// unansweredError is the error of a call without an answer. One whose answer broke off after its headers isn't: Aiven has done the work.
type unansweredError struct{ err error }

// Error is that of the error.
func (e *unansweredError) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *unansweredError) Unwrap() error { return e.err }

// connectionFailed reports whether a connection was refused, reset, or ended before any byte of the answer.
func connectionFailed(err error) bool {
	unanswered := (*unansweredError)(nil)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || !errors.As(err, &unanswered) {
		return false
	}
	for _, failure := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, failure) {
			return true
		}
	}
	return false
}
