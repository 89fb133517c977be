package aiven

import (
	"context"
	"time"

	avnuser "github.com/aiven/go-client-codegen/handler/user"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// identifyAgain is how long after a failure a token is asked again whose it is.
const identifyAgain = time.Minute

// user is who owns a token: Aiven limits calls by user.
type user struct {
	limiter *rateLimiter
	clients int
	idle    time.Time // since when no client is left
}

// identify finds out whose token the client has, once. As long as that isn't known, and where Aiven refuses to say it,
// the token has a rate limiter of its own. It makes no call where that couldn't matter: a single token that was never
// refused shares its limit with no other.
func (c *Client) identify(ctx context.Context) {
	clients := c.clients
	if !clients.shouldIdentify(c) {
		return
	}
	ctx = ofNoAttempt(context.WithoutCancel(ctx))
	inBackground(func() {
		ctx, cancel := context.WithTimeout(ctx, clients.options.Timeout)
		defer cancel()
		info, err := recovered(func() (*avnuser.UserInfoOut, error) { return c.api.UserInfo(ctx) })
		clients.mu.Lock()
		defer clients.mu.Unlock()
		switch {
		case err == nil && info.UserId != "":
			clients.assign(c, info.UserId)
		case !fault.Is(err, fault.Unauthorized, fault.Forbidden, fault.NotFound, fault.Rejected):
			c.identifyAt = clients.options.Now().Add(identifyAgain)
		}
	})
}

// shouldIdentify reports whether it is time to ask, and takes note of it.
func (c *Clients) shouldIdentify(client *Client) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	limiter := client.doer.limiter.Load()
	if limiter == nil || client.identifyAt.IsZero() || c.options.Now().Before(client.identifyAt) || c.made < 2 && !limiter.hasLearned() {
		return false
	}
	client.identifyAt = time.Time{}
	return true
}

// assign makes a client use the rate limiter of its user. The caller holds the lock.
func (c *Clients) assign(client *Client, id string) {
	owner, own := c.users[id], client.user
	switch {
	case own == nil: // forgotten meanwhile
	case owner == nil:
		c.users[id] = own
	case owner != own:
		owner.limiter.absorb(own.limiter)
		c.release(client)
		c.acquire(client, owner)
	}
}

// acquire makes a client use a rate limiter. The caller holds the lock.
func (c *Clients) acquire(client *Client, owner *user) {
	client.user = owner
	owner.clients++
	if owner.clients == 1 {
		c.nextUser++
		owner.limiter.measure(newSeries(c.nextUser))
	}
	client.doer.limiter.Store(owner.limiter)
}

// release ends the use of a rate limiter, and its series if no other client uses it. What it has learned is kept for the
// next token of the user. The caller holds the lock.
func (c *Clients) release(client *Client) {
	owner := client.user
	if owner == nil {
		return
	}
	client.user = nil
	if owner.clients--; owner.clients == 0 {
		owner.idle = c.options.Now()
		owner.limiter.measure(nil)
	}
}

// evictUsers forgets users that have had no token for long. The caller holds the lock.
func (c *Clients) evictUsers(now time.Time) {
	for id, owner := range c.users {
		if owner.clients == 0 && now.Sub(owner.idle) >= idleTTL {
			delete(c.users, id)
		}
	}
}

// PollFactor is by how much to stretch the time between two polls of one object: 1 as a rule, up to 4 where Aiven allows
// few calls. The watch stretches its interval by it, too.
func (c *Client) PollFactor() float64 { return c.doer.limiter.Load().pollFactor() }
