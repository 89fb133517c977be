package aiven

import (
	"slices"
	"sync"
)

// Change is news about a service, found by a look or told by a write.
type Change struct {
	Key ServiceKey
	// Entries that changed. Empty means the service itself: its existence, state, endpoints, options.
	Entries []Entry
	// Known says that whoever stands for what has changed knows it already: it was that one's own write or look.
	Known bool
}

// changes tells subscribers what was found.
type changes struct {
	mu          sync.Mutex
	subscribers []func(Change)
}

func (c *changes) subscribe(fn func(Change)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers = append(c.subscribers, fn)
}

func (c *changes) notify(news []Change) {
	c.mu.Lock()
	subscribers := slices.Clone(c.subscribers)
	c.mu.Unlock()
	for _, change := range news {
		for _, fn := range subscribers {
			go fn(change)
		}
	}
}
