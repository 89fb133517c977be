package localaiven

import (
	"sync"
	"time"
)

// Clock is a source of time. State machines compare times; nothing waits for a timer, so a moved clock moves them at once.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// fastClock runs faster than the machine's by a factor.
type fastClock struct {
	start time.Time
	speed float64
}

// NewFastClock returns a clock that starts now, and goes speed times as fast as the machine's.
func NewFastClock(speed float64) Clock { return fastClock{time.Now(), speed} }

// Now is the time the clock shows.
func (c fastClock) Now() time.Time {
	return c.start.Add(time.Duration(float64(time.Since(c.start)) * c.speed))
}

// ManualClock is a Clock that moves only by Advance. Its zero value isn't usable: see NewManualClock.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewManualClock returns a clock that stands at now.
func NewManualClock(now time.Time) *ManualClock { return &ManualClock{now: now} }

// Now is the time the clock stands at.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
