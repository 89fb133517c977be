package aiven_test

import (
	"fmt"
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// requester makes one call again and again: each time that it may, and otherwise when it was asked to come back.
type requester struct {
	wait   func() time.Duration
	every  time.Duration // between a call that was made and the next one
	due    time.Duration
	since  time.Duration // when it began to wait
	served int
	most   time.Duration // its longest wait
}

// let has requesters call for a time, in steps of 50 ms.
func (e *exact) let(during time.Duration, all ...*requester) {
	begin := e.clock.Now().Sub(e.begin)
	for _, r := range all {
		r.due, r.since = begin, begin
	}
	for at := begin; at < begin+during; at += 50 * time.Millisecond {
		e.at(at)
		for _, r := range all {
			if at < r.due {
				continue
			}
			if wait := r.wait(); wait > 0 {
				r.due = at + wait
				continue
			}
			r.served++
			r.most = max(r.most, at-r.since)
			r.due = at + r.every
			r.since = r.due
		}
	}
}

func requesters(n int, every time.Duration, prefix string, ask func(string) time.Duration) []*requester {
	all := make([]*requester, n)
	for i := range all {
		name := fmt.Sprint(prefix, i)
		all[i] = &requester{wait: func() time.Duration { return ask(name) }, every: every}
	}
	return all
}

func served(all []*requester) (n int) {
	for _, r := range all {
		n += r.served
	}
	return n
}

func TestPollsGetAShareHoweverManyCallsOvertakeThem(t *testing.T) {
	for name, tc := range map[string]struct {
		urgent, polls int
		burst         int
		share         float64       // of the calls, at least
		most          time.Duration // that a poll waits
	}{
		"24 deletions every 10 s, one poll":      {24, 1, 10, 0.12, 10 * time.Second},
		"24 deletions every 10 s, many polls":    {24, 30, 10, 0.3, 2 * time.Minute},
		"more deletions than the rate, one poll": {100, 1, 10, 0.12, 10 * time.Second},
		"a burst of one":                         {24, 1, 1, 0.1, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExact(t, aiven.Options{QPS: 2, Burst: tc.burst})
			urgent := requesters(tc.urgent, 10*time.Second, "deleted-", e.urgent)
			polls := requesters(tc.polls, time.Second, "polled-", e.wait)
			e.let(time.Hour, append(urgent, polls...)...)
			all := served(urgent) + served(polls)
			t.Logf("%d calls, %d of them polls", all, served(polls))
			assert.GreaterOrEqual(t, all, 7000, "the whole rate is used")
			assert.GreaterOrEqual(t, float64(served(polls))/float64(all), tc.share)
			assert.LessOrEqual(t, float64(served(polls))/float64(all), 0.4, "and the others come first")
			for _, r := range polls {
				assert.LessOrEqual(t, r.most, tc.most)
			}
		})
	}
}

func TestAtALearnedRatePollsGetAShare(t *testing.T) {
	e := hundred(t, aiven.Options{})
	e.at(3 * time.Minute)
	e.served(1) // the probe
	urgent := requesters(24, 10*time.Second, "deleted-", e.urgent)
	polls := requesters(10, time.Second, "polled-", e.wait)
	e.let(9*time.Minute, append(urgent, polls...)...)
	assert.GreaterOrEqual(t, served(polls), 9*25)
	assert.GreaterOrEqual(t, served(urgent)+served(polls), 9*95)
}

func TestAWriteKeepsItsPlaceThoughItsBodyDiffers(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 1, Burst: 1})
	e.served(1)
	create := func(uid, name string) time.Duration {
		ctx := aiven.WithCaller(t.Context(), uid)
		return waitOf(e.API().ServiceDatabaseCreate(ctx, "p", "s", &service.ServiceDatabaseCreateIn{Database: name}))
	}
	assertWait(t, time.Second, create("a", "first"), "the first")
	assertWait(t, 1600*time.Millisecond, create("b", "first"), "another object")
	assertWait(t, time.Second, create("a", "second"), "the first again")
	assertWait(t, 2400*time.Millisecond, create("c", "third"), "no place is left behind")
}

