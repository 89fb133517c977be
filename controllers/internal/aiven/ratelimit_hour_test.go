package aiven_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// aivenLimit is Aiven as it limits the calls of one user in a window of a minute.
type aivenLimit struct {
	most       int
	window     time.Duration // 0 is a minute
	sliding    bool          // else windows begin on the minute
	headerOnly bool          // else the wait is in the text only
	minutes    int           // how long it is called; 0 is an hour
	random     *rand.Rand

	mu              sync.Mutex
	accepted        []time.Time
	calls, refused  int
	latestRefusal   time.Time
	refusedTooEarly int // within ten minutes of a refusal, and not of calls that were under way
}

func (a *aivenLimit) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	latency := time.Duration(20+a.random.IntN(180)) * time.Millisecond
	a.mu.Unlock()
	pause(latency)
	return inMemory(func(w http.ResponseWriter, r *http.Request) {
		wait := a.arrive(time.Now())
		switch {
		case wait == 0:
			replyService(w, aiven.StateRunning)
		case a.headerOnly:
			w.Header().Set("Retry-After", fmt.Sprint(wait))
			replyError(w, http.StatusTooManyRequests, "Rate limit exceeded")
		default:
			replyError(w, http.StatusTooManyRequests, fmt.Sprintf("Rate limit %d exceeded - try again in %ds", a.most, wait))
		}
	}).RoundTrip(r)
}

// arrive returns how many seconds to wait, 0 for a call that is accepted.
func (a *aivenLimit) arrive(now time.Time) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	window := cmp.Or(a.window, time.Minute)
	since := now.Add(-window)
	if !a.sliding {
		since = now.Truncate(window)
	}
	for len(a.accepted) > 0 && !a.accepted[0].After(since) {
		a.accepted = a.accepted[1:]
	}
	if a.calls++; len(a.accepted) < a.most {
		a.accepted = append(a.accepted, now)
		return 0
	}
	a.refused++
	if age := now.Sub(a.latestRefusal); age > time.Second && age < 10*time.Minute {
		a.refusedTooEarly++
	}
	a.latestRefusal = now
	if !a.sliding {
		return 1 + int(since.Add(window).Sub(now).Seconds())
	}
	return 1 + int(a.accepted[0].Add(window).Sub(now).Seconds())
}

// arrived is how many calls have arrived.
func (a *aivenLimit) arrived() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls
}

// waitOf is how long an error asks to wait. fault.Of is what the engine calls: it also reads and redacts the text, which takes
// most of the time of a test with ten thousands of errors.
func waitOf(err error) time.Duration {
	var limited *fault.RateLimitError
	if errors.As(err, &limited) {
		return limited.RetryAfter
	}
	return 0
}

// crowd is objects that call again and again, as the work queue makes them: each comes back at its reserved turn.
func crowd(t *testing.T, c *aiven.Client, objects int, end time.Time) {
	var workers sync.WaitGroup
	for i := range objects {
		workers.Go(func() {
			for time.Now().Before(end) {
				_, err := c.API().ServiceGet(t.Context(), "p", fmt.Sprint(i))
				pause(max(10*time.Millisecond, waitOf(err)))
			}
		})
	}
	workers.Wait()
}

func TestInAnHourAtAivensLimitFewCallsAreRefused(t *testing.T) {
	for name, limit := range map[string]*aivenLimit{
		"120 in any minute":        {most: 120, sliding: true},
		"120 in a minute's window": {most: 120},
		"the wait in the header":   {most: 120, headerOnly: true, minutes: 20},
		"400 in any minute":        {most: 400, sliding: true, minutes: 20}, // as many calls as of the others in an hour
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limit.random = rand.New(rand.NewPCG(1, 2))
				clients := aiven.New(aiven.Options{Transport: limit, QPS: 100})
				c, err := clients.ForToken(token)
				require.NoError(t, err)
				minutes := cmp.Or(limit.minutes, 60)
				crowd(t, c, 20, time.Now().Add(time.Duration(minutes)*time.Minute))
				t.Logf("%d calls, %d refused", limit.calls, limit.refused)
				assert.LessOrEqual(t, float64(limit.refused), 0.02*float64(limit.calls))
				assert.GreaterOrEqual(t, limit.calls, limit.most*minutes*92/100, "and what is allowed is used")
				assert.Zero(t, limit.refusedTooEarly, "the limit isn't tried within ten minutes of a refusal")
			})
		})
	}
}

func TestAThousandCallsTakeNoLongerThanAivenAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &aivenLimit{most: 120, random: rand.New(rand.NewPCG(1, 2))}
		clients := aiven.New(aiven.Options{Transport: limit, QPS: 100})
		c, err := clients.ForToken(token)
		require.NoError(t, err)
		begin := time.Now()
		var objects sync.WaitGroup
		slots := make(chan struct{}, 32) // workers
		for i := range 1000 {
			objects.Go(func() {
				for {
					slots <- struct{}{}
					_, err := c.API().ServiceGet(t.Context(), "p", fmt.Sprint(i))
					<-slots
					if err == nil {
						return
					}
					pause(waitOf(err))
				}
			})
		}
		objects.Wait()
		took := time.Since(begin)
		t.Logf("%s, %d calls, %d refused", took, limit.calls, limit.refused)
		assert.LessOrEqual(t, took, 1050*time.Second/2)
	})
}

func TestAnEditIsServedWithinSecondsOfALoadedHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &aivenLimit{most: 120, random: rand.New(rand.NewPCG(1, 2))}
		clients := aiven.New(aiven.Options{Transport: limit, QPS: 100})
		c, err := clients.ForToken(token)
		require.NoError(t, err)
		begin := time.Now()
		var load sync.WaitGroup
		load.Go(func() { crowd(t, c, 500, begin.Add(9*time.Minute)) })
		for minute := 3; minute < 8; minute++ {
			pause(time.Until(begin.Add(time.Duration(minute) * time.Minute)))
			edited := time.Now()
			for calls := 0; calls < 4; {
				if _, err := c.API().ServiceGet(aiven.WithPriority(t.Context()), "p", "s"); err != nil {
					pause(waitOf(err))
					continue
				}
				calls++
			}
			assert.LessOrEqual(t, time.Since(edited), 5*time.Second)
		}
		load.Wait()
	})
}
