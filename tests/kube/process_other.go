//go:build !linux

package kube

import "syscall"

// childAttributes gives a child its own process group, so that Ctrl-C reaches
// only the parent, which then stops the children in order. Only Linux can end
// a child together with a parent that dies without stopping it.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
