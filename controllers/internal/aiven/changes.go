package aiven

import (
	"slices"
	"sync"
)

// Change is what changed in a service or in a list, found by a read or by a write of ours.
type Change struct {
	// Key is of the service. It is empty for a list.
	Key ServiceKey
	// Entries that changed. Empty means the service itself: its existence, state, endpoints, options.
	Entries []Entry
	// List is the key of the list whose Items changed. It is empty for a service.
	List  ListKey
	Items []string
	// Known reports whether the object that manages what has changed knows it already: it was its own write or read.
	Known bool
}

// changes notifies subscribers.
type changes struct {
	mu          sync.Mutex
	subscribers []func(Change)
}

func (c *changes) subscribe(fn func(Change)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers = append(c.subscribers, fn)
}

func (c *changes) notify(changes []Change) {
	c.mu.Lock()
	subscribers := slices.Clone(c.subscribers)
	c.mu.Unlock()
	for _, change := range changes {
		for _, fn := range subscribers {
			inBackground(func() { fn(change) })
		}
	}
}
