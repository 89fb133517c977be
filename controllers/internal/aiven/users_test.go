package aiven_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// accounts is an Aiven that knows whose a token is: "alice-1" is Alice's.
type accounts struct {
	mu     sync.Mutex
	asked  []string // the tokens whose user was asked for
	status int      // of that call, 0 to serve it
	odd    any      // the body of its success, nil for the user; an error is a panic
	busy   bool     // 429 for all other calls
	out    bool     // 401 for all calls
}

func (p *accounts) RoundTrip(r *http.Request) (*http.Response, error) {
	return inMemory(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "aivenv1 ")
		switch {
		case p.out:
			replyError(w, http.StatusUnauthorized, "Invalid token")
		case r.URL.Path == "/v1/me":
			p.asked = append(p.asked, token)
			if p.status != 0 {
				replyError(w, p.status, "no")
				return
			}
			if err, panics := p.odd.(error); panics {
				panic(err)
			}
			if p.odd != nil {
				reply(w, http.StatusOK, p.odd)
				return
			}
			name, _, _ := strings.Cut(token, "-")
			reply(w, http.StatusOK, map[string]any{"user": map[string]any{"user_id": name, "user": name + "@example.org"}})
		case p.busy:
			w.Header().Set("Retry-After", "40")
			replyError(w, http.StatusTooManyRequests, "no")
		default:
			replyService(w, aiven.StateRunning)
		}
	}).RoundTrip(r)
}

func call(t *testing.T, clients *aiven.Clients, token string) error {
	t.Helper()
	c, err := clients.ForToken(token)
	require.NoError(t, err)
	_, err = c.API().ServiceGet(t.Context(), "p", "s")
	synctest.Wait()
	return err
}

func TestTheTokensOfOneUserShareALimit(t *testing.T) {
	for name, tc := range map[string]struct {
		other  string
		status int
		shared bool
	}{
		"two tokens of one user":         {"alice-2", 0, true},
		"tokens of two users":            {"bob-1", 0, false},
		"a token that may not ask":       {"alice-2", http.StatusForbidden, false},
		"a token that is refused":        {"alice-2", http.StatusUnauthorized, false},
		"an Aiven that doesn't know it":  {"alice-2", http.StatusNotFound, false},
		"an Aiven that can't be reached": {"alice-2", http.StatusBadGateway, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &accounts{status: tc.status}
				clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
				require.NoError(t, call(t, clients, "alice-1"))
				assert.Empty(t, p.asked, "a single token shares its limit with no other")
				require.NoError(t, call(t, clients, tc.other))
				require.NoError(t, call(t, clients, "alice-1"))
				for range 3 {
					require.NoError(t, call(t, clients, tc.other))
				}
				assert.ElementsMatch(t, []string{"alice-1", tc.other}, p.asked, "once a token")
				p.busy = true
				require.Error(t, call(t, clients, "alice-1"))
				p.busy = false
				assert.Equal(t, tc.shared, fault.Is(call(t, clients, tc.other), fault.RateLimited))
			})
		})
	}
}

func TestWhoseATokenIsIsAskedAgainAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &accounts{status: http.StatusBadGateway}
		clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
		for range 3 {
			require.NoError(t, call(t, clients, "alice-1"))
			require.NoError(t, call(t, clients, "alice-2"))
		}
		assert.Len(t, p.asked, 2)
		p.status = 0
		pause(time.Minute)
		require.NoError(t, call(t, clients, "alice-1"))
		require.NoError(t, call(t, clients, "alice-2"))
		assert.Len(t, p.asked, 4)
		p.busy = true
		require.Error(t, call(t, clients, "alice-1"))
		require.True(t, fault.Is(call(t, clients, "alice-2"), fault.RateLimited))
	})
}

func TestWhoseATokenIsIsAskedAgainUntilAivenSaysItOrRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		odd    any
		again  bool
	}{
		"an outage":                   {status: http.StatusBadGateway, again: true},
		"an answer of something else": {odd: "a proxy", again: true},
		"a panic":                     {odd: errors.New("odd"), again: true},
		"an answer without a user":    {odd: map[string]any{"user": map[string]any{}}, again: true},
		"a refusal":                   {status: http.StatusForbidden},
		"a token that isn't valid":    {status: http.StatusUnauthorized},
		"no such call":                {status: http.StatusNotFound},
		"its answer":                  {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &accounts{status: tc.status, odd: tc.odd}
				clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
				for range 3 {
					require.NoError(t, call(t, clients, "alice-1"))
					require.NoError(t, call(t, clients, "alice-2"))
					pause(time.Minute)
				}
				asked := 2
				if tc.again {
					asked = 5 // the first call of the first token has no other to share its limit with
				}
				assert.Len(t, p.asked, asked)
			})
		})
	}
}

