package aiven

import (
	"slices"
	"sync"
	"time"
)

// sighted is a service as one account sees it. Two tokens may have different rights: if they shared what was seen last,
// their turns would look like a service that comes and goes.
type sighted struct {
	account *Account
	service ServiceKey
}

// sight is what one answer tells about a service.
type sight struct {
	look           uint64 // order in which the reads began
	exists, usable bool
	at             time.Time
}

// changes compares what is seen of services with what was seen before, and tells subscribers.
type changes struct {
	now func() time.Time

	mu          sync.Mutex
	looks       uint64
	last        map[sighted]sight
	subscribers []func(ServiceKey)
}

func (c *changes) subscribe(fn func(ServiceKey)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers = append(c.subscribers, fn)
}

// begin numbers a read.
func (c *changes) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	return c.looks
}

// saw records the answer of a read, and wakes the subscribers if it is news.
func (c *changes) saw(who sighted, s sight) {
	for _, fn := range c.record(who, s) {
		go fn(who.service)
	}
}

// record returns the subscribers to tell, none if s is no news.
func (c *changes) record(who sighted, s sight) []func(ServiceKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.at = c.now()
	before, known := c.last[who]
	if known && before.look > s.look {
		return nil // an answer overtaken by that of a later read
	}
	if c.last == nil {
		c.last = map[sighted]sight{}
	}
	c.last[who] = s
	if !known || before.exists == s.exists && (before.usable || !s.usable) {
		return nil
	}
	return slices.Clone(c.subscribers)
}

// sweep drops services that nobody looked at for long.
func (c *changes) sweep(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for who, s := range c.last {
		if now.Sub(s.at) >= memory {
			delete(c.last, who)
		}
	}
}
