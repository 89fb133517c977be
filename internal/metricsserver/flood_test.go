package metricsserver

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// flood is a filter under requests with made-up tokens.
type flood struct {
	*testing.T
	now     time.Time
	server  *apiServer
	handler http.Handler
	made    int
}

func newFlood(t *testing.T) *flood {
	t.Helper()
	f := &flood{T: t, now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	f.server, f.handler = filteredAt(t, func() time.Time { return f.now })
	return f
}

// request makes one request with a new token, and returns its status.
func (f *flood) request(address string) int {
	f.made++
	w := getFrom(f.T, f.handler, http.MethodGet, fmt.Sprint("Bearer made-up-", f.made), address)
	assert.Equal(f, w.Code == http.StatusTooManyRequests, w.Header().Get("Retry-After") == "1")
	return w.Code
}

// burst makes 100 requests at once, and returns the number of reviews.
func (f *flood) burst(addressOf func(i int) string) int {
	before := f.server.requests.Load()
	for i := range 100 {
		assert.Contains(f, []int{http.StatusUnauthorized, http.StatusTooManyRequests}, f.request(addressOf(i)))
	}
	return int(f.server.requests.Load() - before)
}

func (f *flood) scrape(token, address string) int {
	return getFrom(f.T, f.handler, http.MethodGet, "Bearer "+token, address).Code
}

func oneSource(int) string { return "192.0.2.9:1234" }

func manySources(i int) string { return fmt.Sprintf("[2001:db8::%x]:1234", i) }

func TestUnknownTokensCannotLoadTheAPIServer(t *testing.T) {
	f := newFlood(t)
	assert.Equal(t, 5, f.burst(oneSource), "one source has five reviews at once")
	assert.Zero(t, f.burst(func(i int) string { return fmt.Sprint("192.0.2.9:", i) }), "another port is the same source")
	assert.Equal(t, 5, f.burst(manySources), "all sources together have ten")
	assert.Equal(t, http.StatusUnauthorized, get(t, f.handler, http.MethodGet, "").Code, "a request without a token needs no review")
	assert.Equal(t, http.StatusTooManyRequests, f.scrape("stranger", "192.0.2.1:1"))
	f.now = f.now.Add(time.Second)
	assert.Equal(t, 2, f.burst(oneSource), "one source has two reviews a second")
	assert.Equal(t, http.StatusForbidden, f.scrape("stranger", "192.0.2.1:1"), "a refusal for the rate isn't cached")
	f.now = f.now.Add(time.Hour)
	assert.Equal(t, 10, f.burst(manySources), "reviews that weren't made don't add up")
	assert.Zero(t, f.burst(func(i int) string { return manySources(1000 + i) }), "new sources have no more")
}

func TestUnknownTokensDoNotLockAScraperOut(t *testing.T) {
	for _, rate := range []int{11, 20, 40} {
		for name, addressOf := range map[string]func(int) string{"its own address": func(int) string { return "192.0.2.1:1234" }, "many addresses": manySources} {
			t.Run(fmt.Sprintf("%d a second from %s", rate, name), func(t *testing.T) {
				f := newFlood(t)
				assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
				for tick := range 180 * rate { // three minutes, with a scrape every 30 seconds
					f.now = f.now.Add(time.Second / time.Duration(rate))
					f.request(addressOf(tick))
					if tick%(30*rate) == 30*rate-1 {
						assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
					}
				}
			})
		}
	}
}

func TestUnknownTokensDoNotDisplaceAnAllowedDecision(t *testing.T) {
	f := newFlood(t)
	assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
	for range 50 {
		f.now = f.now.Add(time.Second)
		f.burst(manySources)
	}
	before := f.server.requests.Load()
	assert.Greater(t, int(before), maxEntries, "more decisions than a cache holds")
	assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
	assert.Equal(t, before, f.server.requests.Load(), "the decision is cached")
}

func TestANewTokenIsReviewedWhileAnotherSourceFloods(t *testing.T) {
	f := newFlood(t)
	for range 10 {
		f.burst(oneSource)
		f.now = f.now.Add(time.Second / 10)
	}
	f.burst(oneSource)
	assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
}

func TestATokenIsKnownForAnHour(t *testing.T) {
	for _, tc := range []struct {
		after time.Duration
		want  int
	}{
		{time.Hour - time.Second, http.StatusOK},
		{time.Hour + time.Second, http.StatusTooManyRequests},
	} {
		t.Run(tc.after.String(), func(t *testing.T) {
			f := newFlood(t)
			assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
			f.now = f.now.Add(tc.after)
			f.burst(manySources)
			assert.Equal(t, tc.want, f.scrape("reader", "192.0.2.1:1"))
		})
	}
}

func TestDecisionsExpire(t *testing.T) {
	for token, ttl := range map[string]time.Duration{"reader": allowedTTL, "stranger": deniedTTL, "made-up": deniedTTL} {
		t.Run(token, func(t *testing.T) {
			f := newFlood(t)
			f.scrape(token, "192.0.2.1:1")
			first := f.server.requests.Load()
			f.now = f.now.Add(ttl - time.Millisecond)
			f.scrape(token, "192.0.2.1:1")
			assert.Equal(t, first, f.server.requests.Load(), "cached")
			f.now = f.now.Add(2 * time.Millisecond)
			f.scrape(token, "192.0.2.1:1")
			assert.Equal(t, 2*first, f.server.requests.Load(), "reviewed again")
		})
	}
}

func TestKnownTokensHaveALimitToo(t *testing.T) {
	f := newFlood(t)
	assert.Equal(t, http.StatusOK, f.scrape("reader", "192.0.2.1:1"))
	refused := 0
	for i := range 100 {
		if getFrom(t, f.handler, fmt.Sprint("M", i), "Bearer reader", "192.0.2.1:1").Code == http.StatusTooManyRequests {
			refused++
		}
	}
	assert.Equal(t, 90, refused)
}
