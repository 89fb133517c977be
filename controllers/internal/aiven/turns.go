package aiven

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

const (
	// lateness is how long after its time a request keeps its place in the queue: longer than the watch takes between two
	// polls at a low rate. What doesn't come back by then doesn't need its call any longer.
	lateness = 5 * time.Minute
	// punctual is how long after its time the others wait for it.
	punctual = 2 * time.Second
	// overtakes is how many calls with priority come before one in the background that waits. So polls get a third of the
	// rate at least, however many deletions and edits there are.
	overtakes = 2
	// maxTurns bounds the memory. What is beyond it gets no place, and asks again.
	maxTurns = 50_000
)

// turn is a request's place in the queue of a rate limiter.
type turn struct {
	request  uint64
	priority bool
	number   int       // in its line
	due      time.Time // when it was asked to come back
	late     bool      // the others don't wait for it
	index    int       // in the heap
}

// ends is until when the turn stays as it is.
func (t *turn) ends() time.Time {
	if t.late {
		return t.due.Add(lateness)
	}
	return t.due.Add(punctual)
}

// turns are the requests that wait, in two lines: with priority, and in the background. Requests wait in the work queue, and
// not in here. One that asks again early keeps its place, and moves no other. All operations are O(log n).
type turns struct {
	waiting    map[uint64]*turn
	urgent     line
	background line
	ending     ending
	overtaken  int // calls with priority since the latest one in the background, while others waited there; at most overtakes
}

func (q *turns) line(priority bool) *line {
	if priority {
		return &q.urgent
	}
	return &q.background
}

// ahead is how many requests come before one, in its line and in the other line. Those that are late don't.
func (q *turns) ahead(request uint64, priority bool) (own, others int) {
	t := q.waiting[request]
	priority = priority || t != nil && t.priority
	own = q.line(priority).punctual
	if t != nil && t.priority == priority {
		own = q.line(priority).before(t.number)
	}
	if priority {
		return own, min(q.background.punctual, (own+q.overtaken)/overtakes)
	}
	return own, min(q.urgent.punctual, (own+1)*overtakes-q.overtaken)
}

// favored reports whether the next call is one in the background.
func (q *turns) favored() bool { return q.overtaken == overtakes }

// keep gives a request its place, until it is late.
func (q *turns) keep(request uint64, priority bool, due time.Time) {
	t := q.waiting[request]
	if t != nil && priority && !t.priority {
		q.remove(t)
		t = nil
	}
	if t == nil {
		if len(q.waiting) >= maxTurns {
			return
		}
		t = q.join(request, priority)
	}
	if t.late {
		t.late = false
		q.line(t.priority).add(t.number, 1)
	}
	t.due = due
	heap.Fix(&q.ending, t.index)
}

// join puts a request at the end of its line.
func (q *turns) join(request uint64, priority bool) *turn {
	l := q.line(priority)
	if l.last+1 >= len(l.sums) {
		q.renumber(priority)
	}
	l.last++
	t := &turn{request: request, priority: priority, number: l.last, late: true} // until it is kept
	if q.waiting == nil {
		q.waiting = map[uint64]*turn{}
	}
	q.waiting[request] = t
	heap.Push(&q.ending, t)
	return t
}

// renumber drops the numbers of those that have left a line.
func (q *turns) renumber(priority bool) {
	var members []*turn
	for _, t := range q.waiting {
		if t.priority == priority {
			members = append(members, t)
		}
	}
	slices.SortFunc(members, func(a, b *turn) int { return cmp.Compare(a.number, b.number) })
	l := q.line(priority)
	*l = newLine(2*len(members) + 64)
	for _, t := range members {
		l.last++
		t.number = l.last
		if !t.late {
			l.add(t.number, 1)
		}
	}
}

// served ends the turn of a request that is made now.
func (q *turns) served(request uint64, priority bool) {
	if t := q.waiting[request]; t != nil {
		q.remove(t)
	}
	switch {
	case !priority:
		q.overtaken = 0
	case q.background.punctual > 0:
		q.overtaken = min(overtakes, q.overtaken+1)
	}
}

func (q *turns) remove(t *turn) {
	if !t.late {
		q.line(t.priority).add(t.number, -1)
	}
	delete(q.waiting, t.request)
	heap.Remove(&q.ending, t.index)
}

// expire drops the requests that didn't come back, and lets others pass those that are late.
func (q *turns) expire(now time.Time) {
	for len(q.ending) > 0 && now.After(q.ending[0].ends()) {
		t := q.ending[0]
		if t.late {
			q.remove(t)
			continue
		}
		t.late = true
		q.line(t.priority).add(t.number, -1)
		heap.Fix(&q.ending, t.index)
	}
}

// line counts the punctual requests of a line, by their numbers: a Fenwick tree.
type line struct {
	punctual int
	last     int // the highest number
	sums     []int
}

func newLine(numbers int) line { return line{sums: make([]int, numbers)} }

func (l *line) add(number, n int) {
	l.punctual += n
	for ; number < len(l.sums); number += number & -number {
		l.sums[number] += n
	}
}

// before is how many have a lower number.
func (l *line) before(number int) (n int) {
	for number--; number > 0; number -= number & -number {
		n += l.sums[number]
	}
	return n
}

// ending is a heap of turns: the first one is the next that changes.
type ending []*turn

func (e ending) Len() int           { return len(e) }
func (e ending) Less(i, j int) bool { return e[i].ends().Before(e[j].ends()) }

func (e ending) Swap(i, j int) {
	e[i], e[j] = e[j], e[i]
	e[i].index, e[j].index = i, j
}

// Push implements heap.Interface.
func (e *ending) Push(x any) {
	t, _ := x.(*turn)
	t.index = len(*e)
	*e = append(*e, t)
}

// Pop implements heap.Interface.
func (e *ending) Pop() any {
	last := len(*e) - 1
	t := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	return t
}
