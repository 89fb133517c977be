package aiven_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// exact is a client of one user, with a clock of its own: each number of its rate limiter can be predicted.
type exact struct {
	*aiven.Client
	t      *testing.T
	clock  *clock
	begin  time.Time
	refuse string // Retry-After of the next answer, a 429; empty for a 200
	during func() // runs while the next call is under way
	broken bool   // the next call gets no answer
	asked  int

	identified chan struct{} // closed once the operator has asked whose token it is
}

func newExact(t *testing.T, options aiven.Options) *exact {
	t.Helper()
	e := &exact{t: t, clock: newClock(), identified: make(chan struct{})}
	e.begin = e.clock.Now()
	options.Now, options.Transport = e.clock.Now, e
	e.Client = clientFor(t, options)
	return e
}

// RoundTrip implements http.RoundTripper.
func (e *exact) RoundTrip(r *http.Request) (*http.Response, error) {
	if e.broken {
		e.broken = false
		return nil, errors.New("no route to host")
	}
	return inMemory(e.answer).RoundTrip(r)
}

func (e *exact) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/me" {
		replyError(w, http.StatusForbidden, "no")
		close(e.identified)
		return
	}
	if during := e.during; during != nil {
		e.during = nil
		during()
	}
	refuse := e.refuse
	e.refuse = ""
	if refuse == "" {
		replyService(w, aiven.StateRunning)
		return
	}
	w.Header().Set("Retry-After", refuse)
	replyError(w, http.StatusTooManyRequests, "no")
}

// at moves the clock to a time after the beginning.
func (e *exact) at(since time.Duration) { e.clock.Move(since - e.clock.Now().Sub(e.begin)) }

// wait asks for a call, and is how long it has to wait, 0 if it was made.
func (e *exact) wait(name string) time.Duration {
	_, err := e.API().ServiceGet(e.t.Context(), "p", name)
	return waitOf(err)
}

// fresh is wait for a request that was never made before.
func (e *exact) fresh() time.Duration {
	e.asked++
	return e.wait(fmt.Sprint("fresh-", e.asked))
}

// urgent is wait for a request with priority.
func (e *exact) urgent(name string) time.Duration {
	_, err := e.API().ServiceGet(aiven.WithPriority(e.t.Context()), "p", name)
	return waitOf(err)
}

// served makes calls that must be made at once.
func (e *exact) served(calls int) {
	e.t.Helper()
	for range calls {
		e.asked++
		require.Zero(e.t, e.urgent(fmt.Sprint("served-", e.asked)))
	}
}

// refused makes a call that Aiven refuses, and asks to be left alone for a second.
func (e *exact) refused() {
	e.t.Helper()
	e.refuse = "1"
	require.Equal(e.t, time.Second, e.urgent("refused"))
}

// probe makes the first call after a pause. Once a rate is learned, it makes the operator ask whose token it is, which takes a
// turn, too.
func (e *exact) probe(since time.Duration) {
	e.t.Helper()
	e.at(since)
	e.served(1)
	select {
	case <-e.identified:
	case <-time.After(10 * time.Second):
		require.Fail(e.t, "it doesn't ask whose token it is")
	}
}

// learned is how many calls a window has by now, 0 for a rate that isn't learned or is above ten a second.
func (e *exact) learned(window time.Duration) int {
	factor := e.PollFactor()
	if factor <= 1 {
		return 0
	}
	return int(math.Round(10 * (window + window/60).Seconds() / (factor * factor)))
}

func assertWait(t *testing.T, want, got time.Duration, why string) {
	t.Helper()
	assert.InDelta(t, want.Seconds(), got.Seconds(), 1e-6, why)
}

func TestARequestWaitsForItsTokenAndForThoseAheadOfIt(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 4, Burst: 4})
	e.served(4)
	assertWait(t, 250*time.Millisecond, e.wait("a"), "one token")
	assertWait(t, 400*time.Millisecond, e.wait("b"), "two, and not all who are ahead still need theirs")
	assertWait(t, 600*time.Millisecond, e.wait("c"), "three")
	assertWait(t, 400*time.Millisecond, e.wait("b"), "its place is its own")
	e.at(250 * time.Millisecond)
	assert.Zero(t, e.wait("a"))
	assertWait(t, 250*time.Millisecond, e.wait("b"), "the next one")
}

