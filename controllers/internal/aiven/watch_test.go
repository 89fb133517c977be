package aiven_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestTheWatchCostsOneCallForAProject(t *testing.T) {
	c := newCloud()
	for n := range 20 {
		c.put(aService(fmt.Sprintf("s%d", n), "RUNNING", "a"))
	}
	inBubble(t, c, func(v *view) {
		for n := range 10 {
			_, err := v.Service(v.t.Context(), "p", fmt.Sprintf("s%d", n))
			require.NoError(t, err)
		}
		v.made()
		v.watch(10*watchInterval + time.Second)
		assert.Equal(t, slices.Repeat([]string{"service"}, 10), v.made())
		for n := range 10 {
			_, err := v.Service(v.t.Context(), "p", fmt.Sprintf("s%d", n))
			require.NoError(t, err)
		}
		assert.Empty(t, v.made(), "what the watch has seen is young")
		_, err := v.Service(v.t.Context(), "p", "s11")
		require.NoError(t, err)
		assert.Equal(t, []string{"service/s11"}, v.made(), "what was not used wasn't kept")
	})
}

func TestTheWatchPollsOftenWhileAServiceChanges(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		v.watch(11 * time.Second)
		assert.InDelta(t, 5, len(v.made()), 1)
		assert.Empty(t, v.heard())
		c.put(aService("s", "RUNNING"))
		v.watch(3 * time.Second)
		assert.Equal(t, []aiven.Change{{Key: theService}}, v.heard())
	})
}

func TestTheWatchSeesWhatCameAndWent(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		c.drop("s")
		v.watch(watchInterval + time.Second)
		assert.Equal(t, []aiven.Change{{Key: theService}}, v.heard())
		v.made()
		_, err := v.Service(v.t.Context(), "p", "s")
		require.True(t, fault.Is(err, fault.NotFound))
		assert.Empty(t, v.made())
		c.put(aService("s", "RUNNING", "a"))
		v.watch(watchInterval + time.Second)
		assert.Equal(t, []aiven.Change{{Key: theService}}, v.heard())
	})
}

func TestWhatTheListLeavesOutIsFilledIn(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		bare := aService("s", "RUNNING")
		delete(bare, "users")
		c.put(bare)
		v.watch(watchInterval + time.Second)
		assert.Equal(t, []string{"service", "service/s"}, v.made())
	})
}

func TestAWatchWithErrorsHidesNothingAndGoesOn(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		c.down = http.StatusForbidden
		v.watch(3 * watchInterval)
		assert.Empty(t, v.heard(), "nothing is thought to have gone")
		assert.GreaterOrEqual(t, len(v.made()), 3)
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err, "what is too old isn't shown")
		c.down = 0
		c.put(aService("s", "RUNNING", "a", "b"))
		v.watch(watchInterval + time.Second)
		assert.Len(t, v.heard(), 1)
	})
}

func TestWithoutAWatchEveryReadIsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud(aService("s", "RUNNING"))
		clients := aiven.New(aiven.Options{Transport: c})
		a, err := clients.ForToken(token)
		require.NoError(t, err)
		for range 3 {
			_, err := a.Service(t.Context(), "p", "s")
			require.NoError(t, err)
		}
		assert.Len(t, c.made(), 3)
		ctx, cancel := contextFor(t, time.Hour)
		defer cancel()
		require.NoError(t, clients.Start(ctx))
		assert.Empty(t, c.made())
	})
}

func TestTheWatchForgetsAProjectThatIsNotUsed(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING")), func(v *view) {
		v.users()
		v.watch(watchInterval + time.Second)
		at := float64(time.Now().Unix())
		assert.InDelta(t, at, measured(t, "aero_aiven_last_project_poll_timestamp_seconds", "p"), 1)
		v.watch(time.Hour)
		v.made()
		v.watch(time.Hour)
		assert.Empty(t, v.made())
		assert.Equal(t, -1.0, measured(t, "aero_aiven_last_project_poll_timestamp_seconds", "p"))
	})
}

func TestWhatTheListBringsBackWithoutItsUsersIsFilledIn(t *testing.T) {
	c := newCloud()
	inBubble(t, c, func(v *view) {
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		bare := aService("s", "RUNNING")
		delete(bare, "users")
		c.put(bare)
		v.made()
		v.watch(3*watchInterval + time.Second)
		assert.Equal(t, []string{"service", "service/s", "service", "service"}, v.made(), "once")
	})
}

