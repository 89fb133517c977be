package aiven_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// callers are objects that call an Aiven with a limit, each with a request of its own.
type callers struct {
	*aiven.Client
	limit *aivenLimit
}

func newCallers(t *testing.T, limit *aivenLimit, options aiven.Options) *callers {
	t.Helper()
	limit.random = rand.New(rand.NewPCG(1, 2))
	options.Transport, options.QPS = limit, 100
	c, err := aiven.New(options).ForToken(token)
	require.NoError(t, err)
	return &callers{Client: c, limit: limit}
}

// untilServed makes one call. Between attempts it pauses as long as again returns for the wait that it was asked for.
func (c *callers) untilServed(ctx context.Context, name string, again func(wait time.Duration) time.Duration) (attempts int) {
	for ctx.Err() == nil {
		attempts++
		_, err := c.API().ServiceGet(ctx, "p", name)
		if err == nil {
			return attempts
		}
		pause(again(waitOf(err)))
	}
	return attempts
}

// asAsked comes back when it was asked to, as the work queue does.
func asAsked(wait time.Duration) time.Duration { return wait }

// early comes back earlier, as an object does that something else enqueues.
func early(wait time.Duration) time.Duration { return min(wait, 500*time.Millisecond) }

// exhaust makes calls until Aiven refuses one, so that the rate is learned.
func (c *callers) exhaust(t *testing.T) {
	for i := 0; c.limit.refused == 0; i++ {
		_, _ = c.API().ServiceGet(t.Context(), "p", fmt.Sprintf("first-%d", i))
	}
}

func TestAWindowOfAnyLengthServesEveryCaller(t *testing.T) {
	for name, tc := range map[string]struct {
		window       time.Duration
		most         int
		background   func(time.Duration) time.Duration
		pollers      int
		during       time.Duration
		perCall, per time.Duration // how long a caller with priority, and any other one, may wait
	}{
		// Aiven's waits are whole seconds, and count here.
		"0.3 s, callers that come as asked": {300 * time.Millisecond, 5, asAsked, 12, time.Minute, 10 * time.Second, 20 * time.Second},
		"0.3 s, callers that come early":    {300 * time.Millisecond, 5, early, 12, time.Minute, 10 * time.Second, 20 * time.Second},
		"a minute, callers that come early": {time.Minute, 120, early, 30, 5 * time.Minute, 5 * time.Second, 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCallers(t, &aivenLimit{most: tc.most, window: tc.window}, aiven.Options{RateWindow: tc.window})
				c.exhaust(t)
				pause(2 * time.Minute)
				ctx, cancel := context.WithTimeout(t.Context(), tc.during)
				defer cancel()
				var load sync.WaitGroup
				longest := make([]time.Duration, tc.pollers)
				for i := range tc.pollers {
					load.Go(func() {
						for ctx.Err() == nil {
							begin := time.Now()
							c.untilServed(ctx, fmt.Sprint(i), tc.background)
							longest[i] = max(longest[i], time.Since(begin))
						}
					})
				}
				urgent := time.Duration(0)
				for ctx.Err() == nil {
					begin := time.Now()
					c.untilServed(aiven.WithPriority(ctx), "edited", asAsked)
					urgent = max(urgent, time.Since(begin))
					pause(5 * time.Second)
				}
				load.Wait()
				assert.LessOrEqual(t, urgent, tc.perCall, "with priority")
				for i, waited := range longest {
					assert.LessOrEqual(t, waited, tc.per, "caller %d", i)
				}
			})
		})
	}
}

func TestAFullBucketOfOneIsForTheFirstWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &aivenLimit{most: 1000, random: rand.New(rand.NewPCG(1, 2))}
		c, err := aiven.New(aiven.Options{Transport: limit, QPS: 0.1, Burst: 1}).ForToken(token)
		require.NoError(t, err)
		call := func(name string) error {
			_, err := c.API().ServiceGet(aiven.WithPriority(t.Context()), "p", name)
			return err
		}
		first, wait := "", time.Duration(0)
		for i := 0; wait == 0; i++ {
			first = fmt.Sprint(i)
			if err := call(first); err != nil {
				wait = waitOf(err)
			}
		}
		pause(wait)
		require.Error(t, call("another"))
		assert.NoError(t, call(first))
	})
}

func TestACallerThatComesEarlyDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCallers(t, &aivenLimit{most: 120}, aiven.Options{})
		c.exhaust(t)
		pause(2 * time.Minute)
		begin := time.Now()
		var all sync.WaitGroup
		for i := range 40 {
			again := asAsked
			if i%2 == 0 {
				again = early
			}
			all.Go(func() { c.untilServed(t.Context(), fmt.Sprint(i), again) })
		}
		all.Wait()
		assert.LessOrEqual(t, time.Since(begin), 22*time.Second, "40 calls at two a second")
	})
}

func TestAThousandEditsComeBackAFewTimesEachAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCallers(t, &aivenLimit{most: 120}, aiven.Options{})
		c.exhaust(t)
		pause(2 * time.Minute)
		begin, attempts, last := time.Now(), 0, time.Duration(0)
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				pause(time.Duration(i) * time.Millisecond)
				n := c.untilServed(aiven.WithPriority(t.Context()), fmt.Sprint(i), asAsked)
				mu.Lock()
				defer mu.Unlock()
				attempts += n
				if i < 100 {
					last = max(last, time.Since(begin))
				}
			})
		}
		all.Wait()
		assert.LessOrEqual(t, attempts, 10_000)
		assert.LessOrEqual(t, last, 60*time.Second, "the first hundred")
		assert.LessOrEqual(t, time.Since(begin), 530*time.Second)
	})
}

func TestRequestsThatDoNotComeBackDelayNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCallers(t, &aivenLimit{most: 120}, aiven.Options{})
		c.exhaust(t)
		pause(2 * time.Minute)
		for i := range 60 {
			_, _ = c.API().ServiceGet(t.Context(), "p", fmt.Sprintf("given-up-%d", i))
		}
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() { c.untilServed(t.Context(), fmt.Sprint(i), asAsked) })
		}
		pause(time.Minute)
		before := c.limit.arrived()
		pause(time.Minute)
		assert.GreaterOrEqual(t, c.limit.arrived()-before, 112, "the whole rate is used")
		all.Wait()
	})
}
