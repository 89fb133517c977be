package aiven

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAnAttemptGoesOnForAFewCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		made         int32
		priority     bool
		read, wrote  bool
		want         bool
		withoutOwner bool
	}{
		"its first call waits for a turn":                    {made: 0},
		"its second doesn't":                                 {made: 1, want: true},
		"in the background it goes on until it has made few": {made: longestBehind - 1, want: true},
		"and no longer":                                      {made: longestBehind},
		"one that a user waits for goes on":                  {made: longest - 1, priority: true, want: true},
		"for a few calls more":                               {made: longest, priority: true},
		"what it reads after a write waits":                  {made: 1, read: true, wrote: true},
		"what it writes after a write doesn't":               {made: 1, wrote: true, want: true},
		"calls that no object makes wait":                    {made: 1, withoutOwner: true},
	} {
		t.Run(name, func(t *testing.T) {
			of := &attempt{}
			of.made.Store(tc.made)
			of.wrote.Store(tc.wrote)
			c := call{priority: tc.priority, read: tc.read, of: of}
			if tc.withoutOwner {
				c.of = nil
			}
			assert.Equal(t, tc.want, c.goesOn())
		})
	}
}

func TestAListIsNamedByItsOperationAndItsScope(t *testing.T) {
	for want, key := range map[string]ListKey{
		"VpcList:-/p/-":                     {Project: "p", Operation: "VpcList"},
		"ServiceClickHouseUserList:-/p/s":   {Project: "p", Service: "s", Operation: "ServiceClickHouseUserList"},
		"OrganizationProjectsList:org1/-/-": {Organization: "org1", Operation: "OrganizationProjectsList"},
	} {
		assert.Equal(t, want, key.String())
	}
}

// What attempts couldn't go on for is left for them in the next windows: a call more each time, up to a part, and a call less
// each half window without another.
func TestTheReserveGrowsWithAttemptsThatBreakAndShrinksWithTime(t *testing.T) {
	now := time.Unix(1000, 0)
	l := newRateLimiter(Options{QPS: 100, Burst: 100, RateWindow: time.Minute, Now: func() time.Time { return now }})
	l.learned, l.refused, l.grown = 3*reservable, now, now
	for range l.learned {
		l.sent = append(l.sent, now)
	}
	of := &attempt{}
	of.made.Store(1)
	for _, want := range []int{1, 2, 3, 3} {
		_, wait := l.allow(call{of: of})
		assert.Positive(t, wait, "the window is full")
		assert.Equal(t, want, l.reserve)
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{30*time.Second - 1, 3}, {1, 2}, {30*time.Second - 1, 2}, {1, 1}, {time.Hour, 0}, {time.Hour, 0}} {
		now = now.Add(step.after)
		l.allow(call{})
		assert.Equal(t, step.want, l.reserve, "%s later", step.after)
	}
}
