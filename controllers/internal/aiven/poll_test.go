package aiven_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestReviewM5_ATokenThatIsRefusedIsNotPolledWith(t *testing.T) {
	for name, tc := range map[string]struct {
		state  string
		status int
		says   string
	}{
		"a service that runs":           {"RUNNING", http.StatusUnauthorized, "no"},
		"a service that is being built": {"REBUILDING", http.StatusUnauthorized, "no"},
		"a 403 that is about the token": {"REBUILDING", http.StatusForbidden, "Invalid token"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(aService("s", tc.state, "a"))
			c.says = tc.says
			inBubble(t, c, func(v *view) {
				v.users()
				v.list(vpcs, &inventory{names: []string{"a"}})
				c.down = tc.status
				v.watch(2 * watchInterval)
				v.made()
				v.watch(time.Hour / 2)
				assert.Empty(t, v.made(), "no object asks")
				c.down = 0
				v.watch(watchInterval)
				assert.Empty(t, v.made())
				v.users()
				v.made()
				v.watch(2 * watchInterval)
				assert.NotEmpty(t, v.made(), "an object asked, and the token is accepted again")
			})
		})
	}
}

func TestReviewM5_AForgottenTokenIsNotPolledWith(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.watch(2 * watchInterval)
		assert.GreaterOrEqual(t, measured(t, "aero_aiven_last_project_poll_timestamp_seconds", "p"), 0.0)
		v.clients.Forget(" " + token + "\n")
		v.clients.Forget("a token that nothing is known of")
		v.made()
		v.watch(10 * watchInterval)
		assert.Empty(t, v.made())
		assert.InDelta(t, -1, measured(t, "aero_aiven_last_project_poll_timestamp_seconds", "p"), 0)
		v.users()
		assert.Equal(t, []string{"service/s"}, v.made(), "nothing is known any longer")
		again, err := v.clients.ForToken(token)
		require.NoError(t, err)
		assert.NotSame(t, v.Client, again)
	})
}

func TestAPollThatEndsAfterItsTokenWasForgottenLeavesNoMetric(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING")), func(v *view) {
		v.users()
		release := v.stall()
		ctx, stop := context.WithCancel(v.t.Context())
		var running sync.WaitGroup
		running.Go(func() { assert.NoError(t, v.clients.Start(ctx)) })
		pause(watchInterval + time.Second)
		v.clients.Forget(token)
		release()
		synctest.Wait()
		stop()
		running.Wait()
		assert.InDelta(t, -1, measured(t, "aero_aiven_last_project_poll_timestamp_seconds", "p"), 0, "it would only get older")
	})
}

func TestAServiceThatIsBeingBuiltIsReadAloneAndEverLessOften(t *testing.T) {
	c := newCloud(aService("s", "REBALANCING", "a"), aService("other", "RUNNING"))
	inBubble(t, c, func(v *view) {
		v.users()
		_, err := v.Service(v.t.Context(), "p", "other")
		require.NoError(t, err)
		v.made()
		count := func() (alone, lists int) {
			for _, call := range v.made() {
				switch call {
				case "service/s":
					alone++
				case "service":
					lists++
				}
			}
			return alone, lists
		}
		v.watch(40 * time.Second)
		alone, lists := count()
		assert.InDelta(t, 20, alone, 2, "at the shortest interval at first")
		assert.Zero(t, lists, "the project isn't listed for it")
		v.watch(10*time.Minute - 40*time.Second)
		alone, lists = count()
		assert.LessOrEqual(t, alone, 60)
		assert.LessOrEqual(t, lists, 10, "at the watch interval")
		v.watch(30 * time.Minute)
		alone, lists = count()
		assert.LessOrEqual(t, alone+lists, 71, "no more often than the watch interval in the end")
		c.put(aService("s", "RUNNING", "a"))
		v.watch(watchInterval)
		assert.Len(t, v.heard(), 1)
	})
}

