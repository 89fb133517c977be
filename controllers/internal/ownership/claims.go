package ownership

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Claims lets one of several objects with the same identity create the resource: until the cache shows that one has begun, the
// others don't know. The zero value is ready, and safe for concurrent use.
type Claims struct {
	mu      sync.Mutex
	holders map[string]claim
}

type claim struct {
	holder  types.UID
	unclear bool // a creation may have succeeded
}

// Take reports whether an object may create what it identifies. It holds the claim until Release, or until it is no longer among
// the duplicates of another one.
func (c *Claims) Take(identity string, uid types.UID, duplicates []Duplicate) bool {
	if identity == "" {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders == nil {
		c.holders = map[string]claim{}
	}
	held, claimed := c.holders[identity]
	exists := slices.ContainsFunc(duplicates, func(d Duplicate) bool { return d.GetUID() == held.holder })
	if claimed && held.holder != uid && exists {
		return false
	}
	if held.holder != uid {
		c.holders[identity] = claim{holder: uid}
	}
	return true
}

// Settle ends the claim of an object that has not begun: others may.
func (c *Claims) Settle(begun bool, identity string, uid types.UID) {
	if !begun {
		c.Release(identity, uid)
	}
}

// Answer notes how the creation by an object ended, and reports what MadeNothing does.
func (c *Claims) Answer(identity string, uid types.UID, changedNothing bool) bool {
	c.mu.Lock()
	if held, claimed := c.holders[identity]; claimed && held.holder == uid {
		held.unclear = held.unclear || !changedNothing
		c.holders[identity] = held
	}
	c.mu.Unlock()
	return c.MadeNothing(identity, uid)
}

// MadeNothing reports whether all creations that were tried by an object since it took the claim have changed nothing.
// It is false for an object that holds none: a previous process may have created the resource.
func (c *Claims) MadeNothing(identity string, uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, claimed := c.holders[identity]
	return claimed && held.holder == uid && !held.unclear
}

// Release ends the claim of an object, if it holds it.
func (c *Claims) Release(identity string, uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders[identity].holder == uid {
		delete(c.holders, identity)
	}
}
