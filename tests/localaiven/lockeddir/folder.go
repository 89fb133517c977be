// Package lockeddir gives a process a folder for itself: it is locked until the
// process closes it or is gone, be it by SIGKILL.
package lockeddir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// settleTime is longer than any process needs to lock the folder that it created.
const settleTime = time.Minute

var errLocked = errors.New("another process uses it")

// Folder is a locked folder.
type Folder struct {
	Path string // absolute
	temp bool
	lock *os.File
}

// Temp makes a folder among the temporary files, which Close removes. The
// pattern ends with a star; folders of the same pattern whose processes were
// killed are removed first.
func Temp(pattern string) (*Folder, error) {
	evict(pattern)
	path, err := os.MkdirTemp("", pattern)
	if err != nil {
		return nil, fmt.Errorf("creating a folder for temporary files: %w", err)
	}
	f, err := Open(path)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	f.temp = true
	return f, nil
}

// Open locks a folder, which it makes where there is none. Close leaves it. It
// is an error if another process has it open.
func Open(path string) (*Folder, error) {
	// Programs run with it in their flags, whatever the working folder is then.
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the folder %s: %w", path, err)
	}
	if err := os.MkdirAll(absolute, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder %s: %w", path, err)
	}
	lock, err := lockFolder(absolute)
	if err != nil {
		return nil, fmt.Errorf("locking the folder %s: %w", path, err)
	}
	return &Folder{Path: absolute, lock: lock}, nil
}

// File is a path in the folder.
func (f *Folder) File(name string) string { return filepath.Join(f.Path, name) }

// Close unlocks the folder, and removes one of Temp with all that is in it.
func (f *Folder) Close() error {
	var removed error
	if f.temp {
		removed = os.RemoveAll(f.Path)
	}
	if err := errors.Join(removed, f.lock.Close()); err != nil {
		return fmt.Errorf("removing %s: %w", f.Path, err)
	}
	return nil
}

// evict removes the folders of programs that have ended. What can't be removed stays.
func evict(pattern string) {
	paths, err := filepath.Glob(filepath.Join(os.TempDir(), pattern))
	if err != nil {
		return
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settleTime {
			continue
		}
		if lock, err := lockFolder(path); err == nil {
			_ = os.RemoveAll(path)
			_ = lock.Close()
		}
	}
}

// lockFolder holds until the file is closed or this process is gone.
func lockFolder(path string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return file, nil
}
