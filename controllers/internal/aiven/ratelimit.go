package aiven

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// defaultWindow is what Aiven counts calls in, as far as is known.
	defaultWindow = time.Minute
	// slackShare is the share of a window by which ours is longer, for calls that reach Aiven closer to each other than they
	// left.
	slackShare = 60
	// quietWindows is for how long Aiven must have refused nothing before a learned rate is exceeded, and then by growth
	// once in growthWindows, so that a refusal shows before the next step.
	quietWindows  = 10
	growthWindows = 2
	growth        = 1.05
	slowest       = 1.0 // calls a second that are left after any number of refusals
	// longestPause bounds how long a refusal holds all calls of a user. One call probes then.
	longestPause = 5 * time.Minute
	// unnamedPause is for a refusal that names no time.
	unnamedPause = 10 * time.Second
	// probeTimeout is how long the others wait for the answer to a probe.
	probeTimeout = 20 * time.Second
	// priorityHold is how long background calls make room for one that has a reserved turn.
	priorityHold = time.Second
	// overbooking makes sure that every turn is used: not all who wait for one still need it.
	overbooking = 1.25
)

// rateLimiter is how many calls the tokens of one user may make. It starts at a configured rate. The first refusal by Aiven
// sets it to what Aiven accepted in the window before, and it grows again slowly. A nil rateLimiter has no limit.
type rateLimiter struct {
	ceiling float64
	burst   int
	window  time.Duration // Aiven's
	span    time.Duration // ours, a little longer
	now     func() time.Time

	mu       sync.Mutex
	series   *series
	bucket   *rate.Limiter
	sent     []time.Time // the calls of the latest window, without those that were refused
	learned  int         // calls in a window; 0 as long as Aiven refused none
	proven   int         // what learned was before it grew, 0 if it didn't
	refused  time.Time   // when Aiven refused last
	grown    time.Time
	reserved time.Time // the last turn that was promised

	pausedUntil  time.Time
	probing      bool      // since a pause, no answer shows that it is over
	probe        time.Time // when the probe left
	priorityTurn time.Time // until then background calls make room
}

func newRateLimiter(o Options) *rateLimiter {
	return &rateLimiter{
		ceiling: o.QPS, burst: o.Burst, window: o.RateWindow, span: o.RateWindow + o.RateWindow/slackShare, now: o.Now,
		bucket: rate.NewLimiter(rate.Limit(o.QPS), o.Burst),
	}
}

// allow takes a turn, and returns when that was. Or else it returns how long to wait before asking again. It never waits
// itself: a worker is too dear. Those who wait get different times, so that they don't all come back at once.
func (l *rateLimiter) allow(priority bool) (taken time.Time, wait time.Duration) {
	if l == nil {
		return time.Time{}, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.forget(now)
	l.grow(now)
	wait = l.untilTurn(now, priority)
	switch {
	case wait <= 0:
		l.take(now, priority)
	case priority:
		l.priorityTurn = later(l.priorityTurn, now.Add(wait+priorityHold))
		wait = min(wait, longestPause)
	default:
		wait = l.reserve(now, wait)
	}
	l.series.set(float64(l.bucket.Limit()), l.bucket.TokensAt(now))
	return now, wait
}

// untilTurn is how long a call has to wait at least, 0 if it may be made now.
func (l *rateLimiter) untilTurn(now time.Time, priority bool) time.Duration {
	switch {
	case now.Before(l.pausedUntil):
		return l.pausedUntil.Sub(now)
	case l.probing && now.Sub(l.probe) < probeTimeout:
		return time.Second
	case !priority && now.Before(l.priorityTurn):
		return l.priorityTurn.Sub(now)
	case l.learned > 0 && len(l.sent) >= l.learned:
		return l.sent[len(l.sent)-l.learned].Add(l.span).Sub(now)
	}
	needed := 1.0
	if !priority && l.learned > 0 {
		needed += float64(l.bucket.Burst() / 3) // what is left for those who overtake
	}
	missing := needed - l.bucket.TokensAt(now)
	if missing <= 1e-9 {
		return 0
	}
	return time.Duration(math.Ceil(missing / float64(l.bucket.Limit()) * float64(time.Second)))
}

func (l *rateLimiter) take(now time.Time, priority bool) {
	l.bucket.AllowN(now, 1)
	l.sent = append(l.sent, now)
	if l.probing {
		l.probe = now
	}
	if priority {
		l.priorityTurn = time.Time{}
	}
}

// reserve promises a background call a turn of its own.
func (l *rateLimiter) reserve(now time.Time, wait time.Duration) time.Duration {
	spacing := float64(time.Second) / float64(l.bucket.Limit())
	if l.learned > 0 {
		spacing /= overbooking
	}
	earliest := now.Add(wait)
	if next := l.reserved.Add(time.Duration(spacing)); next.After(earliest) {
		earliest = next
	}
	if latest := now.Add(longestPause); earliest.After(latest) {
		earliest = latest
	}
	l.reserved = earliest
	return earliest.Sub(now)
}

// observe adapts the rate to an answer. pause is how long Aiven asks to be left alone, 0 if it names no time.
func (l *rateLimiter) observe(taken time.Time, status int, pause time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if status == http.StatusTooManyRequests {
		l.learn(now, taken)
		if pause <= 0 {
			pause = unnamedPause
		}
	}
	switch {
	case pause > 0:
		l.pause(now, min(pause, longestPause))
	case !now.Before(l.pausedUntil):
		l.probing = false
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
	l.bucket.SetLimitAt(now, rate.Limit(learned))
	l.bucket.SetBurstAt(now, burst)
	l.series.set(learned, l.bucket.TokensAt(now))
}

// pause stops all calls of the user. The first one after it goes alone.
func (l *rateLimiter) pause(now time.Time, pause time.Duration) {
	until := later(l.pausedUntil, now.Add(pause))
	l.series.pause(until.Sub(later(l.pausedUntil, now)))
	l.pausedUntil, l.probing, l.probe = until, true, time.Time{}
}

// forget drops the calls that no window holds any longer.
func (l *rateLimiter) forget(now time.Time) {
	old := 0
	for old < len(l.sent) && now.Sub(l.sent[old]) >= l.span {
		old++
	}
	l.sent = l.sent[old:]
}

func (l *rateLimiter) hasLearned() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.learned > 0
}

// measure makes the limiter write its series; nil ends and removes them.
func (l *rateLimiter) measure(s *series) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.series.remove()
	l.series = s
	l.series.set(float64(l.bucket.Limit()), l.bucket.TokensAt(l.now()))
}

// pollFactor is how much longer than usual the time between two polls is to be, from 1 to 4.
func (l *rateLimiter) pollFactor() float64 {
	if l == nil {
		return 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.learned == 0 {
		return 1
	}
	const plenty = 10 // calls a second
	return min(4, max(1, math.Sqrt(plenty/float64(l.bucket.Limit()))))
}

// absorb takes over what another limiter of the same user has learned.
func (l *rateLimiter) absorb(other *rateLimiter) {
	other.mu.Lock()
	until, learned, refused := other.pausedUntil, other.learned, other.refused
	other.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if until.After(later(now, l.pausedUntil)) {
		l.pause(now, until.Sub(now))
	}
	if learned > 0 && (l.learned == 0 || learned < l.learned) {
		l.refused, l.grown = later(l.refused, refused), now
		l.setLearned(now, learned)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
