package aiven

import (
	"cmp"
	"net/http"
	"time"

	"golang.org/x/time/rate"
)

// observe adapts the rate to an answer; status is 0 without one. pause is for how long a 429 asks to make no calls, 0 if it
// names no time. What other answers ask for concerns their request alone.
func (l *rateLimiter) observe(taken time.Time, status int, pause time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	switch {
	case status == http.StatusTooManyRequests:
		l.learn(now, taken)
		l.pause(now, min(cmp.Or(pause, unnamedPause), longestPause))
	case taken.Before(l.pausedUntil): // shows nothing of the time since
	case status != 0:
		l.probing = false
	case taken.Equal(l.probe):
		l.probe = time.Time{} // the next one probes
	}
}

// learn sets the rate to what Aiven accepted in the window before a refusal. Refusals of calls that began before the
// latest one are the same refusal: they only show that fewer were accepted.
func (l *rateLimiter) learn(now, taken time.Time) {
	for i := len(l.sent) - 1; i >= 0; i-- {
		if l.sent[i].Equal(taken) {
			l.sent = append(l.sent[:i], l.sent[i+1:]...)
			break
		}
	}
	accepted := 0
	for _, at := range l.sent {
		if now.Sub(at) < l.window {
			accepted++
		}
	}
	if l.learned > 0 && !taken.After(l.refused) {
		accepted = min(accepted, l.learned)
	}
	if l.proven > 0 {
		accepted = min(accepted, l.proven) // the window before may hold parts of two of Aiven's
	}
	l.refused, l.grown, l.proven = now, now, 0
	l.setLearned(now, max(accepted, int(slowest*l.window.Seconds()), 1))
}

// grow tries a little more than what was learned, where that is used and Aiven has refused nothing for long.
func (l *rateLimiter) grow(now time.Time) {
	if l.learned == 0 || now.Sub(l.refused) < quietWindows*l.window || now.Sub(l.grown) < growthWindows*l.window {
		return
	}
	l.grown = now
	if len(l.sent)*10 >= l.learned*9 {
		l.proven = l.learned
		l.setLearned(now, max(l.learned+1, int(float64(l.learned)*growth)))
	}
}

func (l *rateLimiter) setLearned(now time.Time, calls int) {
	learned, burst := float64(calls)/l.span.Seconds(), 0
	if learned >= l.ceiling {
		l.learned, l.proven, learned, burst = 0, 0, l.ceiling, l.burst
	} else {
		l.learned, burst = calls, min(l.burst, max(1, int(learned*5)))
	}
	l.reserve = min(l.reserve, l.learned/reservable)
	l.bucket.SetLimitAt(now, rate.Limit(learned))
	l.bucket.SetBurstAt(now, burst)
	l.series.set(learned, l.bucket.TokensAt(now))
}
