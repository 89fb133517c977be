package lifetime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/tests/localaiven/lifetime"
)

var (
	names = lifetime.States{Creating: "creating", Ready: "ready", Removing: "removing"}
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func TestAResourceIsCreatedReadyAndRemovedByTheClock(t *testing.T) {
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	l := lifetime.New(at(10))
	assert.Equal(t, "creating", l.State(at(9), names))
	assert.Equal(t, "ready", l.State(at(10), names))
	l.Force("broken")
	assert.Equal(t, "broken", l.State(at(20), names), "a state that was set at the console stays")
	assert.True(t, l.Remove(at(30)))
	assert.Equal(t, "removing", l.State(at(29), names), "a removal ends a state that was set")
	assert.False(t, l.Remove(at(60)), "the removal has begun")
	assert.Equal(t, at(30), l.Until())
	assert.Equal(t, lifetime.Removed, l.State(at(30), names))
}
