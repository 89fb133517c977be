package ownership

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// ErrReserved is the problem of an object whose resource another one is about to create. Nothing was written.
var ErrReserved = fault.NotYet("Another object has begun to create the same resource")

// Reservations lets one of several objects with the same identity create the resource: until the cache shows that one has begun, the
// others don't know. The zero value is ready, and safe for concurrent use.
type Reservations struct {
	mu      sync.Mutex
	holders map[string]reservation
}

type reservation struct {
	holder  types.UID
	unclear bool // a creation may have succeeded
	asked   bool // a creation began, and its answer isn't known: none may be, after a panic
	busy    bool // a reconcile of the holder, which may make a call at any time, is under way
	// overtaken are objects that had the reservation, and may have created the resource: what exists may be that of one that took it.
	overtaken map[types.UID]bool
}

// Take reports whether an object may create what it identifies, or delete what it may have created. It holds the reservation until
// Release, or until another one takes it. Between Take and Rest none does. Later one does if the holder is no longer among its
// duplicates, or doesn't go on, or if the other object owns the resource for sure.
func (r *Reservations) Take(identity string, obj client.Object, duplicates []Duplicate) bool {
	if identity == "" {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holders == nil {
		r.holders = map[string]reservation{}
	}
	held := r.holders[identity]
	if held.holder != obj.GetUID() {
		goesOn := slices.ContainsFunc(duplicates, func(d Duplicate) bool { return d.GetUID() == held.holder && isActive(d.Object) })
		if held.busy || goesOn && !Proves(obj) {
			return false
		}
	}
	if held.holder != obj.GetUID() {
		held = held.takenBy(obj)
	}
	held.busy = true
	r.holders[identity] = held
	return true
}

// Permits reports whether an object may create, or else manage or delete, what it identifies. It takes the reservation if the object needs it:
// before it creates that and, until its status proves that it owns it, before it manages or deletes it.
func (r *Reservations) Permits(identity string, obj client.Object, creates bool, duplicates []Duplicate) bool {
	return !creates && !onlyAttempted(obj) || r.Take(identity, obj, duplicates)
}

// onlyAttempted reports whether an object owns what it identifies by its attempt alone.
func onlyAttempted(obj client.Object) bool { return Owns(obj) && !IsRecorded(obj) }

// takenBy is the reservation once another object has taken it. What that has begun without the reservation may have succeeded.
func (r reservation) takenBy(obj client.Object) reservation {
	overtaken := maps.Clone(r.overtaken)
	if r.holder != "" {
		if overtaken == nil {
			overtaken = map[types.UID]bool{}
		}
		overtaken[r.holder] = true
	}
	delete(overtaken, obj.GetUID()) // it has found that nothing exists
	return reservation{holder: obj.GetUID(), unclear: Owns(obj), overtaken: overtaken}
}

// Rest ends a reconcile of an object: another one may take its reservation, if it holds one, as soon as it doesn't go on.
func (r *Reservations) Rest(identity string, uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if held, reserved := r.holders[identity]; reserved && held.holder == uid {
		held.busy = false
		r.holders[identity] = held
	}
}

// OwnerOf returns the duplicate that owns the resource instead of an object; false if none does. Only what owns it counts, or
// has reserved it: an object that waits, is paused, or has no token that Aiven accepts is in no other's way. An object that has
// not begun holds no reservation any more.
func (r *Reservations) OwnerOf(identity string, obj Object, duplicates []Duplicate) (owner Duplicate, owned bool) {
	if !Owns(obj) {
		r.Release(identity, obj.GetUID())
	}
	r.mu.Lock()
	held := r.holders[identity]
	r.mu.Unlock()
	mine := Owns(obj)
	for _, other := range duplicates {
		leaves := !other.GetDeletionTimestamp().IsZero() && !HasFinalizer(other)
		if !held.counts(other) || leaves || mine && held.wins(obj, other.Object) || owned && held.wins(owner.Object, other.Object) {
			continue
		}
		owner, owned = other, true
	}
	return owner, owned
}

// counts reports whether a duplicate owns the resource, or is about to. An attempt that doesn't go on isn't going to end.
func (r reservation) counts(other Duplicate) bool {
	if other.GetUID() == r.holder && r.busy {
		return true
	}
	return IsRecorded(other.Object) || isActive(other.Object) && (Owns(other.Object) || other.GetUID() == r.holder)
}

// wins reports whether the first of two objects owns what both own: the one whose status proves it, then the one that has
// reserved it, then the older one.
func (r reservation) wins(a, b client.Object) bool {
	for _, owns := range []func(client.Object) bool{Proves, func(obj client.Object) bool { return obj.GetUID() == r.holder }} {
		if owns(a) != owns(b) {
			return owns(a)
		}
	}
	return isOlder(a, b)
}

// Settle ends the reservation of an object that has not begun, or has made nothing: others may, and none was overtaken.
func (r *Reservations) Settle(begun bool, identity string, uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !begun && r.holders[identity].holder == uid {
		delete(r.holders, identity)
	}
}

// Ask notes that an object begins to create what it identifies.
func (r *Reservations) Ask(creates bool, identity string, uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if held, reserved := r.holders[identity]; creates && reserved && held.holder == uid {
		held.unclear, held.asked = held.unclear || held.asked, true
		r.holders[identity] = held
	}
}

// Answer notes how the creation by an object ended, and reports what MadeNothing does.
func (r *Reservations) Answer(identity string, uid types.UID, changedNothing bool) bool {
	r.mu.Lock()
	if held, reserved := r.holders[identity]; reserved && held.holder == uid {
		held.unclear, held.asked = held.unclear || !changedNothing, false
		r.holders[identity] = held
	}
	r.mu.Unlock()
	return r.MadeNothing(identity, uid)
}

// MadeNothing reports whether what exists isn't an object's: all creations that it has tried since it took the reservation have changed
// nothing, or another one has taken the reservation since. It is false for one that never held it: a previous process may have created the
// resource.
func (r *Reservations) MadeNothing(identity string, uid types.UID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.holders[identity]
	return held.overtaken[uid] || held.holder == uid && !held.unclear && !held.asked
}

// Disproves reports whether an object that has begun owns nothing all the same. While another one still holds the reservation, that may
// turn out to make nothing.
func (r *Reservations) Disproves(identity string, obj client.Object) bool {
	r.mu.Lock()
	holder := r.holders[identity].holder
	r.mu.Unlock()
	return (holder == "" || holder == obj.GetUID()) && onlyAttempted(obj) && r.MadeNothing(identity, obj.GetUID())
}

// Release ends the reservation of an object, if it holds it.
func (r *Reservations) Release(identity string, uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held, reserved := r.holders[identity]
	delete(held.overtaken, uid)
	if held.holder == uid {
		held = reservation{overtaken: held.overtaken}
	}
	switch {
	case held.holder == "" && len(held.overtaken) == 0:
		delete(r.holders, identity)
	case reserved:
		r.holders[identity] = held
	}
}
