package aiven

import (
	"hash/maphash"
	"io"
	"net/http"
	"slices"
	"time"
)

const (
	// lateness is how long after its time a request keeps its place in the queue: longer than the watch takes between two
	// polls at a low rate. What doesn't come back by then doesn't need its call any longer.
	lateness = 5 * time.Minute
	// punctual is how long after its time the others wait for it.
	punctual = 2 * time.Second
)

// requestSeed makes the keys of requests worthless outside of this process.
var requestSeed = maphash.MakeSeed()

// turn is a request's place in the queue of a rate limiter.
type turn struct {
	request  uint64
	priority bool
	due      time.Time // when it was asked to come back
}

// turns are the requests that wait, in the order in which they will be made: those with priority come first. Requests wait
// in the work queue, and not in here. One that asks again early keeps its place, and moves no other.
type turns []turn

// place is where in the queue a request is, or would be.
func (q turns) place(request uint64, priority bool) (place int, waits bool) {
	last := len(q)
	for i := range q {
		switch {
		case q[i].request == request && (q[i].priority || !priority):
			return i, true
		case priority && !q[i].priority:
			last = min(last, i)
		}
	}
	return last, false
}

// ahead is how many requests come before one. Those that are late don't.
func (q turns) ahead(now time.Time, request uint64, priority bool) int {
	place, _ := q.place(request, priority)
	n := 0
	for _, t := range q[:place] {
		if now.Sub(t.due) <= punctual {
			n++
		}
	}
	return n
}

// keep gives a request its place, until it is late.
func (q *turns) keep(request uint64, priority bool, due time.Time) {
	place, waits := q.place(request, priority)
	if !waits {
		q.leave(request) // a background request that gets priority
		*q = slices.Insert(*q, place, turn{request: request, priority: priority})
	}
	(*q)[place].due = due
}

func (q *turns) leave(request uint64) {
	*q = slices.DeleteFunc(*q, func(t turn) bool { return t.request == request })
}

// expire drops the requests that didn't come back.
func (q *turns) expire(now time.Time) {
	*q = slices.DeleteFunc(*q, func(t turn) bool { return now.Sub(t.due) > lateness })
}

// keyOf distinguishes requests. Objects that ask for the same read share its turn.
func keyOf(req *http.Request) uint64 {
	var hash maphash.Hash
	hash.SetSeed(requestSeed)
	for _, part := range []string{req.Method, req.URL.Path, req.URL.RawQuery} {
		_, _ = hash.WriteString(part) // never fails
		_ = hash.WriteByte(0)
	}
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			_, _ = io.Copy(&hash, body)
			_ = body.Close()
		}
	}
	return hash.Sum64()
}