func TestEachOfManyWaitsForAllWhoAreAheadOfIt(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 4, Burst: 4})
	e.served(4)
	e.fresh()
	for ahead := 2; ahead <= 300; ahead++ {
		assertWait(t, time.Duration(ahead)*200*time.Millisecond, e.fresh(), "not all who are ahead still need theirs")
	}
}

func TestAFullBucketServesAnyCall(t *testing.T) {
	for burst, want := range map[int]time.Duration{4: 0, 1: 2400 * time.Millisecond} {
		e := newExact(t, aiven.Options{QPS: 4 / float64(4/burst), Burst: burst})
		e.served(burst)
		waiting := 10
		if burst == 1 {
			waiting = 3
		}
		for range waiting {
			assert.NotZero(t, e.fresh())
		}
		e.at(time.Second - time.Millisecond)
		assert.NotZero(t, e.wait("x"), "there are others before it")
		e.at(time.Second)
		assertWait(t, want, e.wait("x"), "only a bucket of several tokens loses some while it waits")
	}
}

func TestWhoIsLateLosesItsTurnFirstAndItsPlaceThen(t *testing.T) {
	setUp := func(at time.Duration) *exact {
		e := newExact(t, aiven.Options{QPS: 1, Burst: 1})
		e.served(1)
		assertWait(t, time.Second, e.wait("b"), "due in a second")
		e.at(at)
		return e
	}
	e := setUp(3 * time.Second)
	assertWait(t, 800*time.Millisecond, e.wait("c"), "two seconds late, b still comes first")
	e = setUp(3*time.Second + 1)
	assert.Zero(t, e.wait("c"), "b is later than that")
	for late, want := range map[time.Duration]time.Duration{0: time.Second, 1: 1600 * time.Millisecond} {
		e = setUp(time.Second + 5*time.Minute + late)
		assert.Zero(t, e.wait("c"))
		assertWait(t, time.Second, e.wait("d"), "the first in the queue that isn't late")
		assertWait(t, want, e.wait("b"), "its place is kept for five minutes")
	}
}

func TestRequestsWithDifferentBodiesHaveTurnsOfTheirOwn(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 1, Burst: 1})
	e.served(1)
	create := func(name string) time.Duration {
		err := e.API().ServiceDatabaseCreate(t.Context(), "p", "s", &service.ServiceDatabaseCreateIn{Database: name})
		return waitOf(err)
	}
	assertWait(t, time.Second, create("a"), "the first")
	assertWait(t, 1600*time.Millisecond, create("b"), "the second")
	assertWait(t, time.Second, create("a"), "the first again")
}

// hundred has made a hundred calls, one each 10 ms, and another one after two seconds that Aiven refused.
func hundred(t *testing.T, options aiven.Options) *exact {
	t.Helper()
	options.QPS, options.Burst = 100, 100
	e := newExact(t, options)
	for n := range 100 {
		e.at(time.Duration(n) * 10 * time.Millisecond)
		e.served(1)
	}
	e.at(2 * time.Second)
	e.refused()
	require.Equal(t, 100, e.learned(time.Minute))
	return e
}

func TestALearnedWindowIsFullUntilItsFirstCallsAreOld(t *testing.T) {
	e := hundred(t, aiven.Options{})
	assertWait(t, time.Second, e.urgent("paused"), "the pause")
	e.at(4 * time.Second)
	assertWait(t, 57*time.Second, e.urgent("paused"), "the first call was 61 s before that")
	e.at(61*time.Second - time.Millisecond)
	assertWait(t, time.Millisecond, e.urgent("paused"), "not yet")
	e.at(61 * time.Second)
	assert.Zero(t, e.urgent("paused"))
	e = hundred(t, aiven.Options{})
	e.at(4 * time.Second)
	assertWait(t, 57*time.Second+10*time.Millisecond, e.wait("b"), "one of the window's calls is left for those with priority")
	rate := 100. / 61
	assertWait(t, 57*time.Second+10*time.Millisecond+time.Duration(float64(time.Second)/rate/1.25), e.wait("c"), "b is ahead of it")
}

func TestALearnedBurstIsWhatFiveSecondsBring(t *testing.T) {
	e := hundred(t, aiven.Options{})
	e.probe(3 * time.Minute)
	e.at(4 * time.Minute)
	for n := range 6 {
		assert.Zero(t, e.fresh(), n)
	}
	rate := 100. / 61
	assertWait(t, time.Duration(float64(time.Second)/rate), e.fresh(), "a third is left for those with priority")
	e.served(2)
	assert.NotZero(t, e.urgent("more"))
}
