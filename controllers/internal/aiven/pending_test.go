package aiven_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

func TestAWriteIsPendingWhicheverTokenAsks(t *testing.T) {
	vpcs := aiven.ListKey{Project: "p", Operation: "VpcList"}
	entry := func(v *view, result aiven.WriteResult) {
		v.RecordWrite("p", "s", aiven.UserEntry("b"), result)
	}
	item := func(v *view, result aiven.WriteResult) { v.RecordListWrite(vpcs, "b", result.MayHaveApplied) }
	unclear, refused := aiven.WriteResult{MayHaveApplied: true}, aiven.WriteResult{}
	known := aiven.WriteResult{MayHaveApplied: true, Entry: &aiven.User{Username: "b"}}
	for name, tc := range map[string]struct {
		do   func(*view)
		want bool
	}{
		"an entry":                          {func(v *view) { entry(v, unclear) }, true},
		"an item of a list":                 {func(v *view) { item(v, unclear) }, true},
		"an entry that Aiven has refused":   {func(v *view) { entry(v, refused) }, false},
		"an item that Aiven has refused":    {func(v *view) { item(v, refused) }, false},
		"an entry, and a refusal after it":  {func(v *view) { entry(v, unclear); entry(v, refused) }, true},
		"an item, and a refusal after it":   {func(v *view) { item(v, unclear); item(v, refused) }, true},
		"a known entry, and a refusal":      {func(v *view) { entry(v, known); entry(v, refused) }, true},
		"an entry that is gone after it":    {func(v *view) { entry(v, unclear); entry(v, aiven.WriteResult{Deleted: true}) }, false},
		"an entry that went with a service": {func(v *view) { entry(v, unclear); v.RecordWrite("p", "s", "", aiven.WriteResult{Deleted: true}) }, false},
		"the end of another service":        {func(v *view) { entry(v, unclear); v.RecordWrite("p", "x", "", aiven.WriteResult{Deleted: true}) }, true},
		"after the lag":                     {func(v *view) { entry(v, unclear); item(v, unclear); pause(lag) }, false},
		"by a client that is forgotten":     {func(v *view) { v.clients.Forget(token); entry(v, unclear) }, true},
		"and then the client is forgotten":  {func(v *view) { entry(v, unclear); v.clients.Forget(token) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(aService("s", "RUNNING")), func(v *view) {
				tc.do(v)
				other, err := v.clients.ForToken("another-token")
				require.NoError(v.t, err)
				for _, c := range []*aiven.Client{v.Client, other} {
					pending := c.BeginReads().WritePending("p", "s", aiven.UserEntry("b")) || c.BeginReads().ListWritePending(vpcs, "b")
					assert.Equal(v.t, tc.want, pending)
				}
				assert.False(v.t, other.BeginReads().WritePending("p", "s", aiven.UserEntry("x")))
			})
		})
	}
}

func TestWritesOfAnEarlierProcessArePendingForTheLagAfterTheFirstUse(t *testing.T) {
	inBubble(t, newCloud(), func(v *view) {
		standby := aiven.New(aiven.Options{Transport: v.cloud, ReadLag: lag})
		pause(lag) // the process waits to be elected
		client, err := standby.ForToken(token)
		require.NoError(v.t, err)
		assert.True(v.t, client.BeginReads().EarlierWritesPending())
		pause(lag - 1)
		client, err = standby.ForToken("another-token")
		require.NoError(v.t, err)
		assert.True(v.t, client.BeginReads().EarlierWritesPending())
		pause(1)
		assert.False(v.t, client.BeginReads().EarlierWritesPending())
	})
}

func TestWhatAnEarlierProcessMayHaveWrittenIsReadAgainAfterTheLag(t *testing.T) {
	bob := aiven.UserEntry("bob")
	inBubble(t, newCloud(aService("s", "RUNNING", "alice")), func(v *view) {
		v.users(bob)
		v.ExpectEarlierWrite("p", "s", bob)
		v.cloud.made()
		pause(lag / 2)
		v.users(bob)
		assert.Empty(v.t, v.cloud.made(), "within the lag, another read proves no more")
		pause(lag / 2)
		v.users("user/alice")
		assert.Empty(v.t, v.cloud.made(), "of another entry, all is known")
		v.users(bob)
		assert.Len(v.t, v.cloud.made(), 1, "what was read within the lag proves no absence")
		v.users(bob)
		assert.Empty(v.t, v.cloud.made(), "what was read after it does")
		v.RecordWrite("p", "s", bob, aiven.WriteResult{Deleted: true})
		v.ExpectEarlierWrite("p", "s", bob)
		v.users(bob)
		assert.Empty(v.t, v.cloud.made(), "a write that is known counts more")
	})
}

func TestAReadThatBeganWhenTheLagOfAnEarlierProcessWasOverIsEnough(t *testing.T) {
	bob := aiven.UserEntry("bob")
	inBubble(t, newCloud(aService("s", "RUNNING", "alice")), func(v *view) {
		pause(lag)
		v.users(bob)
		v.cloud.made()
		v.ExpectEarlierWrite("p", "s", bob)
		v.users(bob)
		assert.Empty(v.t, v.cloud.made())
	})
}

func TestAReadFromWithinTheLagOfAnEarlierProcessIsNotJoinedAfterIt(t *testing.T) {
	bob := aiven.UserEntry("bob")
	for name, expected := range map[string]bool{"first asked about after it": false, "asked about within it": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, newCloud(aService("s", "RUNNING", "alice")), func(v *view) {
				release := v.stall()
				if expected {
					v.ExpectEarlierWrite("p", "s", bob)
				}
				var second, third []string
				var readers sync.WaitGroup
				readers.Go(func() { v.users(bob) })
				synctest.Wait()
				pause(lag)
				v.put(aService("s", "RUNNING", "alice", "bob"))
				for _, found := range []*[]string{&second, &third} {
					readers.Go(func() { v.ExpectEarlierWrite("p", "s", bob); *found = v.users(bob) })
					synctest.Wait()
				}
				release()
				readers.Wait()
				assert.Equal(v.t, [][]string{{"alice", "bob"}, {"alice", "bob"}}, [][]string{second, third})
				assert.Len(v.t, v.cloud.made(), 2, "the third joins the second")
			})
		})
	}
}

func TestWritesAreRememberedForReadsThatTakeLong(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING")), func(v *view) {
		write := func(user string) {
			v.RecordWrite("p", "s", aiven.UserEntry(user), aiven.WriteResult{MayHaveApplied: true})
		}
		write("first")
		reads := v.BeginReads()
		pause(lag + 5*time.Minute - 2*time.Second)
		write("second")
		pause(time.Second)
		write("third")
		assert.True(t, reads.WritePending("p", "s", aiven.UserEntry("first")))
		for range 3 {
			pause(lag + 5*time.Minute)
			write("later")
		}
		assert.Equal(t, 1, v.clients.PendingWrites(), "but not for ever")
	})
}
