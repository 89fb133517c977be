package hugepages

import "runtime"

// heap is how much of a server's heap, in bytes, is backed by huge pages: what the API server has with thirty CRDs. None of it is used
// before it is needed.
const heap = 1 << 30

// Reserve maps the heap that a server grows into, for huge pages.
func Reserve() {
	advise(make([]byte, heap))
	runtime.GC() // it is free for what comes
}
