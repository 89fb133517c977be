package ownership

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// ErrClaimed is the problem of an object whose resource another one is about to create. Nothing was written.
var ErrClaimed = fault.NotYet("Another object has begun to create the same resource")

// Claims lets one of several objects with the same identity create the resource: until the cache shows that one has begun, the
// others don't know. The zero value is ready, and safe for concurrent use.
type Claims struct {
	mu      sync.Mutex
	holders map[string]claim
}

type claim struct {
	holder  types.UID
	unclear bool // a creation may have succeeded
	busy    bool // a reconcile of the holder, which may make a call at any time, is under way
	// overtaken are objects that had the claim, and may have created the resource: what exists may be that of one that took it.
	overtaken map[types.UID]bool
}

// Take reports whether an object may create what it identifies, or delete what it may have created. It holds the claim until
// Release, or until another one takes it. Between Take and Rest none does. Later one does if the holder is no longer among its
// duplicates, or doesn't go on, or if the other one owns the resource for sure.
func (c *Claims) Take(identity string, obj client.Object, duplicates []Duplicate) bool {
	if identity == "" {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holders == nil {
		c.holders = map[string]claim{}
	}
	held := c.holders[identity]
	if held.holder != obj.GetUID() {
		goesOn := slices.ContainsFunc(duplicates, func(d Duplicate) bool { return d.GetUID() == held.holder && isActive(d.Object) })
		if held.busy || goesOn && !IsRecorded(obj) {
			return false
		}
	}
	if held.holder != obj.GetUID() {
		held = held.takenBy(obj)
	}
	held.busy = true
	c.holders[identity] = held
	return true
}

// Permits reports whether an object may create, or else manage or delete, what it identifies. It takes the claim if the object needs it:
// before it creates that and, until its status proves that it owns it, before it manages or deletes it.
func (c *Claims) Permits(identity string, obj client.Object, creates bool, duplicates []Duplicate) bool {
	return !creates && !onlyAttempted(obj) || c.Take(identity, obj, duplicates)
}

// onlyAttempted reports whether an object owns what it identifies by its attempt alone.
func onlyAttempted(obj client.Object) bool { return Owns(obj) && !IsRecorded(obj) }

// takenBy is the claim once another object has taken it. What that has begun without the claim may have succeeded.
func (c claim) takenBy(obj client.Object) claim {
	overtaken := maps.Clone(c.overtaken)
	if c.holder != "" {
		if overtaken == nil {
			overtaken = map[types.UID]bool{}
		}
		overtaken[c.holder] = true
	}
	delete(overtaken, obj.GetUID()) // it has found that nothing exists
	return claim{holder: obj.GetUID(), unclear: Owns(obj), overtaken: overtaken}
}

// Rest ends a reconcile of an object: another one may take its claim, if it holds one, as soon as it doesn't go on.
func (c *Claims) Rest(identity string, uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if held, claimed := c.holders[identity]; claimed && held.holder == uid {
		held.busy = false
		c.holders[identity] = held
	}
}

// OwnerOf returns the duplicate that owns the resource instead of an object; false if none does. Only what owns it counts, or
// has claimed it: an object that waits, is paused, or has no token that Aiven accepts is in no other's way. An object that has
// not begun holds no claim any more.
func (c *Claims) OwnerOf(identity string, obj Object, duplicates []Duplicate) (owner Duplicate, owned bool) {
	if !Owns(obj) {
		c.Release(identity, obj.GetUID())
	}
	c.mu.Lock()
	held := c.holders[identity]
	c.mu.Unlock()
	mine := Owns(obj)
	for _, other := range duplicates {
		leaves := !other.GetDeletionTimestamp().IsZero() && !HasFinalizer(other)
		if !held.counts(other) || leaves || mine && held.precedes(obj, other.Object) || owned && held.precedes(owner.Object, other.Object) {
			continue
		}
		owner, owned = other, true
	}
	return owner, owned
}

// counts reports whether a duplicate owns the resource, or is about to. An attempt that doesn't go on isn't going to end.
func (c claim) counts(other Duplicate) bool {
	if other.GetUID() == c.holder && c.busy {
		return true
	}
	return IsRecorded(other.Object) || isActive(other.Object) && (Owns(other.Object) || other.GetUID() == c.holder)
}

// precedes reports whether the first of two objects owns what both own: the one whose status proves it, then the one that has
// claimed it, then the older one.
func (c claim) precedes(a, b client.Object) bool {
	for _, owns := range []func(client.Object) bool{IsRecorded, func(obj client.Object) bool { return obj.GetUID() == c.holder }} {
		if owns(a) != owns(b) {
			return owns(a)
		}
	}
	return isOlder(a, b)
}

// Settle ends the claim of an object that has not begun, or has made nothing: others may, and none was overtaken.
func (c *Claims) Settle(begun bool, identity string, uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !begun && c.holders[identity].holder == uid {
		delete(c.holders, identity)
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

// MadeNothing reports whether what exists isn't an object's: all creations that it has tried since it took the claim have changed
// nothing, or another one has taken the claim since. It is false for one that never held it: a previous process may have created the
// resource.
func (c *Claims) MadeNothing(identity string, uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.holders[identity]
	return held.overtaken[uid] || held.holder == uid && !held.unclear
}

// Disproves reports whether an object that has begun owns nothing all the same. While another one still holds the claim, that may
// turn out to make nothing.
func (c *Claims) Disproves(identity string, obj client.Object) bool {
	c.mu.Lock()
	holder := c.holders[identity].holder
	c.mu.Unlock()
	return (holder == "" || holder == obj.GetUID()) && onlyAttempted(obj) && c.MadeNothing(identity, obj.GetUID())
}

// Release ends the claim of an object, if it holds it.
func (c *Claims) Release(identity string, uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held, claimed := c.holders[identity]
	delete(held.overtaken, uid)
	if held.holder == uid {
		held = claim{overtaken: held.overtaken}
	}
	switch {
	case held.holder == "" && len(held.overtaken) == 0:
		delete(c.holders, identity)
	case claimed:
		c.holders[identity] = held
	}
}
