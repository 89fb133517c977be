package aiven_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// limited is a client whose calls are answered with a status that the test sets.
type limited struct {
	*aiven.Client
	clients *aiven.Clients
	clock   *clock
	status  int
	header  map[string]string
	calls   int
	polls   int
}

func newLimited(t *testing.T, qps float64, burst int) *limited {
	t.Helper()
	l := &limited{clock: newClock(), status: http.StatusOK}
	l.clients = aiven.New(aiven.Options{Now: l.clock.Now, QPS: qps, Burst: burst, Transport: inMemory(
		func(w http.ResponseWriter, r *http.Request) {
			l.calls++
			for name, value := range l.header {
				w.Header().Set(name, value)
			}
			if l.status != http.StatusOK {
				replyError(w, l.status, "no")
				return
			}
			replyService(w, aiven.StateRunning)
		})})
	var err error
	l.Client, err = l.clients.ForToken(token)
	require.NoError(t, err)
	l.KnowUser()
	return l
}

// read is a request of its own each time.
func (l *limited) read(t *testing.T) fault.Fault {
	l.polls++
	_, err := l.API().ServiceGet(t.Context(), "p", fmt.Sprint(l.polls))
	return fault.Of(err)
}

// urgent reads for a person.
func (l *limited) urgent(t *testing.T) fault.Fault {
	_, err := l.API().ServiceGet(aiven.WithPriority(t.Context()), "p", "s")
	return fault.Of(err)
}

// refuse answers the next call with a status and a header.
func (l *limited) refuse(t *testing.T, status int, after string) fault.Fault {
	l.status, l.header = status, map[string]string{"Retry-After": after}
	defer func() { l.status, l.header = http.StatusOK, nil }()
	calls := l.calls
	refusal := l.urgent(t)
	require.Equal(t, calls+1, l.calls, "it was made")
	return refusal
}

// accepted is how many calls pass in a time, tried five times a second.
func (l *limited) accepted(t *testing.T, during time.Duration) int {
	before := l.calls
	for range during / (200 * time.Millisecond) {
		l.clock.Move(200 * time.Millisecond)
		_, _ = l.API().ServiceGet(t.Context(), "p", "s") // one and the same request
	}
	return l.calls - before
}

func TestARefusalSetsTheRateToWhatWasAccepted(t *testing.T) {
	l := newLimited(t, 4, 4)
	l.accepted(t, 30*time.Second)
	l.clock.Move(time.Minute) // nothing of this counts
	assert.InDelta(t, 120, l.accepted(t, 30*time.Second), 5)
	l.clock.Move(time.Second)
	l.refuse(t, http.StatusTooManyRequests, "30")
	l.clock.Move(30 * time.Second)
	for range 5 {
		assert.InDelta(t, 120, l.accepted(t, time.Minute), 8, "a minute's worth is what was accepted in a minute")
	}
}

func TestManyRefusalsLeaveOneCallASecond(t *testing.T) {
	l := newLimited(t, 100, 100)
	for range 20 {
		l.refuse(t, http.StatusTooManyRequests, "1")
		l.clock.Move(5 * time.Second)
	}
	assert.InDelta(t, 60, l.accepted(t, time.Minute), 6)
}

func TestALearnedRateGrowsSlowlyAndOnlyAfterTenQuietMinutes(t *testing.T) {
	l := newLimited(t, 4, 4)
	l.accepted(t, 30*time.Second)
	l.clock.Move(time.Second)
	l.refuse(t, http.StatusTooManyRequests, "1")
	for minute := range 10 {
		assert.LessOrEqual(t, l.accepted(t, time.Minute), 128, "minute %d", minute)
	}
	grown := l.accepted(t, 10*time.Minute)
	assert.Greater(t, grown, 10*128)
	assert.Less(t, grown, 10*200)
	l.accepted(t, time.Hour)
	assert.InDelta(t, 240, l.accepted(t, 10*time.Minute)/10, 5, "back at what was configured")
}