func TestAListThatBeganBeforeAWriteDoesNotUndoIt(t *testing.T) {
	c := newCloud()
	inBubble(t, c, func(v *view) {
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		release := c.stall()
		v.watch(watchInterval + time.Second)
		v.RecordWrite("p", "s", "", aiven.WriteResult{Service: &aiven.Service{Project: "p", Name: "s", State: "RUNNING"}})
		release()
		synctest.Wait()
		_, err = v.Service(v.t.Context(), "p", "s")
		assert.NoError(t, err)
	})
}

func TestAProjectThatWasNeverListedSinceTheStartHasATimeInTheMetric(t *testing.T) {
	const poll, project = "aero_aiven_last_project_poll_timestamp_seconds", "q" // no other test has its metric
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		defer v.clients.Forget(token)
		c.down = http.StatusServiceUnavailable
		_, err := v.Service(v.t.Context(), project, "s")
		require.Error(t, err)
		assert.InDelta(t, -1, measured(t, poll, project), 0, "no list is due yet")
		v.watch(2 * watchInterval)
		assert.InDelta(t, 0, measured(t, poll, project), 0, "an outage that began before the start")
		c.down = 0
		v.watch(2 * watchInterval)
		at := measured(t, poll, project)
		assert.InDelta(t, float64(time.Now().Unix()), at, watchInterval.Seconds()+1)
		c.down = http.StatusServiceUnavailable
		v.watch(2 * watchInterval)
		assert.InDelta(t, at, measured(t, poll, project), 0, "the latest success")
	})
}

func TestARefusalIsNoOutageInTheMetric(t *testing.T) {
	const poll, project = "aero_aiven_last_project_poll_timestamp_seconds", "q" // no other test has its metric
	for status, want := range map[int]float64{
		http.StatusUnauthorized: -1, http.StatusForbidden: -1, http.StatusNotFound: -1, // every user can name such a token or project
		http.StatusServiceUnavailable: 0, http.StatusTooManyRequests: 0,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			c := newCloud(aService("s", "RUNNING"))
			inBubble(t, c, func(v *view) {
				defer v.clients.Forget(token)
				c.down = status
				_, err := v.Service(v.t.Context(), project, "s")
				require.Error(t, err)
				v.watch(2 * watchInterval)
				assert.InDelta(t, want, measured(t, poll, project), 0, "since the start")
				c.down = 0
				_, err = v.Service(v.t.Context(), project, "s")
				require.NoError(t, err)
				v.watch(2 * watchInterval)
				at := measured(t, poll, project)
				require.Positive(t, at)
				c.down = status
				v.watch(2 * watchInterval)
				if want == 0 {
					want = at
				}
				assert.InDelta(t, want, measured(t, poll, project), 0, "later")
			})
		})
	}
}

func TestAProjectThatIsNotPolledForItsTokenIsNoOutageInTheMetric(t *testing.T) {
	const poll = "aero_aiven_last_project_poll_timestamp_seconds"
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		defer v.clients.Forget(token)
		v.users()
		v.watch(2 * watchInterval)
		require.Positive(t, measured(t, poll, "p"))
		c.down = http.StatusUnauthorized
		_, err := v.API().ServiceGet(v.t.Context(), "p", "s") // a call of an object, before the next poll
		require.Error(t, err)
		v.watch(time.Second)
		assert.InDelta(t, -1, measured(t, poll, "p"), 0)
		c.down = 0
		_, err = v.API().ServiceGet(v.t.Context(), "p", "s")
		require.NoError(t, err)
		v.watch(2 * watchInterval)
		assert.Positive(t, measured(t, poll, "p"))
	})
}

func TestTheWatchIsMetered(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		v.users()
		well, badly := measured(t, "aero_aiven_project_polls_total", "success"), measured(t, "aero_aiven_project_polls_total", "error")
		v.watch(2*watchInterval + time.Second)
		c.down = http.StatusUnauthorized
		v.watch(watchInterval)
		assert.InDelta(t, 2, measured(t, "aero_aiven_project_polls_total", "success")-max(0, well), 0)
		assert.InDelta(t, 1, measured(t, "aero_aiven_project_polls_total", "error")-max(0, badly), 0)
	})
}
