package localaiven

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limits give each token its calls per second, and as many at once.
type limits struct {
	perSecond float64 // zero is no limit
	mu        sync.Mutex
	tokens    map[string]*rate.Limiter
}

func newLimits(perSecond float64) *limits {
	return &limits{perSecond: perSecond, tokens: map[string]*rate.Limiter{}}
}

// take takes one call of the token's, or says after how long there will be one.
func (l *limits) take(token string, now time.Time) time.Duration {
	if l.perSecond == 0 {
		return 0
	}
	l.mu.Lock()
	limiter, known := l.tokens[token]
	if !known {
		limiter = rate.NewLimiter(rate.Limit(l.perSecond), max(1, int(l.perSecond)))
		l.tokens[token] = limiter
	}
	l.mu.Unlock()
	r := limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// limited is the answer to a token that has to wait, in whole seconds as HTTP has them.
func limited(wait time.Duration) answer {
	seconds := int(math.Ceil(wait.Seconds()))
	return answer{
		status: http.StatusTooManyRequests, value: (&apiError{http.StatusTooManyRequests, "Too many requests, try again later"}).body(),
		header: map[string]string{"Retry-After": strconv.Itoa(seconds)},
	}
}
