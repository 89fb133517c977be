package hugepages

import (
	"syscall"
	"unsafe"
)

// arena is the unit in which Go maps its heap, in bytes, at addresses that are multiples of it.
const arena = 64 << 20

func init() {
	begin := unsafe.SliceData(make([]byte, 1<<20))
	// An error leaves the pages as they are.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(unsafe.Pointer(begin))&^(arena-1), arena, syscall.MADV_HUGEPAGE)
}

func advise(heap []byte) {
	_ = syscall.Madvise(heap, syscall.MADV_HUGEPAGE) // as above
}
