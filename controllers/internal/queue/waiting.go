package queue

import "sigs.k8s.io/controller-runtime/pkg/reconcile"

// request is one that is held.
type request struct {
	reconcile.Request

	priority int
	number   int // in the order in which they were held
	index    int // in the heap
}

func (r *request) before(other *request) bool {
	if r.priority != other.priority {
		return r.priority > other.priority
	}
	return r.number < other.number
}

// waiting is a heap of requests of one namespace: the first one is the next.
type waiting []*request

func (w waiting) before(other waiting) bool { return w[0].before(other[0]) }

func (w waiting) Len() int           { return len(w) }
func (w waiting) Less(i, j int) bool { return w[i].before(w[j]) }

func (w waiting) Swap(i, j int) {
	w[i], w[j] = w[j], w[i]
	w[i].index, w[j].index = i, j
}

// Push implements heap.Interface.
func (w *waiting) Push(x any) {
	r, _ := x.(*request)
	r.index = len(*w)
	*w = append(*w, r)
}

// Pop implements heap.Interface.
func (w *waiting) Pop() any {
	last := len(*w) - 1
	r := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	return r
}
