// Package lag keeps what was true a while ago, for readers that lag behind writes.
package lag

import (
	"slices"
	"time"
)

// History is what something was. Its zero value keeps nothing. Its owner guards it.
type History[T any] struct {
	// Lag is how far readers are behind; zero is not at all.
	Lag  time.Duration
	past []moment[T] // oldest first
}

// moment is what was true from some time on.
type moment[T any] struct {
	since time.Time
	what  T
}

// Remember notes what is true from now on, and forgets what no reader sees any longer. now has to return a copy; without a lag
// it is not called.
func (h *History[T]) Remember(at time.Time, now func() T) {
	if h.Lag == 0 {
		return
	}
	if seen := h.index(at.Add(-h.Lag)); seen > 0 {
		h.past = slices.Delete(h.past, 0, seen)
	}
	h.past = append(h.past, moment[T]{at, now()})
}

// At is what was true at a time, for reading; false before all.
func (h *History[T]) At(at time.Time) (T, bool) {
	i := h.index(at)
	if i < 0 {
		var none T
		return none, false
	}
	return h.past[i].what, true
}

// index is that of the moment that a time belongs to; -1 is before all.
func (h *History[T]) index(at time.Time) int {
	later := slices.IndexFunc(h.past, func(m moment[T]) bool { return m.since.After(at) })
	if later < 0 {
		later = len(h.past)
	}
	return later - 1
}
