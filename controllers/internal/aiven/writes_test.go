package aiven_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAWriteIsSeenByItsReadersAndCostsTheOthersNothing(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.made()
		c.put(aService("s", "RUNNING", "a", "b"))
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{})
		assert.Equal(t, []string{"a"}, v.users(aiven.UserEntry("a")), "others read on")
		assert.Empty(t, v.made())
		assert.Equal(t, []string{"a", "b"}, v.users(aiven.UserEntry("b")))
		assert.Equal(t, []string{"service/s"}, v.made())
		v.users(aiven.UserEntry("b"))
		assert.Empty(t, v.made(), "once is enough")
		assert.Equal(t, []aiven.Change{{Key: theService, Entries: []aiven.Entry{aiven.UserEntry("b")}, Known: true}}, v.heard())
	})
}

func TestWhatAWriteReturnedNeedsNoCall(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		before, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		v.made()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{Entry: user("b")})
		v.RecordWrite("p", "s", aiven.DatabaseEntry("x"), aiven.WriteResult{Entry: ptr.To("x")})
		v.RecordWrite("p", "s", aiven.ACLEntry("read", "a", "t"), aiven.WriteResult{Entry: &aiven.ACL{Permission: "read", Username: "a", Topic: "t"}})
		v.RecordWrite("p", "s", aiven.UserEntry("a"), aiven.WriteResult{Deleted: true})
		after, err := v.Service(v.t.Context(), "p", "s", aiven.UserEntry("a"), aiven.UserEntry("b"), aiven.DatabaseEntry("x"))
		require.NoError(t, err)
		assert.Len(t, after.Users, 1)
		assert.True(t, after.HasDatabase("x"))
		assert.Len(t, after.ACLs, 1)
		assert.Empty(t, v.made())
		assert.Len(t, before.Users, 1, "what readers hold never changes")
		_, there := before.User("a")
		assert.True(t, there)
		for _, change := range v.heard() {
			assert.True(t, change.Known)
		}
	})
}

func TestEveryPartCanGo(t *testing.T) {
	full := aService("s", "RUNNING", "a")
	full["connection_pools"] = []any{map[string]any{"pool_name": "pool"}}
	full["topics"] = []any{map[string]any{"topic_name": "t"}}
	full["acl"] = []any{
		map[string]any{"permission": "read", "username": "a", "topic": "t"},
		map[string]any{"permission": "write", "username": "a", "topic": "t"},
	}
	inBubble(t, newCloud(full), func(v *view) {
		v.users()
		for _, part := range []aiven.Entry{
			aiven.UserEntry("a"), aiven.DatabaseEntry("defaultdb"), aiven.PoolEntry("pool"), aiven.TopicEntry("t"), aiven.ACLEntry("read", "a", "t"),
		} {
			v.RecordWrite("p", "s", part, aiven.WriteResult{Deleted: true})
			assert.Equal(t, []aiven.Change{{Key: theService, Entries: []aiven.Entry{part}, Known: true}}, v.heard())
			v.RecordWrite("p", "s", part, aiven.WriteResult{Deleted: true})
			assert.Empty(t, v.heard(), "gone is gone")
		}
		left, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Empty(t, left.Users)
		assert.Empty(t, left.Databases)
		assert.Empty(t, left.Pools)
		assert.Empty(t, left.Topics)
		assert.Len(t, left.ACLs, 1)
	})
}

func TestAReadThatBeganBeforeAWriteDoesNotUndoIt(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		pause(watchInterval * 2)
		release := c.stall()
		early := make(chan []string, 1)
		go func() { early <- v.users() }()
		synctest.Wait()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{Entry: user("b")})
		v.RecordWrite("p", "s", aiven.UserEntry("c"), aiven.WriteResult{})
		release()
		assert.Equal(t, []string{"a", "b"}, <-early, "what was returned is kept")
		c.put(aService("s", "RUNNING", "a", "b", "c"))
		assert.Equal(t, []string{"a", "b", "c"}, v.users(aiven.UserEntry("c")), "what wasn't is read")
	})
}

