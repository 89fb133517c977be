package startup

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheMetricShowsWhatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		passes := time.Now().Add(time.Minute)
		shown := func(name string) float64 { return testutil.ToFloat64(waiting.WithLabelValues(name)) }
		done := make(chan error)
		go func() {
			done <- Await(t.Context(), &Readiness{}, Check{checkKinds, func(context.Context) error { return nil }},
				Check{checkAivenOperator, func(context.Context) error {
					if time.Now().Before(passes) {
						return errors.New("it is running")
					}
					return nil
				}}, Check{checkElection, func(context.Context) error { return nil }})
		}()
		synctest.Wait()
		assert.Equal(t, 3, testutil.CollectAndCount(waiting), "what isn't waited for is 0")
		assert.InDelta(t, 0, shown(checkKinds), 0)
		assert.InDelta(t, 1, shown(checkAivenOperator), 0)
		assert.InDelta(t, 0, shown(checkElection), 0)
		require.NoError(t, <-done)
		assert.InDelta(t, 0, shown(checkAivenOperator), 0)
	})
}

func TestReviewM10_EachNamespaceHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var together, most atomic.Int32
		errs := forEach(t.Context(), make([]string, 1000), func(ctx context.Context, i int) error {
			if now := together.Add(1); now > most.Load() {
				most.Store(now)
			}
			defer together.Add(-1)
			if i == 500 {
				<-ctx.Done() // no answer
				return ctx.Err()
			}
			return pauseOf(ctx, time.Second)
		})
		for i, err := range errs {
			if i == 500 {
				require.ErrorIs(t, err, context.DeadlineExceeded)
			} else {
				require.NoError(t, err, "namespace %d", i)
			}
		}
		assert.Equal(t, int32(askTogether), most.Load())
		assert.Less(t, time.Since(began), 70*time.Second, "1,000 answers of a second each, one after the other, take 17 minutes")
	})
}

// pauseOf is an answer that takes its time.
func pauseOf(ctx context.Context, d time.Duration) error {
	if !pause(ctx, d) {
		return ctx.Err()
	}
	return nil
}
