package event_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/event"
)

func TestEventsOfAnObjectThatFollowEachOtherAreOne(t *testing.T) {
	type report struct {
		after                time.Duration
		object, reason, note string // a reason that begins with Waiting is a warning
	}
	for name, tc := range map[string]struct {
		reports []report
		want    []string
		writes  int
	}{
		"normal events are one, with the last reason and all notes": {
			[]report{{0, "a", "Created", "Created at Aiven"}, {delay / 2, "a", "Ready", "Ready"}},
			[]string{"Ready Created at Aiven. Ready x1"}, 1,
		},
		"later ones are of their own": {
			[]report{{0, "a", "Created", "Created"}, {delay, "a", "Ready", "Ready"}},
			[]string{"Created Created x1", "Ready Ready x1"}, 2,
		},
		"a steady stream is written all the same": {
			[]report{{0, "a", "R", "1"}, {delay / 2, "a", "R", "2"}, {delay / 2, "a", "R", "3"}, {delay / 4, "a", "R", "4"}},
			[]string{"R 1. 2 x1", "R 3. 4 x1"}, 2,
		},
		"those of another object stay apart": {
			[]report{{0, "a", "Created", "Created"}, {0, "b", "Ready", "Ready"}},
			[]string{"Created Created x1", "Ready Ready x1"}, 2,
		},
		"a warning after a normal event stays": {
			[]report{{0, "a", "Created", "Created"}, {0, "a", "WaitingTooLong", "Boom"}, {0, "a", "Ready", "Ready"}},
			[]string{"Created Created x1", "Ready Ready x1", "WaitingTooLong Boom x1"}, 3,
		},
		"two warnings stay two": {
			[]report{{0, "a", "Waiting", "1"}, {0, "a", "Waiting", "2"}},
			[]string{"Waiting 1 x1", "Waiting 2 x1"}, 2,
		},
		"the same is counted in one write": {
			[]report{{0, "a", "Waiting", "1"}, {0, "a", "Waiting", "1"}, {0, "a", "Waiting", "1"}},
			[]string{"Waiting 1 x3"}, 1,
		},
		"a normal event that was counted stays": {
			[]report{{0, "a", "Ready", "1"}, {0, "a", "Ready", "1"}, {0, "a", "Ready", "2"}},
			[]string{"Ready 1 x2", "Ready 2 x1"}, 2,
		},
		"a note never grows too long": {
			[]report{{0, "a", "R", strings.Repeat("1", 600)}, {0, "a", "R", strings.Repeat("2", 600)}},
			[]string{"R " + strings.Repeat("1", 600) + " x1", "R " + strings.Repeat("2", 600) + " x1"}, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				for _, r := range tc.reports {
					if r.after > 0 {
						pass(r.after)
					}
					c.report(r.object, r.reason, r.note)
				}
				pass(delay)
				assert.Equal(t, tc.want, c.events())
				assert.Equal(t, tc.writes, int(c.writes.Load()))
			})
		})
	}
}

func TestEventsComeBehindAndLeaveTheAPIServerTime(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.takes(20 * time.Millisecond)
		for n := range 100 {
			c.report(fmt.Sprint("orders", n), "Created", "at Aiven")
		}
		pass(delay - time.Millisecond)
		assert.Zero(t, c.writes.Load(), "statuses come first")
		pass(time.Second)
		assert.InDelta(t, 25, c.writes.Load(), 1, "one at a time, with a pause as long as the write took")
		pass(4 * time.Second)
		assert.Len(t, c.events(), 100)
	})
}

func TestNoPauseIsMadeIfEventsMightBeDropped(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.takes(20 * time.Millisecond)
		for n := range 10000 {
			c.recorder.Report(t.Context(), thing(fmt.Sprint("orders", n)), kindOfThing, event.Event{})
		}
		pass(delay + time.Second)
		assert.InDelta(t, 50, c.writes.Load(), 1)
		c.before.Store(func() error { return errors.New("the API server is away") })
	})
}
