package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// socketLimit is the longest path of a Unix socket on any system we know.
const socketLimit = 103

// SocketFolder makes the folder of a Unix socket in a file of this name: in the data directory, or
// among the temporary files if that path is too long for the kernel.
func SocketFolder(dir, file string) (string, error) {
	fits := func(folder string) bool { return len(filepath.Join(folder, file)) <= socketLimit }
	if folder := filepath.Join(dir, "socket"); fits(folder) {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return "", fmt.Errorf("making the socket's folder: %w", err)
		}
		return folder, nil
	}
	folder, err := os.MkdirTemp("", "engine-*")
	if err != nil {
		return "", fmt.Errorf("making the socket's folder: %w", err)
	}
	if !fits(folder) {
		err := fmt.Errorf("a Unix socket can't have a path as long as that of %s", folder)
		return "", errors.Join(err, os.Remove(folder))
	}
	return folder, nil
}
