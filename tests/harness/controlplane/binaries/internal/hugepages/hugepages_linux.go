package hugepages

import (
	"syscall"
	"unsafe"
)

// arena is the unit in which Go reserves its heap, in bytes, at addresses that are multiples of it.
const arena = 64 << 20

// advise asks for huge pages from the begin of the arena on: the program's first objects are there. An error leaves the pages as they are.
func advise(heap []byte) {
	end := uintptr(unsafe.Pointer(unsafe.SliceData(heap))) + uintptr(len(heap))
	begin := (end - uintptr(len(heap))) &^ (arena - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, begin, end-begin, syscall.MADV_HUGEPAGE)
}
