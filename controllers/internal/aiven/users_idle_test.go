package aiven_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestWhatAUserLearnedIsKeptForAnHourAfterTheLastToken(t *testing.T) {
	for name, tc := range map[string]struct {
		forget bool
		after  time.Duration
		kept   bool
	}{
		"a token is in use":     {false, 10 * time.Minute, true},
		"less than an hour ago": {true, time.Hour - 1, true},
		"an hour ago":           {true, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &accounts{busy: true}
				clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
				require.Error(t, call(t, clients, "alice-1"))
				p.busy = false
				pause(time.Minute)
				require.NoError(t, call(t, clients, "alice-1"))
				require.Equal(t, []string{"alice-1"}, p.asked)
				if tc.forget {
					clients.Forget("alice-1")
				}
				pause(tc.after)
				_, err := clients.ForToken("bob-1") // the time to forget others
				require.NoError(t, err)
				require.NoError(t, call(t, clients, "alice-2"))
				second, err := clients.ForToken("alice-2")
				require.NoError(t, err)
				assert.Equal(t, tc.kept, second.PollFactor() > 1)
			})
		})
	}
}

func TestTwoTokensThatTurnOutToBeOfOneUserHaveTheLowerRate(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second bool // whether Aiven refused a call of it
		perSecond     float64
	}{
		"neither was refused":    {false, false, 100},
		"the first was refused":  {true, false, 60. / 61},
		"the second was refused": {false, true, 80. / 61},
		"both were refused":      {true, true, 60. / 61}, // the second after more calls
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &accounts{status: http.StatusBadGateway} // nothing is known yet
				clients := aiven.New(aiven.Options{Transport: p, QPS: 100})
				for range 80 {
					require.NoError(t, call(t, clients, "alice-2"))
				}
				for token, refused := range map[string]bool{"alice-1": tc.first, "alice-2": tc.second} {
					p.busy = refused
					assert.Equal(t, refused, call(t, clients, token) != nil)
				}
				p.busy, p.status = false, 0
				pause(2 * time.Minute)
				require.NoError(t, call(t, clients, "alice-1"))
				require.NoError(t, call(t, clients, "alice-2"))
				second, err := clients.ForToken("alice-2")
				require.NoError(t, err)
				first, err := clients.ForToken("alice-1")
				require.NoError(t, err)
				assert.InDelta(t, first.PollFactor(), second.PollFactor(), 0)
				assert.Equal(t, tc.first || tc.second, first.PollFactor() > 1)
				series := max(measured(t, "aero_aiven_rate_limit_calls_per_second", "1"), measured(t, "aero_aiven_rate_limit_calls_per_second", "2"))
				assert.InDelta(t, tc.perSecond, series, 0.001)
			})
		})
	}
}
