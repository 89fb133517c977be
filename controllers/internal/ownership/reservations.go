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
	holders map[string]hold // by identity
}

// hold is how the reservation for an identity is held.
type hold struct {
	holder  types.UID
	unclear bool // a creation may have succeeded
	asked   bool // a creation began, and its answer isn't known: none may be, after a panic
	busy    bool // a reconcile of the holder, which may make a call at any time, is under way
	// overtaken are objects that had the reservation, and may have created the resource: what exists may be that of one that took it.
	overtaken map[types.UID]bool
}

// Reservation is the one that an object needs, whether the object holds it or another one does.
type Reservation struct {
	all      *Reservations
	identity string // empty for what may overlap
	obj      client.Object
}

// Of is the reservation for what an object identifies.
func (r *Reservations) Of(identity string, obj client.Object) Reservation {
	return Reservation{all: r, identity: identity, obj: obj}
}

// Take reports whether the object may create what it identifies, or delete what it may have created. It holds the reservation until
// Release, or until another one takes it. Between Take and Rest none does. Later one does if the holder is no longer among its
// duplicates, or doesn't go on, or if the other object owns the resource for sure.
func (r Reservation) Take(duplicates []Duplicate) bool {
	if r.identity == "" {
		return true
	}
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if r.all.holders == nil {
		r.all.holders = map[string]hold{}
	}
	held := r.all.holders[r.identity]
	if held.holder != r.obj.GetUID() {
		goesOn := slices.ContainsFunc(duplicates, func(d Duplicate) bool { return d.GetUID() == held.holder && isActive(d.Object) })
		if held.busy || goesOn && !Proves(r.obj) {
			return false
		}
		held = held.takenBy(r.obj)
	}
	held.busy = true
	r.all.holders[r.identity] = held
	return true
}

// Permits reports whether the object may create, or else manage or delete, what it identifies. It takes the reservation if the object needs
// it: before it creates that and, until its status proves that it owns it, before it manages or deletes it.
func (r Reservation) Permits(creates bool, duplicates []Duplicate) bool {
	return !creates && !onlyAttempted(r.obj) || r.Take(duplicates)
}

// onlyAttempted reports whether an object owns what it identifies by its attempt alone.
func onlyAttempted(obj client.Object) bool { return Owns(obj) && !IsRecorded(obj) }

// takenBy is the hold of another object. What that has begun without the reservation may have succeeded.
func (h hold) takenBy(obj client.Object) hold {
	overtaken := maps.Clone(h.overtaken)
	if h.holder != "" {
		if overtaken == nil {
			overtaken = map[types.UID]bool{}
		}
		overtaken[h.holder] = true
	}
	delete(overtaken, obj.GetUID()) // it has found that nothing exists
	return hold{holder: obj.GetUID(), unclear: Owns(obj), overtaken: overtaken}
}

// now is how the reservation is held.
func (r Reservation) now() hold {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	return r.all.holders[r.identity]
}

// edit changes how the object holds the reservation, if it does.
func (r Reservation) edit(change func(*hold)) {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if held, reserved := r.all.holders[r.identity]; reserved && held.holder == r.obj.GetUID() {
		change(&held)
		r.all.holders[r.identity] = held
	}
}

// Rest ends a reconcile of the object: another one may take its reservation, if it holds one, as soon as it doesn't go on.
func (r Reservation) Rest() { r.edit(func(held *hold) { held.busy = false }) }

// OwnerOf returns the duplicate that owns the resource instead of the object; false if none does. Only what owns it counts, or
// has reserved it: an object that waits, is paused, or has no token that Aiven accepts is in no other's way. An object that has
// not begun holds no reservation any more.
func (r Reservation) OwnerOf(duplicates []Duplicate) (owner Duplicate, owned bool) {
	mine := Owns(r.obj)
	if !mine {
		r.Release()
	}
	held := r.now()
	for _, other := range duplicates {
		leaves := !other.GetDeletionTimestamp().IsZero() && !HasFinalizer(other)
		if !held.counts(other) || leaves || mine && held.wins(r.obj, other.Object) || owned && held.wins(owner.Object, other.Object) {
			continue
		}
		owner, owned = other, true
	}
	return owner, owned
}

// counts reports whether a duplicate owns the resource, or is about to. An attempt that doesn't go on isn't going to end.
func (h hold) counts(other Duplicate) bool {
	if other.GetUID() == h.holder && h.busy {
		return true
	}
	return IsRecorded(other.Object) || isActive(other.Object) && (Owns(other.Object) || other.GetUID() == h.holder)
}

// wins reports whether the first of two objects owns what both own: the one whose status proves it, then the one that has
// reserved it, then the older one.
func (h hold) wins(a, b client.Object) bool {
	for _, owns := range []func(client.Object) bool{Proves, func(obj client.Object) bool { return obj.GetUID() == h.holder }} {
		if owns(a) != owns(b) {
			return owns(a)
		}
	}
	return isOlder(a, b)
}

// Settle ends the reservation of an object that has not begun, or has made nothing: others may, and none was overtaken.
func (r Reservation) Settle(begun bool) {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	if !begun && r.all.holders[r.identity].holder == r.obj.GetUID() {
		delete(r.all.holders, r.identity)
	}
}

// Ask notes that the object begins to create what it identifies, if it does.
func (r Reservation) Ask(creates bool) {
	if creates {
		r.edit(func(held *hold) { held.unclear, held.asked = held.unclear || held.asked, true })
	}
}

// Answer notes how the creation by the object ended, and reports what MadeNothing does.
func (r Reservation) Answer(changedNothing bool) bool {
	r.edit(func(held *hold) { held.unclear, held.asked = held.unclear || !changedNothing, false })
	return r.MadeNothing()
}

// MadeNothing reports whether what exists isn't the object's: all creations that it has tried since it took the reservation have changed
// nothing, or another one has taken the reservation since. It is false for one that never held it: a previous process may have created the
// resource.
func (r Reservation) MadeNothing() bool {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	held, uid := r.all.holders[r.identity], r.obj.GetUID()
	return held.overtaken[uid] || held.holder == uid && !held.unclear && !held.asked
}

// Disproves reports whether the object, which has begun, owns nothing all the same. While another one still holds the reservation, that may
// turn out to make nothing.
func (r Reservation) Disproves() bool {
	holder := r.now().holder
	return (holder == "" || holder == r.obj.GetUID()) && onlyAttempted(r.obj) && r.MadeNothing()
}

// Release ends the reservation of the object, if it holds it.
func (r Reservation) Release() {
	r.all.mu.Lock()
	defer r.all.mu.Unlock()
	held, reserved := r.all.holders[r.identity]
	delete(held.overtaken, r.obj.GetUID())
	if held.holder == r.obj.GetUID() {
		held = hold{overtaken: held.overtaken}
	}
	switch {
	case held.holder == "" && len(held.overtaken) == 0:
		delete(r.all.holders, r.identity)
	case reserved:
		r.all.holders[r.identity] = held
	}
}
