package aiven_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestP04_ManyReadersCostOneCall(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		for range 100 {
			v.users(aiven.UserEntry("a"), aiven.DatabaseEntry("x"))
		}
		assert.Equal(t, []string{"service/s"}, v.made())
		pause(watchInterval * 2)
		v.users()
		assert.Equal(t, []string{"service/s"}, v.made(), "what is too old is read again")
	})
}

func TestP04_WhatIsMissingIsAskedForOnce(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		for range 300 {
			_, err := v.Service(v.t.Context(), "p", "s")
			require.True(t, fault.Is(err, fault.NotFound))
		}
		assert.Equal(t, []string{"service/s"}, v.made())
	})
}

func TestAServiceThatIsBeingBuiltIsSoonOutOfDate(t *testing.T) {
	inBubble(t, newCloud(aService("s", "REBUILDING")), func(v *view) {
		v.users()
		pause(unsettled + time.Millisecond)
		v.users()
		assert.Len(t, v.made(), 2)
	})
}

func TestErrorsAreNotCached(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		c.down = http.StatusServiceUnavailable
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		c.down = 0
		v.users()
	})
}

func TestALiveReadIsAlwaysACall(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		for range 3 {
			_, err := v.GetLive(v.t.Context(), "p", "s")
			require.NoError(t, err)
		}
		assert.Len(t, v.made(), 3)
		c.put(aService("s", "POWEROFF"))
		_, err := v.GetLive(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, []aiven.Change{{Key: theService, Known: true}}, v.heard(), "its reader knows it")
	})
}

func TestI03_AChangeNamesWhatChanged(t *testing.T) {
	node := func(percent int) map[string]any {
		progress := []any{map[string]any{"phase": "basebackup", "current": percent, "completed": false}}
		return map[string]any{"name": "s-1", "state": "syncing_data", "progress_updates": progress}
	}
	before := aService("s", "RUNNING", "a", "b", "c")
	before["node_states"] = []any{node(30)}
	c := newCloud(before)
	inBubble(t, c, func(v *view) {
		v.users()
		changed := aService("s", "RUNNING", "b", "c", "d")
		changed["users"].([]any)[0].(map[string]any)["password"] = "changed at the console"
		changed["update_time"] = "2030-02-02T00:00:00Z"
		changed["node_states"] = []any{node(70)}
		c.put(changed)
		v.watch(watchInterval + time.Second)
		changes := v.heard()
		require.Len(t, changes, 1)
		assert.False(t, changes[0].Known)
		assert.ElementsMatch(t, []aiven.Entry{aiven.UserEntry("a"), aiven.UserEntry("b"), aiven.UserEntry("d")}, changes[0].Entries)
	})
}

func TestTwoClientsShareInvalidationsOnly(t *testing.T) {
	c := newCloud(aService("s", "REBUILDING", "a"))
	inBubble(t, c, func(v *view) {
		other, err := v.clients.ForToken("another-token")
		require.NoError(t, err)
		v.users()
		_, err = other.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Len(t, v.made(), 2, "each has its own snapshot")
		c.put(aService("s", "RUNNING", "a"))
		_, err = v.GetLive(v.t.Context(), "p", "s")
		require.NoError(t, err)
		v.made()
		found, err := other.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, "RUNNING", found.State)
		assert.Len(t, v.made(), 1, "what one saw change, the other reads again")
	})
}

func TestASnapshotThatIsNotReadIsForgotten(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING"), aService("u", "RUNNING")), func(v *view) {
		v.users()
		for range 3 {
			pause(30 * time.Minute)
			_, err := v.clients.ForToken(token)
			require.NoError(t, err)
			_, err = v.Service(v.t.Context(), "p", "u")
			require.NoError(t, err)
		}
		v.drop("s")
		_, err := v.Service(v.t.Context(), "p", "s")
		require.True(t, fault.Is(err, fault.NotFound))
		assert.Empty(t, v.heard(), "it is read for the first time")
	})
}

func TestReadsAreMetered(t *testing.T) {
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		before := map[string]float64{}
		for _, answer := range []string{"snapshot", "joined", "call"} {
			before[answer] = max(0, measured(t, "aero_aiven_reads_total", answer))
		}
		release := c.stall()
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() { v.users() })
		}
		synctest.Wait()
		release()
		readers.Wait()
		v.users()
		for answer, want := range map[string]float64{"snapshot": 1, "joined": 2, "call": 1} {
			assert.InDelta(t, want, measured(t, "aero_aiven_reads_total", answer)-before[answer], 0, answer)
		}
	})
}

func BenchmarkReadOfASnapshot(b *testing.B) {
	clients := aiven.New(aiven.Options{Transport: newCloud(aService("s", "RUNNING", "a")), WatchInterval: time.Hour})
	a, err := clients.ForToken(token)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Service(b.Context(), "p", "s", aiven.UserEntry("a")); err != nil {
			b.Fatal(err)
		}
	}
}