func TestObjectsThatReadTheSameShareATurn(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 1, Burst: 1})
	e.served(1)
	for _, uid := range []string{"a", "b"} {
		_, err := e.API().ServiceGet(aiven.WithCaller(t.Context(), uid), "p", "s")
		assertWait(t, time.Second, waitOf(err), uid)
	}
}

func TestLongWaitsEndAtDifferentTimes(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 2, Burst: 1})
	e.served(1)
	ends := map[time.Duration]int{}
	for range 3000 {
		ends[e.fresh().Round(10*time.Millisecond)]++
	}
	for wait, n := range ends {
		require.LessOrEqual(t, wait, 5*time.Minute)
		require.LessOrEqual(t, n, 20, "%s", wait)
	}
	assert.GreaterOrEqual(t, e.fresh(), 4*time.Minute, "in the last part of the longest wait")
}

func TestAQueueThatIsFullKeepsNoMorePlaces(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 1, Burst: 1})
	e.served(1)
	for range aiven.MaxTurns - 1 {
		e.fresh()
	}
	last, beyond := e.fresh(), e.fresh()
	assert.NotEqual(t, last, beyond)
	assert.Equal(t, beyond, e.fresh(), "as if there was one more place")
	assertWait(t, time.Second, e.wait("fresh-2"), "places are kept")
}

func TestOnlyAnAnswerToACallAfterThePauseEndsTheProbe(t *testing.T) {
	paused := func(e *exact) {
		e.refused()
		e.at(2 * time.Minute)
	}
	for name, tc := range map[string]struct {
		before func(e *exact)
		want   time.Duration // how long another call waits beside the next one
	}{
		"none yet": {paused, time.Second},
		"an answer to a call that was under way": {func(e *exact) {
			e.during = func() { paused(e) }
			assert.Zero(e.t, e.urgent("older"))
		}, time.Second},
		"a network error": {func(e *exact) {
			paused(e)
			e.broken = true
			assert.Zero(e.t, e.urgent("probe"))
		}, time.Second},
		"an answer to the probe": {func(e *exact) {
			paused(e)
			assert.Zero(e.t, e.urgent("probe"))
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExact(t, aiven.Options{QPS: 100, Burst: 100})
			e.refused()
			e.probe(time.Minute)
			tc.before(e)
			e.during = func() { assertWait(t, tc.want, e.urgent("other"), "beside it") }
			assert.Zero(t, e.urgent("next"))
		})
	}
}

func TestA503HoldsBackOnlyTheRequestThatGotIt(t *testing.T) {
	l := newLimited(t, 10, 10)
	got := l.refuse(t, http.StatusServiceUnavailable, "300")
	assert.Equal(t, fault.Server, got.Class)
	assert.Equal(t, 5*time.Minute, got.RetryAfter, "its object waits")
	assert.Equal(t, fault.None, l.read(t).Class, "others don't")
	assert.Equal(t, fault.None, l.urgent(t).Class)
}

func TestTheCallsOfBothTokensCountOnceTheyAreOfOneUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &accounts{status: http.StatusBadGateway}
		clients := aiven.New(aiven.Options{Transport: p, QPS: 100, Burst: 500})
		calls := func(n int) {
			for range n {
				require.NoError(t, call(t, clients, "alice-1"))
				require.NoError(t, call(t, clients, "alice-2"))
			}
		}
		calls(2)
		pause(40 * time.Second)
		calls(100)
		pause(20 * time.Second)
		p.status = 0
		calls(1)
		p.busy = true
		require.Error(t, call(t, clients, "alice-1"))
		c, err := clients.ForToken("alice-1")
		require.NoError(t, err)
		assert.InDelta(t, math.Sqrt(10*61/200.), c.PollFactor(), 0.05, "200 calls in a minute were accepted")
	})
}

func BenchmarkAsk(b *testing.B) {
	c, err := aiven.New(aiven.Options{QPS: 1, Burst: 1, Transport: inMemory(func(w http.ResponseWriter, _ *http.Request) {
		replyService(w, aiven.StateRunning)
	})}).ForToken(token)
	require.NoError(b, err)
	for i := range 20_000 {
		_, _ = c.API().ServiceGet(b.Context(), "p", fmt.Sprint(i))
	}
	for i := 0; b.Loop(); i++ {
		_, _ = c.API().ServiceGet(b.Context(), "p", fmt.Sprint(i%20_000))
	}
}
