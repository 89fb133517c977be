package localaiven

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// RateLimit limits the calls of each Aiven user, whatever token they come with. The zero value sets no limit.
type RateLimit struct {
	// Calls is the number of calls a user may make in a window; zero sets no limit.
	Calls int
	// Window begins with a user's first call, and the next one with the first call after its end. Zero is a minute.
	Window time.Duration
	// NoRetryAfter leaves out the header Retry-After, so that only the message has the remaining time.
	NoRetryAfter bool
	// Clock measures windows; nil is Options.Clock.
	Clock Clock
}

// defaultWindow is the window of a RateLimit that sets none.
const defaultWindow = time.Minute

// limits counts the calls of users.
type limits struct {
	RateLimit
	mu    sync.Mutex
	users map[string]window
}

// window is when a user's latest window ends, and the calls in it.
type window struct {
	end   time.Time
	calls int
}

func newLimits(limit RateLimit, clock Clock) *limits {
	if limit.Window == 0 {
		limit.Window = defaultWindow
	}
	if limit.Clock == nil {
		limit.Clock = clock
	}
	return &limits{RateLimit: limit, users: map[string]window{}}
}

// take counts a call, or returns the time until the user's next one is allowed. A refused call isn't counted.
func (l *limits) take(user string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.Clock.Now()
	w, known := l.users[user]
	if !known || !now.Before(w.end) {
		w = window{end: now.Add(l.Window)}
	}
	if w.calls >= l.Calls {
		return w.end.Sub(now)
	}
	w.calls++
	l.users[user] = w
	return 0
}

// refusal is the answer to a call beyond the limit. The remaining time is in whole seconds, rounded up.
func (l *limits) refusal(remaining time.Duration) answer {
	seconds := strconv.Itoa(int(math.Ceil(remaining.Seconds())))
	fail := &apiError{http.StatusTooManyRequests, fmt.Sprintf("Rate limit %d exceeded - try again in %ss", l.Calls, seconds)}
	a := answer{status: fail.status, value: fail.body()}
	if !l.NoRetryAfter {
		a.header = map[string]string{"Retry-After": seconds}
	}
	return a
}
