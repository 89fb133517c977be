package connection

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// resetPause is how long credentials that a reset has returned are published again when they are lost, instead of another
// reset: each takes those away that are in use.
const resetPause = 10 * time.Minute

// Returned remembers the credentials that the latest write at Aiven has returned for an owner: until they are published, and
// after a reset for resetPause. A restart forgets them, which costs a reset. It is safe for concurrent use, and nil remembers nothing.
type Returned struct {
	// Now is the clock.
	Now func() time.Time

	mu     sync.Mutex
	latest map[types.UID]returned
}

type returned struct {
	details Info
	reset   bool
	until   time.Time // zero before they are published
}

// Record replaces what is remembered of an owner by what a write at Aiven has returned.
func (r *Returned) Record(owner types.UID, details Info, reset bool) {
	r.Forget(owner)
	if r == nil || len(details.Keep) == 0 || details.Empty() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.latest == nil {
		r.latest = map[types.UID]returned{}
	}
	r.latest[owner] = returned{details: details, reset: reset}
}

// Forget is for the moment before a write at Aiven, whose answer may be lost, and for the end of an owner.
func (r *Returned) Forget(owner types.UID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.latest, owner)
}

// published ends what is remembered, or dates its end.
func (r *Returned) published(owner types.UID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	latest, known := r.latest[owner]
	switch {
	case !known || !latest.until.IsZero():
	case latest.reset:
		latest.until = r.Now().Add(resetPause)
		r.latest[owner] = latest
	default:
		delete(r.latest, owner)
	}
}

// of returns what is remembered of an owner, by key of Info.Keep and the id of the resource.
func (r *Returned) of(owner types.UID) func(key, issuedFor string) (string, bool) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	latest, known := r.latest[owner]
	if known && !latest.until.IsZero() && !r.Now().Before(latest.until) {
		delete(r.latest, owner)
		known = false
	}
	if !known {
		return nil
	}
	return func(key, issuedFor string) (string, bool) {
		value, ok := latest.details.Prefixed()[key]
		return value, ok && latest.details.IssuedFor == issuedFor
	}
}
