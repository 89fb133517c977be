package aiven

import (
	"math"
	"slices"
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
	// spread is the time in which those come back that would wait for longer than that.
	spread = longestPause / 5
	// unnamedPause is for a refusal that names no time.
	unnamedPause = 10 * time.Second
	// probeTimeout is how long the others wait for the answer to a probe.
	probeTimeout = 20 * time.Second
	// overtaking is the part of a learned window that only calls with priority get.
	overtaking = 60
	// owed bounds how many calls attempts that go on may take ahead of time.
	owed = 4
	// longest is after how many calls an attempt waits for its turns as others do, and longestBehind that of one in the
	// background: it would keep the bucket empty.
	longest, longestBehind = 10, 5
	// reservable is the part of a learned window that may be left for attempts that go on.
	reservable = 10
	// overbooking makes sure that every turn is used: not all who are ahead still need theirs.
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

	mu      sync.Mutex
	series  *series
	bucket  *rate.Limiter
	sent    []time.Time // the calls of the latest window, without those that were refused
	learned int         // calls in a window; 0 as long as Aiven refused none
	proven  int         // what learned was before it grew, 0 if it didn't
	refused time.Time   // when Aiven refused last
	grown   time.Time
	turns   turns

	reserve     int       // calls of a learned window that are left for attempts that go on
	reserved    time.Time // when that was changed
	pausedUntil time.Time
	probing     bool      // since a pause, no answer shows that it is over
	probe       time.Time // when the probe left
}

func newRateLimiter(o Options) *rateLimiter {
	return &rateLimiter{
		ceiling: o.QPS, burst: o.Burst, window: o.RateWindow, span: o.RateWindow + o.RateWindow/slackShare, now: o.Now,
		bucket: rate.NewLimiter(rate.Limit(o.QPS), o.Burst),
	}
}

// allow takes a turn, and returns when that was. Or else it returns how long to wait before asking again. It never waits
// itself: a worker is too dear. Those who wait get different times, so that they don't all come back at once.
func (l *rateLimiter) allow(c call) (taken time.Time, wait time.Duration) {
	if l == nil {
		return time.Time{}, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.forget(now)
	l.grow(now)
	if l.reserve > 0 && now.Sub(l.reserved) >= l.window/2 {
		l.reserve, l.reserved = l.reserve-1, now
	}
	l.turns.expire(now)
	if wait = l.untilTurn(now, c.request, c.priority); wait <= 0 || l.goesOn(now, c) {
		wait = 0
		l.take(now)
		l.turns.served(c.request, c.priority)
		c.made()
	} else {
		l.broken(now, c)
		l.turns.keep(c.request, c.priority, now.Add(wait))
	}
	l.series.set(float64(l.bucket.Limit()), l.bucket.TokensAt(now))
	return now, wait
}

// untilTurn is how long a request has to wait at least, 0 if it may be made now. Those ahead of it come first.
func (l *rateLimiter) untilTurn(now time.Time, request uint64, priority bool) time.Duration {
	own, others := l.turns.ahead(request, priority)
	ahead := own + others
	most, needed := l.learned-l.reserve, float64(1+ahead)
	if !priority && l.learned > 0 && !l.turns.favored() { // what is left for those who overtake
		most -= l.learned / overtaking
		needed += float64(l.bucket.Burst() / 3)
	}
	if closed := l.untilOpen(now, most); closed > 0 {
		return closed + l.untilFilled(ahead, float64(ahead))
	}
	tokens := l.bucket.TokensAt(now)
	if burst := l.bucket.Burst(); (burst > 1 || priority && own == 0) && tokens >= float64(burst) {
		return 0 // those ahead are late, and a full bucket loses tokens
	}
	return l.untilFilled(ahead, needed-tokens)
}

// goesOn reports whether a call of an attempt that has made others needs no turn. Those who wait for theirs wait longer.
func (l *rateLimiter) goesOn(now time.Time, c call) bool {
	return c.goesOn() && l.untilOpen(now, l.learned) <= 0 && l.bucket.TokensAt(now) > 1-owed-1e-9
}

// broken takes note of an attempt that can't go on, since its window is full: those that begin leave more of it.
func (l *rateLimiter) broken(now time.Time, c call) {
	if c.goesOn() && l.learned > 0 && !l.probing && l.untilOpen(now, l.learned) > 0 {
		l.reserve, l.reserved = min(l.reserve+1, l.learned/reservable), now
	}
}

// untilOpen is how long none of those is made that may be most in a window.
func (l *rateLimiter) untilOpen(now time.Time, most int) time.Duration {
	switch {
	case now.Before(l.pausedUntil):
		return l.pausedUntil.Sub(now)
	case l.probing && now.Sub(l.probe) < probeTimeout:
		return time.Second
	case l.learned > 0 && len(l.sent) >= most:
		return l.sent[len(l.sent)-most].Add(l.span).Sub(now)
	}
	return 0
}

// untilFilled is how long the bucket takes for a number of tokens. Longer waits are cut to the last part of the longest one:
// still different, so that many don't come back at once.
func (l *rateLimiter) untilFilled(ahead int, missing float64) time.Duration {
	if missing <= 1e-9 {
		return 0
	}
	limit := float64(l.bucket.Limit())
	if ahead > 0 {
		limit *= overbooking
	}
	wait := time.Duration(math.Ceil(missing / limit * float64(time.Second)))
	if wait > longestPause {
		wait = longestPause - spread + wait%spread
	}
	return wait
}

func (l *rateLimiter) take(now time.Time) {
	l.bucket.ReserveN(now, 1)
	l.sent = append(l.sent, now)
	if l.probing {
		l.probe = now
	}
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
	until, learned, refused, sent := other.pausedUntil, other.learned, other.refused, slices.Clone(other.sent)
	other.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.sent = append(l.sent, sent...)
	slices.SortFunc(l.sent, time.Time.Compare)
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