func TestAReadThatLagsBehindAWriteDoesNotUndoIt(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		v.users()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{Entry: user("b")})
		pause(time.Second)
		v.RecordWrite("p", "s", aiven.PoolEntry("x"), aiven.WriteResult{})
		assert.Equal(t, []string{"a", "b"}, v.users(aiven.PoolEntry("x")), "Aiven may be slow to show it")
		pause(5 * time.Second)
		v.RecordWrite("p", "s", aiven.PoolEntry("x"), aiven.WriteResult{})
		assert.Equal(t, []string{"a"}, v.users(aiven.PoolEntry("x")), "but not for ever")
	})
}

func TestReadsLagBehindAWriteForATimeOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		part   aiven.Entry
		result aiven.WriteResult
		lags   bool
	}{
		"what Aiven has accepted":           {aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true}, true},
		"the service itself":                {"", aiven.WriteResult{MayHaveApplied: true}, true},
		"what Aiven has refused":            {aiven.UserEntry("b"), aiven.WriteResult{}, false},
		"what Aiven has returned":           {aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true, Entry: user("b")}, false},
		"what is gone, and may be made new": {aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true, Deleted: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
				v.users()
				v.RecordWrite("p", "s", tc.part, tc.result)
				v.users(tc.part)
				assert.Equal(t, tc.lags, v.BeginReads().WritePending("p", "s", tc.part))
				assert.False(t, v.BeginReads().WritePending("p", "s", aiven.UserEntry("a")), "others don't")
				pause(lag)
				assert.False(t, v.BeginReads().WritePending("p", "s", tc.part))
			})
		})
	}
}

func TestAServiceReadThatOutlastsTheLagIsNotJoinedAfterIt(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true})
		release := c.stall()
		early := make(chan []string)
		go func() { early <- v.users(aiven.UserEntry("b")) }()
		synctest.Wait()
		c.put(aService("s", "RUNNING", "a", "b"))
		pause(lag)
		late := make(chan []string)
		go func() { late <- v.users(aiven.UserEntry("b")) }()
		synctest.Wait()
		release()
		<-early
		assert.Equal(t, []string{"a", "b"}, <-late)
		assert.Len(t, c.made(), 3)
	})
}

func TestAcceptedIsWhatMayHaveBeen(t *testing.T) {
	assert.True(t, aiven.MayHaveApplied(nil))
	assert.True(t, aiven.MayHaveApplied(context.DeadlineExceeded))
	assert.True(t, aiven.MayHaveApplied(avngen.Error{Status: 502}))
	assert.False(t, aiven.MayHaveApplied(avngen.Error{Status: 400}))
	var calls fault.Sequence
	calls.Then("creating", func() error { return nil })
	calls.Then("granting", func() error { return avngen.Error{Status: 400} })
	assert.True(t, aiven.MayHaveApplied(calls.Err()), "the call before it was accepted")
	assert.False(t, aiven.MayHaveApplied(avngen.Error{Status: 409, Message: "already exists"}))
}

func TestANewServiceIsKnownFromTheAnswerToItsCreation(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		v.RecordWrite("p", "s", "", aiven.WriteResult{Service: &aiven.Service{Project: "p", Name: "s", State: "REBUILDING"}})
		found, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		assert.Equal(t, "REBUILDING", found.State)
		assert.Equal(t, []aiven.Change{{Key: theService, Known: true}}, v.heard(), "what waits for it hears of it")
		found, err = v.GetLive(v.t.Context(), "p", "s")
		require.NoError(t, err, "Aiven may be slow to show it")
		assert.Equal(t, "REBUILDING", found.State)
	})
}

func TestWhatTheResponseToACreationLeavesOutIsNoChangeForItsOwner(t *testing.T) {
	c := newCloud()
	inBubble(t, c, func(v *view) {
		_, err := v.Service(v.t.Context(), "p", "s")
		require.Error(t, err)
		v.RecordWrite("p", "s", "", aiven.WriteResult{Service: &aiven.Service{Project: "p", Name: "s", State: "REBUILDING", URI: "<redacted>"}})
		v.heard()
		shown := aService("s", "REBUILDING")
		shown["service_uri"] = "postgres://avnadmin:secret@host"
		c.put(shown)
		v.watch(time.Minute)
		changes := v.heard()
		assert.Contains(t, changes, aiven.Change{Key: theService, Known: true})
		assert.NotContains(t, changes, aiven.Change{Key: theService})
		c.put(aService("s", "RUNNING"))
		v.watch(time.Minute)
		assert.Contains(t, v.heard(), aiven.Change{Key: theService}, "that it runs is a change")
	})
}

