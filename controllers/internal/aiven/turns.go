package aiven

import (
	"hash/maphash"
	"io"
	"net/http"
	"slices"
	"time"
)

// lateness is how long after its time a request keeps its place in the queue: longer than the watch takes between two polls
// at a low rate. What doesn't come back by then doesn't need its call any longer.
const lateness = 5 * time.Minute

// requestSeed makes the keys of requests worthless outside of this process.
var requestSeed = maphash.MakeSeed()

// turn is a request's place in the queue of a rate limiter.
type turn struct {
	request  uint64
	priority bool
	expires  time.Time
}

// turns are the requests that wait, in the order in which they will be made: those with priority come first. Requests wait
// in the work queue, and not in here. One that asks again early keeps its place, and moves nobody else's.
type turns []turn

// ahead is how many requests come before one, and where in the queue it is or would be.
func (q turns) ahead(request uint64, priority bool) (place int, waits bool) {
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

// keep gives a request its place, until it is late.
func (q *turns) keep(request uint64, priority bool, due time.Time) {
	place, waits := q.ahead(request, priority)
	if !waits {
		q.leave(request) // a background request that gets priority
		*q = slices.Insert(*q, place, turn{request: request, priority: priority})
	}
	(*q)[place].expires = due.Add(lateness)
}

func (q *turns) leave(request uint64) {
	*q = slices.DeleteFunc(*q, func(t turn) bool { return t.request == request })
}

// expire drops the requests that didn't come back.
func (q *turns) expire(now time.Time) {
	*q = slices.DeleteFunc(*q, func(t turn) bool { return now.After(t.expires) })
}

// keyOf tells requests apart, so that whoever asks for the same read shares its turn.
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