func TestWhatOneTokenLearnedHoldsForTheNextOfTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &accounts{}
		clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
		require.NoError(t, call(t, clients, "alice-1"))
		p.busy = true
		require.Error(t, call(t, clients, "alice-1"))
		p.busy = false
		pause(time.Minute)
		require.NoError(t, call(t, clients, "alice-1"))
		assert.Len(t, p.asked, 1, "after a refusal it matters whose it is")
		require.NoError(t, call(t, clients, "alice-2"))
		require.NoError(t, call(t, clients, "alice-2"))
		second, err := clients.ForToken("alice-2")
		require.NoError(t, err)
		assert.Greater(t, second.PollFactor(), 1.0)
	})
}

// seriesOf counts the series of a metric.
func seriesOf(t *testing.T, name string) int {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			return len(family.GetMetric())
		}
	}
	return 0
}

func TestTheSeriesOfAForgottenClientAreRemoved(t *testing.T) {
	names := []string{
		"aero_aiven_rate_limit_calls_per_second", "aero_aiven_rate_limit_available_calls", "aero_aiven_rate_limit_paused_seconds_total",
	}
	clock := newClock()
	clients := aiven.New(aiven.Options{Now: clock.Now, QPS: 10, Transport: &accounts{}})
	before := map[string]int{}
	for _, name := range names {
		before[name] = seriesOf(t, name)
	}
	for n := range 500 { // as many as are issued in three weeks for an hour each
		_, err := clients.ForToken(fmt.Sprintf("token-%d", n))
		require.NoError(t, err)
	}
	for _, name := range names {
		assert.GreaterOrEqual(t, seriesOf(t, name), 500, name)
	}
	clock.Move(2 * time.Hour)
	_, err := clients.ForToken("another")
	require.NoError(t, err)
	for _, name := range names {
		assert.LessOrEqual(t, seriesOf(t, name), before[name]+1, name)
	}
}

func TestTheRateLimitIsMetered(t *testing.T) {
	l := newLimited(t, 10, 10)
	l.read(t)
	l.read(t)
	assert.InDelta(t, 8, measured(t, "aero_aiven_rate_limit_available_calls", "1"), 0)
	assert.InDelta(t, 10, measured(t, "aero_aiven_rate_limit_calls_per_second", "1"), 0)
	paused := measured(t, "aero_aiven_rate_limit_paused_seconds_total", "1")
	l.refuse(t, http.StatusTooManyRequests, "7")
	assert.InDelta(t, 7, measured(t, "aero_aiven_rate_limit_paused_seconds_total", "1")-paused, 0)
	assert.InDelta(t, 1, measured(t, "aero_aiven_rate_limit_calls_per_second", "1"), 0.05, "what is left")
	l.clock.Move(7 * time.Second)
	l.refuse(t, http.StatusServiceUnavailable, "9")
	assert.InDelta(t, 7, measured(t, "aero_aiven_rate_limit_paused_seconds_total", "1")-paused, 0, "it concerns one request")
}

func TestAfterAnOutageOfTheAuthenticationTheTokensOfOneUserShareALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &accounts{out: true}
		clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
		both := func(check func(require.TestingT, error, ...any)) {
			for _, token := range []string{"alice-1", "alice-2"} {
				check(t, call(t, clients, token))
			}
		}
		both(require.Error)
		p.out = false
		both(require.NoError)
		both(require.NoError)
		p.busy = true
		require.Error(t, call(t, clients, "alice-1"))
		p.busy = false
		assert.True(t, fault.Is(call(t, clients, "alice-2"), fault.RateLimited))
	})
}

// slowQuotas answers with a list of quotas, whose end comes after the answer to UserInfo.
type slowQuotas struct{ accounts }

func (q *slowQuotas) RoundTrip(r *http.Request) (*http.Response, error) {
	rsp, err := q.accounts.RoundTrip(r)
	if err == nil && r.URL.Path != "/v1/me" {
		begin := `{"quotas": [` + strings.Repeat(`{"client-id": "c"},`, 9000)
		rsp.Body = io.NopCloser(io.MultiReader(strings.NewReader(begin), late(`{"client-id": "d"}]}`)))
	}
	return rsp, err
}

// late is a text that can be read after a second.
func late(text string) io.Reader {
	var once sync.Once
	rest := strings.NewReader(text)
	return readerFunc(func(p []byte) (int, error) {
		once.Do(func() { pause(time.Second) })
		return rest.Read(p)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestTheAnswerToUserInfoIsNoPartOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &slowQuotas{}
		clients := aiven.New(aiven.Options{Transport: q, QPS: 100})
		_, err := clients.ForToken("alice-1")
		require.NoError(t, err)
		c, err := clients.ForToken("alice-2")
		require.NoError(t, err)
		ctx, body := aiven.WithBody(t.Context())
		_, err = c.API().ServiceKafkaQuotaList(ctx, "p", "s")
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []string{"alice-2"}, q.asked)
		assert.NotContains(t, body.String(), "alice")
		assert.True(t, aiven.HasField(body.Bytes(), "quotas"))
	})
}
