package event

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// occurrence is an event that happened to an object.
type occurrence struct {
	Event

	regarding corev1.ObjectReference
	at        time.Time // for the first time
	last      time.Time
	times     int32
}

// queue has the occurrences that wait to be written, the oldest first. It isn't safe for concurrent use.
type queue struct {
	waiting []*occurrence
	latest  map[corev1.ObjectReference]*occurrence // of each object that has one
}

// add returns the occurrence that there is no room for: a normal one makes room for a warning. It is nil if all fit.
func (q *queue) add(o *occurrence, delay time.Duration) *occurrence {
	before := q.latest[o.regarding]
	if before != nil && o.at.Sub(before.at) < delay && before.absorbs(o) {
		return nil
	}
	var dropped *occurrence
	if len(q.waiting) >= queueSize {
		if dropped = q.makeRoom(o); dropped == o {
			return o
		}
	}
	if q.latest == nil {
		q.latest = map[corev1.ObjectReference]*occurrence{}
	}
	q.waiting, q.latest[o.regarding] = append(q.waiting, o), o
	return dropped
}

// makeRoom removes the oldest normal occurrence for a warning, and returns what there is no room for.
func (q *queue) makeRoom(o *occurrence) *occurrence {
	if o.Type != corev1.EventTypeWarning {
		return o
	}
	i := slices.IndexFunc(q.waiting, func(w *occurrence) bool { return w.Type != corev1.EventTypeWarning })
	if i < 0 {
		return o
	}
	dropped := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.forget(dropped)
	return dropped
}

// forget removes an occurrence that no longer waits from the latest.
func (q *queue) forget(o *occurrence) {
	if q.latest[o.regarding] == o {
		delete(q.latest, o.regarding)
	}
}

// due is when the oldest occurrence is to be written. It is false if there is none.
func (q *queue) due(delay time.Duration) (time.Time, bool) {
	if len(q.waiting) == 0 {
		return time.Time{}, false
	}
	return q.waiting[0].at.Add(delay), true
}

// crowded reports whether occurrences might have to be dropped.
func (q *queue) crowded() bool { return len(q.waiting) > queueSize/2 }

// pop removes the oldest occurrence. There must be one.
func (q *queue) pop() *occurrence {
	o := q.waiting[0]
	q.waiting[0] = nil // the array behind may live long
	q.waiting = q.waiting[1:]
	q.forget(o)
	return o
}

// absorbs makes one occurrence of two of the same object, if one event can show both.
func (o *occurrence) absorbs(next *occurrence) bool {
	if o.Event == next.Event {
		o.times, o.last = o.times+1, next.at
		return true
	}
	note := o.Note + ". " + next.Note
	isNormal := o.Type == corev1.EventTypeNormal && next.Type == corev1.EventTypeNormal
	if !isNormal || o.times > 1 || len(note) > maxNote {
		return false
	}
	o.Event, o.last = next.Event, next.at
	o.Note = note
	return true
}
