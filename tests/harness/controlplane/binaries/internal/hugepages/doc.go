// Package hugepages has the kernel back the heap of a program with huge pages, where it leaves that to programs (madvise in
// /sys/kernel/mm/transparent_hugepage/enabled). A small page that is touched for the first time costs up to 25 µs in a virtual machine:
// a third of the API server's processor time until it serves the CRDs, and two fifths of that of a short kubectl command.
//
// The import serves the heap that a command needs. A server calls Reserve.
package hugepages

import "runtime"

const (
	commandHeap = 64 << 20 // bytes
	serverHeap  = 1 << 30  // what the API server has with thirty CRDs
)

func init() { reserve(commandHeap) }

// Reserve maps the heap that a server grows into, for huge pages. None of it takes memory before it is used.
func Reserve() { reserve(serverHeap) }

func reserve(size int) {
	advise(make([]byte, size))
	runtime.GC() // it is free for what comes
}
