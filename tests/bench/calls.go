package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aero-operator/aero/tests/localaiven"
)

// quiet is how long Aiven must not have been called for a step to be over: what an object's own Secret or status enqueues
// comes within that time, and what a timer enqueues does not.
const quiet = 1500 * time.Millisecond

// calls counts the operator's calls to Aiven from the beginning of a step until there are no more.
func (w *world) calls(ctx context.Context, step func(context.Context) error) (localaiven.Stats, error) {
	if err := w.admin.Reset(ctx); err != nil {
		return localaiven.Stats{}, err
	}
	if err := step(ctx); err != nil {
		return localaiven.Stats{}, err
	}
	return w.settled(ctx)
}

// settled waits until Aiven hasn't been called for a while.
func (w *world) settled(ctx context.Context) (localaiven.Stats, error) {
	var last localaiven.Stats
	since := time.Now()
	err := until(ctx, "calls to Aiven to end", func(ctx context.Context) (bool, error) {
		now, err := w.admin.Stats(ctx)
		if err != nil {
			return false, err
		}
		if now.Total != last.Total {
			since = time.Now()
		}
		last = now
		return time.Since(since) >= quiet, nil
	})
	if err == nil && last.UnknownRoutes > 0 {
		err = fmt.Errorf("the local Aiven didn't know %d calls", last.UnknownRoutes)
	}
	return last, err
}

// byOperation lists what was called, the most frequent first.
func byOperation(stats localaiven.Stats) string { return byFrequency(stats.Calls) }
