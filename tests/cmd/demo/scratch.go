package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	scratchPattern = "aero-demo-*"
	// settleTime is longer than any demo needs to lock the folder that it has created.
	settleTime = time.Minute
)

// scratch is the one folder of a demo. It is locked as long as the demo runs.
type scratch struct {
	path string
	lock *os.File
}

// newScratch also removes the folders of demos that were killed.
func newScratch() (*scratch, error) {
	sweep()
	path, err := os.MkdirTemp("", scratchPattern)
	if err != nil {
		return nil, fmt.Errorf("creating a folder for temporary files: %w", err)
	}
	lock, err := lockFolder(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), os.RemoveAll(path))
	}
	return &scratch{path: path, lock: lock}, nil
}

// file is a path in the folder.
func (s *scratch) file(name string) string { return filepath.Join(s.path, name) }

// remove removes the folder with all that is in it.
func (s *scratch) remove() error {
	if err := errors.Join(os.RemoveAll(s.path), s.lock.Close()); err != nil {
		return fmt.Errorf("removing %s: %w", s.path, err)
	}
	return nil
}

// sweep is a courtesy: what can't be removed stays.
func sweep() {
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), scratchPattern))
	if err != nil {
		return
	}
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settleTime {
			continue
		}
		if lock, err := lockFolder(folder); err == nil {
			_ = os.RemoveAll(folder)
			_ = lock.Close()
		}
	}
}

// lockFolder holds until the file is closed or this process is gone.
func lockFolder(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
