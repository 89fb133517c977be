package startup

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// askEvery is the pause between two questions.
	askEvery = 2 * time.Second
	// answerTime is how long the API server may take for an answer.
	answerTime = 20 * time.Second
)

// Check asks whether the cluster lets the manager work. Its error is for people: it names what is wrong, and the remedy.
type Check func(context.Context) error

// Await asks one after the other until each has passed once. Meanwhile the board has the reason. What has passed isn't
// asked again, so put what may turn last. It fails only when ctx is done.
func Await(ctx context.Context, board *Readiness, checks ...Check) error {
	var latest atomic.Pointer[error]
	latest.Store(&errStarting)
	board.SetCheck(func(context.Context) error { return *latest.Load() })
	for _, check := range checks {
		for {
			err := runCheck(ctx, check)
			if err == nil {
				break
			}
			latest.Store(&err)
			if !pause(ctx, askEvery) {
				return ctx.Err()
			}
		}
		latest.Store(&errStarting)
	}
	return nil
}

func runCheck(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return check(ctx)
}

// pause says whether it lasted to its end.
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
