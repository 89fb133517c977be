package kube

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	tempPattern = "aero-kube-*"
	// settleTime is longer than any control plane needs to lock the folder that
	// it created.
	settleTime = time.Minute
)

// dataDir is the folder of one control plane, locked as long as it is in use.
type dataDir struct {
	path string
	temp bool
	lock *os.File
}

// openDataDir creates and locks the folder. An empty path means a new folder
// for temporary files, which close removes.
func openDataDir(path string) (*dataDir, error) {
	d := &dataDir{path: path, temp: path == ""}
	var err error
	if d.temp {
		sweep()
		if d.path, err = os.MkdirTemp("", tempPattern); err != nil {
			return nil, fmt.Errorf("creating the data folder: %w", err)
		}
	}
	// Programs run with it in their flags, whatever the working folder is then.
	if d.path, err = filepath.Abs(d.path); err != nil {
		return nil, fmt.Errorf("finding the data folder: %w", err)
	}
	for _, sub := range []string{d.etcd(), d.pki(), d.logs()} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			return nil, fmt.Errorf("creating the data folder: %w", err)
		}
	}
	if d.lock, err = lockDir(d.path); err != nil {
		return nil, fmt.Errorf("locking the data folder %s: %w", d.path, err)
	}
	return d, nil
}

func (d *dataDir) etcd() string { return filepath.Join(d.path, "etcd") }
func (d *dataDir) pki() string  { return filepath.Join(d.path, "pki") }
func (d *dataDir) logs() string { return filepath.Join(d.path, "logs") }

// close unlocks the folder, and removes it where it was temporary.
func (d *dataDir) close() error {
	var removed error
	if d.temp {
		removed = os.RemoveAll(d.path)
	}
	if err := errors.Join(removed, d.lock.Close()); err != nil {
		return fmt.Errorf("removing the data folder: %w", err)
	}
	return nil
}

// sweep removes temporary folders whose control plane was killed. It is a
// courtesy: what can't be removed stays.
func sweep() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), tempPattern))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settleTime {
			continue
		}
		if lock, err := lockDir(dir); err == nil {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}

var errLocked = errors.New("another control plane uses it")

// lockDir locks a folder until the file is closed or this process is gone.
func lockDir(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
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