func TestWhatIsNotUsedDoesNotGrow(t *testing.T) {
	l := newLimited(t, 4, 4)
	l.accepted(t, 30*time.Second)
	l.clock.Move(time.Second)
	l.refuse(t, http.StatusTooManyRequests, "1")
	for range 120 {
		l.clock.Move(30 * time.Second)
		l.read(t)
	}
	assert.LessOrEqual(t, l.accepted(t, time.Minute), 135)
}

func TestAfterARefusalNoCallIsMadeUntilItsTimeIsOver(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		after  string
		pause  time.Duration
	}{
		"seconds":           {http.StatusTooManyRequests, "7", 7 * time.Second},
		"no time":           {http.StatusTooManyRequests, "", 10 * time.Second},
		"an hour":           {http.StatusTooManyRequests, "3600", 5 * time.Minute},
		"maintenance":       {http.StatusServiceUnavailable, "9", 0},
		"only server error": {http.StatusBadGateway, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLimited(t, 10, 10)
			l.refuse(t, tc.status, tc.after)
			calls := l.calls
			if tc.pause == 0 {
				assert.Equal(t, fault.None, l.read(t).Class)
				return
			}
			first, second := l.read(t), l.read(t)
			assert.Equal(t, fault.RateLimited, first.Class)
			assert.GreaterOrEqual(t, first.RetryAfter, tc.pause)
			assert.GreaterOrEqual(t, second.RetryAfter, first.RetryAfter)
			assert.Equal(t, fault.RateLimited, l.urgent(t).Class, "for a person, too")
			l.clock.Move(tc.pause - time.Millisecond)
			l.read(t)
			assert.Equal(t, calls, l.calls)
			l.clock.Move(10 * time.Second)
			assert.Equal(t, fault.None, l.urgent(t).Class)
		})
	}
}

func TestAfterAPauseOneCallProbes(t *testing.T) {
	l := newLimited(t, 10, 10)
	l.refuse(t, http.StatusTooManyRequests, "3600")
	for range 3 {
		l.clock.Move(5 * time.Minute)
		calls := l.calls
		l.refuse(t, http.StatusTooManyRequests, "3600")
		for range 5 {
			l.urgent(t)
		}
		assert.Equal(t, calls+1, l.calls)
	}
	l.clock.Move(5*time.Minute + 2*time.Second)
	assert.Equal(t, fault.None, l.read(t).Class)
	assert.Equal(t, fault.None, l.read(t).Class, "it is over")
}

func TestNoCallIsPutOffForLong(t *testing.T) {
	l := newLimited(t, 1, 1)
	l.read(t)
	longest := time.Duration(0)
	for range 1000 {
		longest = max(longest, l.read(t).RetryAfter)
	}
	assert.Equal(t, 5*time.Minute, longest)
}

func TestUrgentCallsOvertakePolls(t *testing.T) {
	l := newLimited(t, 4, 4)
	l.accepted(t, 30*time.Second)
	l.clock.Move(time.Second)
	l.refuse(t, http.StatusTooManyRequests, "1")
	for range 100 {
		l.read(t) // they wait
	}
	l.accepted(t, 2*time.Minute)
	served := 0
	for range 50 { // five seconds, beside polls that try as often
		l.clock.Move(100 * time.Millisecond)
		l.read(t)
		if l.urgent(t).Class == fault.None {
			served++
		}
		l.read(t)
	}
	assert.GreaterOrEqual(t, served, 8, "two a second")
	l.accepted(t, time.Minute)
	assert.Less(t, l.urgent(t).RetryAfter, 5*time.Second)
}

func TestPollsStretchWhereTheRateIsLow(t *testing.T) {
	l := newLimited(t, 100, 100)
	assert.InDelta(t, 1, l.PollFactor(), 0)
	l.accepted(t, 24*time.Second)
	l.clock.Move(time.Second)
	l.refuse(t, http.StatusTooManyRequests, "1")
	assert.InDelta(t, 2.25, l.PollFactor(), 0.05, "120 a minute")
	unlimited := clientFor(t, aiven.Options{})
	assert.InDelta(t, 1, unlimited.PollFactor(), 0)
}
