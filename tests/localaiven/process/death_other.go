//go:build !linux

package process

import "syscall"

// setParentDeathSignal does nothing: only Linux can signal orphans.
func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
