package startup

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// checkInterval is the interval between attempts of a check that fails.
	checkInterval = 2 * time.Second
	// checkTimeout bounds one attempt.
	checkTimeout = 20 * time.Second
)

// Check checks that the cluster lets the manager work. Its error is shown to the user: it names the problem and the remedy.
type Check func(context.Context) error

// Await runs the checks one after the other, each until it passes. Meanwhile readiness has the reason. A check that has passed
// isn't repeated, so checks whose result may change come last. It fails only when ctx is done.
func Await(ctx context.Context, readiness *Readiness, checks ...Check) error {
	var latest atomic.Pointer[error]
	latest.Store(&errStarting)
	readiness.SetCheck(func(context.Context) error { return *latest.Load() })
	for _, check := range checks {
		for {
			err := runCheck(ctx, check)
			if err == nil {
				break
			}
			latest.Store(&err)
			if !pause(ctx, checkInterval) {
				return ctx.Err()
			}
		}
		latest.Store(&errStarting)
	}
	return nil
}

func runCheck(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return check(ctx)
}

// pause waits, and reports whether ctx lasted as long.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