// The counts are those of the comment of unsettledInterval.
func TestAServiceThatIsBuiltIsFoundToRunATwentiethOfThatTimeLate(t *testing.T) {
	for built, reads := range map[time.Duration]int{
		2 * time.Second: 2, 8 * time.Second: 8, 5 * time.Minute: 75, 10 * time.Minute: 89, 20 * time.Minute: 103,
	} {
		t.Run(built.String(), func(t *testing.T) {
			c := newCloud(aService("s", "REBUILDING", "a"))
			synctest.Test(t, func(t *testing.T) {
				// Each question for the time is a bit later than the one before, as on a real clock.
				began := time.Now()
				var asked, noticed atomic.Int64
				clock := func() time.Time { return time.Now().Add(10 * time.Nanosecond * time.Duration(asked.Add(1))) }
				clients := aiven.New(aiven.Options{
					Transport: c, WatchInterval: watchInterval, Now: clock, Random: func() float64 { return 0 },
				})
				client, err := clients.ForToken(token)
				require.NoError(t, err)
				_, err = client.Service(t.Context(), "p", "s")
				require.NoError(t, err)
				clients.OnChange(func(aiven.Change) { noticed.Store(int64(time.Since(began))) })
				c.made()
				ctx, cancel := contextFor(t, 2*built+time.Minute)
				defer cancel()
				time.AfterFunc(built+time.Millisecond, func() { c.put(aService("s", "RUNNING", "a")) })
				time.AfterFunc(built, func() {
					synctest.Wait()
					alone := slices.DeleteFunc(c.made(), func(call string) bool { return call != "service/s" })
					assert.InDelta(t, reads, len(alone), 2+0.12*float64(reads), "a read may be late by a tick")
					assert.LessOrEqual(t, len(alone), reads)
				})
				require.NoError(t, clients.Start(ctx))
				late := time.Duration(noticed.Load()) - built
				assert.GreaterOrEqual(t, late, time.Duration(0))
				assert.LessOrEqual(t, late, max(1500*time.Millisecond, built/20+time.Second))
			})
		})
	}
}

func TestReviewM6_ManyServicesThatAreBeingBuiltShareTheReads(t *testing.T) {
	for services, reads := range map[int]int{1: 10, 4: 40, 12: 40, 40: 40} {
		t.Run(fmt.Sprintf("%d services", services), func(t *testing.T) {
			inBubble(t, newCloud(), func(v *view) {
				for n := range services {
					name := fmt.Sprintf("s%d", n)
					v.put(aService(name, "REBUILDING", "a"))
					_, err := v.Service(v.t.Context(), "p", name)
					require.NoError(t, err)
				}
				v.made()
				v.watch(10 * unsettled)
				assert.InDelta(t, reads, len(v.made()), 0.15*float64(reads))
			})
		})
	}
}

func TestANewStateIsFollowedCloselyAgain(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.watch(30 * time.Minute)
		c.put(aService("s", "REBALANCING", "a"))
		v.watch(watchInterval)
		v.made()
		v.watch(10 * time.Second)
		assert.GreaterOrEqual(t, len(v.made()), 1)
	})
}

func TestReviewM6_NoSecondReadBeginsWhileOneIsUnderWay(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		for n := range 20 {
			s := aService(fmt.Sprintf("s%d", n), "REBUILDING", "a")
			v.put(s)
			_, err := v.Service(v.t.Context(), "p", fmt.Sprintf("s%d", n))
			require.NoError(t, err)
			bare := aService(fmt.Sprintf("s%d", n), "REBUILDING") // the list leaves its users out
			delete(bare, "users")
			v.put(bare)
		}
		v.made()
		release := v.stallServices()
		v.watch(15 * time.Second) // the calls last up to 20 s
		alone := map[string]int{}
		for _, call := range v.made() {
			if strings.HasPrefix(call, "service/") {
				alone[call]++
			}
		}
		assert.Len(t, alone, 20)
		for call, times := range alone {
			assert.Equal(t, 1, times, call)
		}
		release()
		synctest.Wait()
	})
}

func TestThePollsStretchWhereAivenAllowsFewCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud(aService("s", "RUNNING", "a"))
		clients := aiven.New(aiven.Options{Transport: c, QPS: 100, WatchInterval: watchInterval, Random: func() float64 { return 0 }})
		client, err := clients.ForToken(token)
		require.NoError(t, err)
		_, err = client.Service(t.Context(), "p", "s")
		require.NoError(t, err)
		c.down = http.StatusTooManyRequests
		_, err = client.GetLive(t.Context(), "p", "s")
		require.Error(t, err)
		c.down = 0
		c.made()
		ctx, cancel := contextFor(t, 16*time.Minute)
		defer cancel()
		require.NoError(t, clients.Start(ctx))
		assert.InDelta(t, 5, len(c.made()), 1, "one call a second is left, so every 190 s")
	})
}