// A password that is reset right after the user was created.
func TestWhatAWriteReturnedIsTrustedForTheLagOnly(t *testing.T) {
	reset := aService("s", "RUNNING", "b")
	reset["users"].([]any)[0].(map[string]any)["password"] = "changed"
	c := newCloud(aService("s", "RUNNING"))
	inBubble(t, c, func(v *view) {
		password := func() string {
			found, err := v.Service(v.t.Context(), "p", "s", aiven.UserEntry("b"))
			require.NoError(v.t, err)
			b, _ := found.User("b")
			return b.Password
		}
		v.users()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{Entry: user("b")})
		c.put(reset)
		_, err := v.GetLive(v.t.Context(), "p", "s")
		require.NoError(v.t, err)
		assert.Equal(v.t, "pw-b", password(), "Aiven may be slow to show what was written")
		pause(5 * time.Second)
		assert.Equal(v.t, "changed", password(), "no other call was made before the lag was over")
	})
}

func TestWhatAivenShowsLateIsReadAgain(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{})
		assert.Equal(t, []string{"a"}, v.users(aiven.UserEntry("b")), "Aiven is slow to show it")
		v.made()
		pause(2 * time.Second)
		c.put(aService("s", "RUNNING", "a", "b"))
		assert.Equal(t, []string{"a"}, v.users(), "others read on")
		assert.Empty(t, v.made())
		assert.Equal(t, []string{"a", "b"}, v.users(aiven.UserEntry("b")))
		assert.Equal(t, []aiven.Change{{Key: theService, Entries: []aiven.Entry{aiven.UserEntry("b")}}}, v.heard(),
			"who wrote it hasn't seen it yet")
		v.made()
		pause(2 * time.Second)
		v.users(aiven.UserEntry("b"))
		assert.Empty(t, v.made())
	})
}

func TestWhatWasWrittenFirstBeginsAList(t *testing.T) {
	bare := aService("s", "RUNNING")
	delete(bare, "databases")
	inBubble(t, newCloud(bare), func(v *view) {
		v.users()
		v.RecordWrite("p", "s", aiven.DatabaseEntry("x"), aiven.WriteResult{Entry: ptr.To("x")})
		found, err := v.Service(v.t.Context(), "p", "s", aiven.DatabaseEntry("x"))
		require.NoError(t, err)
		assert.True(t, found.HasDatabase("x"))
		_, there := found.Pool("x")
		assert.False(t, there)
	})
}

func TestTheResponseToAWriteShowsWhatOthersDid(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a", "b")), func(v *view) {
		found, err := v.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
		now := *found
		now.Plan, now.Users = "bigger", map[string]*aiven.User{"a": found.Users["a"]}
		v.RecordWrite("p", "s", "", aiven.WriteResult{Service: &now})
		assert.ElementsMatch(t, []aiven.Change{
			{Key: theService, Known: true},
			{Key: theService, Entries: []aiven.Entry{aiven.UserEntry("b")}},
		}, v.heard())
	})
}

func TestWhatOneClientCreatesAnotherReads(t *testing.T) {
	c := newCloud()
	inBubble(t, c, func(v *view) {
		other, err := v.clients.ForToken("another-token")
		require.NoError(t, err)
		_, err = other.Service(v.t.Context(), "p", "s")
		require.True(t, fault.Is(err, fault.NotFound))
		c.put(aService("s", "RUNNING"))
		v.RecordWrite("p", "s", "", aiven.WriteResult{Service: &aiven.Service{Project: "p", Name: "s", State: "RUNNING"}})
		_, err = other.Service(v.t.Context(), "p", "s")
		require.NoError(t, err)
	})
}

func BenchmarkWriteOfOneUserAmongAThousand(b *testing.B) {
	names := make([]string, 1000)
	for n := range names {
		names[n] = fmt.Sprintf("user-%d", n)
	}
	clients := aiven.New(aiven.Options{Transport: newCloud(aService("s", "RUNNING", names...)), WatchInterval: time.Hour})
	a, err := clients.ForToken(token)
	require.NoError(b, err)
	_, err = a.Service(b.Context(), "p", "s")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		a.RecordWrite("p", "s", aiven.UserEntry("user-7"), aiven.WriteResult{Entry: user("user-7")})
	}
}
