package aiven_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestARequestedReadKeepsOurWrites(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true, Entry: user("b")})
		v.RecordWrite("p", "s", aiven.UserEntry("c"), aiven.WriteResult{MayHaveApplied: true})
		v.made()
		v.Invalidate("p", "s")
		assert.Equal(t, []string{"a", "b"}, v.users(), "Aiven is slow to show what it has returned")
		assert.Equal(t, []string{"service/s"}, v.made(), "the read is live")
		assert.True(t, v.BeginReads().WritePending("p", "s", aiven.UserEntry("c")), "a requested read may be as late as any")
		pause(lag)
		assert.False(t, v.BeginReads().WritePending("p", "s", aiven.UserEntry("c")))
	})
}

func TestAChangeRightAfterOurWriteIsNoticedAfterTheLag(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a"))
	inBubble(t, c, func(v *view) {
		v.users()
		pause(time.Hour)
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true, Entry: user("b")})
		v.Invalidate("p", "s")
		assert.Equal(t, []string{"a", "b"}, v.users(), "another client has deleted it, or Aiven doesn't show it yet")
		v.made()
		v.heard()
		v.watch(lag + unsettled)
		assert.Equal(t, []string{"service/s"}, v.made(), "one read, long before the next poll")
		assert.Equal(t, []aiven.Change{{Key: theService, Entries: []aiven.Entry{aiven.UserEntry("b")}}}, v.heard())
	})
}

func TestWhatAivenShowsAsWeWroteItIsNotReadAgain(t *testing.T) {
	c := newCloud(aService("s", "RUNNING", "a", "b"))
	inBubble(t, c, func(v *view) {
		v.users()
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true, Entry: user("b")})
		v.Invalidate("p", "s")
		v.users()
		v.made()
		v.watch(lag + unsettled)
		assert.Empty(t, v.made())
	})
}

func TestADeletedServiceTakesItsWritesAlong(t *testing.T) {
	c := newCloud()
	inBubble(t, c, func(v *view) {
		v.RecordWrite("p", "s", "", aiven.WriteResult{MayHaveApplied: true, Service: &aiven.Service{Project: "p", Name: "s", State: "REBUILDING"}})
		v.RecordWrite("p", "s", aiven.UserEntry("b"), aiven.WriteResult{MayHaveApplied: true})
		v.RecordWrite("p", "s", "", aiven.WriteResult{Deleted: true, MayHaveApplied: true})
		_, err := v.Service(v.t.Context(), "p", "s")
		assert.True(t, fault.Is(err, fault.NotFound), "the answer to its creation doesn't hide that it is gone: %v", err)
		assert.False(t, v.BeginReads().WritePending("p", "s", aiven.UserEntry("b")))
	})
}
