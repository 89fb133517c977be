package aiven

import "time"

// Template is template, for its table of paths.
var Template = template

// MaxTurns is maxTurns, which a test fills.
const MaxTurns = maxTurns

// KnowUser makes the client not ask whose its token is: that call takes a turn at a time that a test can't choose.
func (c *Client) KnowUser() {
	c.clients.mu.Lock()
	defer c.clients.mu.Unlock()
	c.identifyAt = time.Time{}
}

// Kept is how many certificates of CAs and details of topics the client remembers.
func (c *Client) Kept() (cas, details int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.services {
		details += len(s.topics.known)
	}
	return len(c.cas), details
}

// Prices is how many list prices the client remembers.
func (c *Client) Prices() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.prices)
}

// PendingWrites is how many writes of all clients are remembered.
func (c *Clients) PendingWrites() int {
	c.pending.mu.Lock()
	defer c.pending.mu.Unlock()
	return len(c.pending.writes)
}

// Reserve is how many calls of a window are left for attempts that go on.
func (c *Client) Reserve() int {
	l := c.doer.limiter.Load()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reserve
}

// Close makes the clients try nothing again, as while the operator ends.
func (c *Clients) Close() { c.closing.Store(true) }
