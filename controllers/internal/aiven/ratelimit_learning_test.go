package aiven_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestWhatWasAcceptedInTheWindowBeforeIsLearned(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second int
		after         time.Duration // the refusal, since the first
		want          int
	}{
		"all of it":                              {90, 80, time.Minute - 1, 170},
		"calls as old as a window don't count":   {90, 80, time.Minute, 80},
		"few calls still leave one a second":     {10, 20, time.Minute - 1, 60},
		"a call that was refused isn't accepted": {0, 99, time.Minute - 1, 99},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExact(t, aiven.Options{QPS: 100, Burst: 100})
			e.served(tc.first)
			e.at(30 * time.Second)
			e.served(tc.second)
			e.at(tc.after)
			e.refused()
			assert.Equal(t, tc.want, e.learned(time.Minute))
		})
	}
}

func TestCallsThatBeganAfterTheRefusedOneCount(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 100, Burst: 100})
	e.served(70)
	e.at(2 * time.Second)
	e.during = func() {
		e.at(3 * time.Second)
		e.served(10)
		e.refuse = "1"
	}
	require.NotZero(t, e.urgent("refused"))
	assert.Equal(t, 80, e.learned(time.Minute))
}

func TestARateAtTheConfiguredOneIsNotLearned(t *testing.T) {
	for accepted, want := range map[int]int{60: 60, 61: 0} {
		e := newExact(t, aiven.Options{QPS: 1, Burst: 62})
		e.served(accepted)
		e.at(30 * time.Second)
		e.refused()
		assert.Equal(t, want, e.learned(time.Minute))
	}
}

func TestTheFirstCallOfAllMayBeRefused(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 100, Burst: 100, RateWindow: time.Second})
	e.refused()
	e.at(time.Second)
	assert.Zero(t, e.urgent("again"), "a window has at least one call")
}

// used makes calls, the first one a window before a time, and asks for another one at that time. It reports whether the rate
// has grown.
func used(e *exact, since time.Duration, calls int) (grown bool) {
	before := e.learned(time.Minute)
	for n := range calls {
		e.at(since - 61*time.Second + time.Duration(n)*600*time.Millisecond)
		e.served(1)
	}
	e.at(since)
	e.urgent("at the end")
	return e.learned(time.Minute) > before
}

func TestAUsedRateGrowsAfterTenQuietWindows(t *testing.T) {
	const refused = 2 * time.Second
	for name, tc := range map[string]struct {
		after time.Duration
		calls int
		want  int
	}{
		"nine tenths of it are used":        {10 * time.Minute, 91, 105},
		"not a moment earlier":              {10*time.Minute - 1, 91, 100},
		"the first one has left the window": {10 * time.Minute, 90, 100},
	} {
		t.Run(name, func(t *testing.T) {
			e := hundred(t, aiven.Options{})
			e.probe(5 * time.Minute)
			used(e, refused+tc.after, tc.calls)
			assert.Equal(t, tc.want, e.learned(time.Minute))
		})
	}
}

func TestARateGrowsOnceInTwoWindows(t *testing.T) {
	for later, want := range map[time.Duration]int{2 * time.Minute: 110, 2*time.Minute - 1: 105} {
		e := hundred(t, aiven.Options{})
		e.probe(5 * time.Minute)
		require.True(t, used(e, 10*time.Minute+2*time.Second, 91))
		used(e, 10*time.Minute+2*time.Second+later, 97)
		assert.Equal(t, want, e.learned(time.Minute))
	}
}

func TestARefusalAfterGrowthTakesItBack(t *testing.T) {
	e := hundred(t, aiven.Options{})
	e.probe(5 * time.Minute)
	require.True(t, used(e, 10*time.Minute+2*time.Second, 91))
	e.at(10*time.Minute + 10*time.Second)
	e.served(5)
	e.refused()
	assert.LessOrEqual(t, e.learned(time.Minute), 100)
}

func TestARefusalOfACallThatBeganBeforeTheLatestOneLearnsNoMore(t *testing.T) {
	e := hundred(t, aiven.Options{})
	e.probe(5 * time.Minute)
	require.True(t, used(e, 10*time.Minute+2*time.Second, 91))
	begin := 10*time.Minute + 2*time.Second
	for n := range 110 { // more than a hundred in a minute
		e.at(begin + time.Duration(n+1)*582*time.Millisecond)
		e.served(1)
	}
	e.at(begin + 111*582*time.Millisecond + time.Second)
	e.during = func() {
		e.refused()
		require.Equal(t, 100, e.learned(time.Minute), "the growth is taken back")
		e.refuse = "1"
	}
	e.urgent("under way")
	assert.Equal(t, 100, e.learned(time.Minute))
}

func TestASmallRateGrowsByOneCall(t *testing.T) {
	const window = 10 * time.Second
	e := newExact(t, aiven.Options{QPS: 100, Burst: 100, RateWindow: window})
	e.served(10)
	e.at(time.Second)
	e.refused()
	require.Equal(t, 10, e.learned(window))
	e.probe(5 * time.Minute)
	e.at(6 * time.Minute) // without what came before
	for range 30 {        // used whole
		e.at(e.clock.Now().Sub(e.begin) + 1020*time.Millisecond)
		e.served(1)
	}
	assert.Equal(t, 11, e.learned(window))
}

func TestWhileOneCallProbesTheOthersWaitForTwentySeconds(t *testing.T) {
	e := newExact(t, aiven.Options{QPS: 100, Burst: 100})
	e.refused()
	e.at(2 * time.Second)
	e.during = func() {
		assertWait(t, time.Second, e.urgent("other"), "one probes")
		e.at(22*time.Second - 1)
		assertWait(t, time.Second, e.urgent("other"), "its answer may still come")
		e.at(22 * time.Second)
		assert.Zero(t, e.urgent("other"), "the next one probes")
	}
	assert.Zero(t, e.urgent("probe"))
}
