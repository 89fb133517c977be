// Package hugepages has the kernel back the heap of a program with huge pages, where it leaves that to programs (madvise in
// /sys/kernel/mm/transparent_hugepage/enabled). A small page that is touched for the first time costs up to 25 µs in a virtual machine:
// a third of the API server's processor time until it serves the CRDs, and two fifths of that of a short kubectl command.
//
// The import serves the first 64 MiB, those that a command needs. A server calls Reserve.
package hugepages
