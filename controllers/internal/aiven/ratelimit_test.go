package aiven_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// budgeted is an account whose calls are answered with a status that the test sets.
type budgeted struct {
	*aiven.Client
	clock  *clock
	status int
	header map[string]string
	calls  int
}

func newBudgeted(t *testing.T, qps float64, burst int) *budgeted {
	t.Helper()
	b := &budgeted{clock: newClock(), status: http.StatusOK}
	b.Client = account(t, aiven.Options{Now: b.clock.Now, QPS: qps, Burst: burst, Transport: inMemory(
		func(w http.ResponseWriter, _ *http.Request) {
			b.calls++
			for name, value := range b.header {
				w.Header().Set(name, value)
			}
			if b.status != http.StatusOK {
				replyError(w, b.status, "no")
				return
			}
			replyService(w, aiven.StateRunning)
		})})
	return b
}

func (b *budgeted) read(t *testing.T) fault.Fault {
	_, err := b.Service(t.Context(), "p", "s")
	return fault.Of(err)
}

// rate is how many calls the budget lets pass in ten seconds, tried fifty times a second.
func (b *budgeted) rate(t *testing.T) int {
	before := b.calls
	for range 500 {
		b.clock.Move(20 * time.Millisecond)
		b.read(t)
	}
	return b.calls - before
}

func TestE02_RefusalsHalveTheRateAndItGrowsBack(t *testing.T) {
	b := newBudgeted(t, 8, 2)
	assert.InDelta(t, 80, b.rate(t), 5)
	b.status = http.StatusTooManyRequests
	b.clock.Move(time.Second)
	b.read(t)
	b.status = http.StatusServiceUnavailable
	assert.Less(t, b.rate(t), 42, "half, and less with each trouble at the server")
	b.status = http.StatusOK
	for range 8 {
		b.rate(t)
	}
	assert.InDelta(t, 80, b.rate(t), 5, "a minute later all is well")
}

func TestAfterARefusalNobodyCallsUntilItsTimeIsOver(t *testing.T) {
	b := newBudgeted(t, 10, 10)
	b.status, b.header = http.StatusTooManyRequests, map[string]string{"Retry-After": "7"}
	assert.Equal(t, 7*time.Second, b.read(t).RetryAfter)
	b.status, b.header = http.StatusOK, nil
	calls := b.calls
	first, second := b.read(t), b.read(t)
	assert.Equal(t, fault.RateLimited, first.Class)
	assert.Greater(t, first.RetryAfter, 7*time.Second)
	assert.Greater(t, second.RetryAfter, first.RetryAfter)
	assert.Equal(t, calls, b.calls)
	b.clock.Move(7 * time.Second)
	assert.Equal(t, fault.None, b.read(t).Class)
}

func TestNobodyIsSentAwayForLong(t *testing.T) {
	b := newBudgeted(t, 1, 1)
	b.read(t)
	longest := time.Duration(0)
	for range 1000 {
		longest = max(longest, b.read(t).RetryAfter)
	}
	assert.Equal(t, 5*time.Minute, longest)
}

func TestE02_BudgetsAreMetered(t *testing.T) {
	b := newBudgeted(t, 10, 10)
	b.read(t)
	b.read(t)
	assert.InDelta(t, 8, measured(t, "aero_aiven_budget_calls", "1"), 0)
	throttled := measured(t, "aero_aiven_throttled_seconds_total", "1")
	b.status, b.header = http.StatusTooManyRequests, map[string]string{"Retry-After": "7"}
	b.read(t)
	assert.InDelta(t, 7, measured(t, "aero_aiven_throttled_seconds_total", "1")-throttled, 0)
	b.status, b.header = http.StatusServiceUnavailable, map[string]string{"Retry-After": "9"}
	b.clock.Move(7 * time.Second)
	b.read(t)
	assert.InDelta(t, 16, measured(t, "aero_aiven_throttled_seconds_total", "1")-throttled, 0)
}
