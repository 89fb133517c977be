package aiven

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
)

const (
	slowest     = 1.0             // calls a second that are left after any number of refusals
	longestWait = 5 * time.Minute // that is promised to who finds the budget spent
	recovery    = time.Minute     // from nothing back to the ceiling
	serverTrim  = 0.9             // what trouble at the server leaves of the rate
)

// rateLimiter is how many calls one token may make. The rate is halved by each 429, and grows back. A nil budget has no end.
type rateLimiter struct {
	left      prometheus.Gauge
	throttled prometheus.Counter

	mu          sync.Mutex
	limiter     *rate.Limiter
	ceiling     float64
	rate        float64
	grown       time.Time // when the rate was last adapted
	pausedUntil time.Time // until when Aiven wants no call
	reserved    time.Time // the last moment that was promised to somebody
}

// newRateLimiter makes a full one. number tells accounts apart in metrics.
func newRateLimiter(qps float64, burst, number int) *rateLimiter {
	account := strconv.Itoa(number)
	b := &rateLimiter{
		left: budgetLeft.WithLabelValues(account), throttled: throttledSeconds.WithLabelValues(account),
		limiter: rate.NewLimiter(rate.Limit(qps), burst), ceiling: qps, rate: qps,
	}
	b.left.Set(float64(burst))
	return b
}

// allow takes a call out of the budget and returns 0, or else how long to wait before asking again. Those who wait are
// told different times, so that they don't all come back at once.
func (b *rateLimiter) allow(now time.Time) time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	passes := !now.Before(b.pausedUntil) && b.limiter.AllowN(now, 1)
	b.left.Set(max(0, b.limiter.TokensAt(now)))
	if passes {
		return 0
	}
	earliest := later(later(now, b.pausedUntil), b.reserved)
	b.reserved = earliest.Add(time.Duration(float64(time.Second) / b.rate))
	if wait := b.reserved.Sub(now); wait < longestWait {
		return wait
	}
	b.reserved = now.Add(longestWait)
	return longestWait
}

// observe adapts the rate to how Aiven is doing.
func (b *rateLimiter) observe(now time.Time, status int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case status == http.StatusTooManyRequests:
		b.adapt(now, b.rate/2)
	case status >= http.StatusInternalServerError:
		b.adapt(now, b.rate*serverTrim)
	case b.rate < b.ceiling:
		b.adapt(now, b.rate+b.ceiling*now.Sub(b.grown).Seconds()/recovery.Seconds())
	}
}

// adapt sets the rate within its bounds. The caller holds the lock.
func (b *rateLimiter) adapt(now time.Time, rps float64) {
	b.rate = min(b.ceiling, max(rps, min(slowest, b.ceiling)))
	b.grown = now
	b.limiter.SetLimitAt(now, rate.Limit(b.rate))
}

// pause stops all calls of the token for the time that Aiven asked for.
func (b *rateLimiter) pause(now time.Time, pause time.Duration) {
	if b == nil || pause <= 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	until := later(b.pausedUntil, now.Add(pause))
	b.throttled.Add(until.Sub(later(b.pausedUntil, now)).Seconds())
	b.pausedUntil = until
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
