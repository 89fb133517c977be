package startup

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// checkInterval is the interval between attempts of a check that fails.
	checkInterval = 2 * time.Second
	// askTimeout bounds what is asked about one thing, such as a namespace.
	askTimeout = 20 * time.Second
	// askTogether is how many namespaces are asked about at once.
	askTogether = 20
)

// Check checks that the cluster lets the manager work.
type Check struct {
	Name string // in metrics
	// Run returns an error that is shown to the user: it names the problem and the remedy.
	Run func(context.Context) error
}

// Await runs the checks one after the other, each until it passes. Meanwhile readiness has the reason. A check that has passed
// isn't repeated, so checks whose result may change come last. It fails only when ctx is done.
func Await(ctx context.Context, readiness *Readiness, checks ...Check) error {
	var latest atomic.Pointer[error]
	latest.Store(&errStarting)
	readiness.SetCheck(func(context.Context) error { return *latest.Load() })
	for _, check := range checks {
		waiting.WithLabelValues(check.Name).Set(0)
	}
	for _, check := range checks {
		for {
			err := check.Run(ctx)
			if err == nil {
				break
			}
			latest.Store(&err)
			waiting.WithLabelValues(check.Name).Set(1)
			if !pause(ctx, checkInterval) {
				return ctx.Err()
			}
		}
		latest.Store(&errStarting)
		waiting.WithLabelValues(check.Name).Set(0)
	}
	return nil
}

// bounded gives all calls of a check askTimeout.
func bounded(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		return run(ctx)
	}
}

// forEach calls ask for each namespace, some at once and each with askTimeout, and returns the errors in their order.
func forEach(ctx context.Context, namespaces []string, ask func(ctx context.Context, i int) error) []error {
	errs := make([]error, len(namespaces))
	turns := make(chan struct{}, askTogether)
	var group sync.WaitGroup
	for i := range namespaces {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			errs[i] = bounded(func(ctx context.Context) error { return ask(ctx, i) })(ctx)
		})
	}
	group.Wait()
	return errs
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
