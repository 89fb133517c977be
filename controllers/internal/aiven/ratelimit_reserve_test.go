package aiven_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// A rate that falls takes with it what is left of its window for attempts that go on.
func TestTheReserveIsAPartOfWhatIsLearnedNow(t *testing.T) {
	for _, before := range []int{1200, 600, 450} {
		t.Run(fmt.Sprintf("from %d a minute", before), func(t *testing.T) {
			l := newLimited(t, 100, 500)
			for range before {
				l.read(t)
				l.clock.Move(50 * time.Second / time.Duration(before))
			}
			l.refuse(t, http.StatusTooManyRequests, "1")
			l.clock.Move(2 * time.Minute)
			l.urgent(t) // the probe
			l.clock.Move(time.Minute)
			for range 2600 { // 52 s: almost a whole window
				l.clock.Move(20 * time.Millisecond)
				_, _ = l.API().ServiceGet(aiven.WithPriority(t.Context()), "p", "s")
			}
			l.clock.Move(5 * time.Second)
			var attempts [200]context.Context
			for call := range 2 { // of attempts that begin together, most can't go on
				for i := range attempts {
					if call == 0 {
						attempts[i] = aiven.WithPriority(aiven.WithCaller(t.Context(), fmt.Sprint(i)))
					}
					_, _ = l.API().ServiceGet(attempts[i], "p", fmt.Sprint(i, "-", call))
				}
			}
			require.Positive(t, l.Reserve())
			l.clock.Move(61 * time.Second)
			for range 2 { // another program takes all calls of the user for a while
				l.refuse(t, http.StatusTooManyRequests, "60")
				l.clock.Move(61 * time.Second)
			}
			require.NotPanics(t, func() {
				assert.GreaterOrEqual(t, l.accepted(t, time.Minute), 45, "a call a second is left after any number of refusals")
			})
		})
	}
}

// The window has room for the rest of an attempt: no more of it is to be left by others.
func TestAnEmptyBucketIsNoFullWindow(t *testing.T) {
	l := newLimited(t, 100, 500)
	for range 600 {
		l.read(t)
		l.clock.Move(100 * time.Millisecond)
	}
	l.refuse(t, http.StatusTooManyRequests, "1")
	l.clock.Move(2 * time.Minute)
	l.urgent(t) // the probe
	l.clock.Move(time.Minute)
	var attempts [100]context.Context
	for i := range attempts {
		attempts[i] = aiven.WithCaller(t.Context(), fmt.Sprint(i))
		_, _ = l.API().ServiceGet(attempts[i], "p", fmt.Sprint(i))
		l.clock.Move(100 * time.Millisecond)
	}
	refused := 0
	for i := range attempts { // that go on, until the bucket owes enough
		if _, err := l.API().ServiceGet(attempts[i], "p", fmt.Sprint(i, "-more")); err != nil {
			refused++
		}
	}
	require.Positive(t, refused)
	assert.Zero(t, l.Reserve())
}
