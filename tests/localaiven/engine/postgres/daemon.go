package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/aero-operator/aero/tests/process"
)

// socketLimit is the longest path of a Unix socket on any system we know.
const socketLimit = 103

// said fails unless the log of a server holds this text beyond the first bytes.
func said(p *process.Program, text string, after int) error {
	content, err := os.ReadFile(p.Log)
	if err != nil {
		return fmt.Errorf("reading the log: %w", err)
	}
	if !strings.Contains(string(content[min(after, len(content)):]), text) {
		return fmt.Errorf("its log lacks %q", text)
	}
	return nil
}

// socketFolder makes the folder of the Unix socket: in the data directory, or
// among the temporary files if that path is too long for the kernel.
func socketFolder(dir string) (string, error) {
	fits := func(folder string) bool { return len(folder)+len("/.s.PGSQL.65535") <= socketLimit }
	if folder := filepath.Join(dir, "socket"); fits(folder) {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return "", fmt.Errorf("making the socket's folder: %w", err)
		}
		return folder, nil
	}
	folder, err := os.MkdirTemp("", "pg-*")
	if err != nil {
		return "", fmt.Errorf("making the socket's folder: %w", err)
	}
	if !fits(folder) {
		err := fmt.Errorf("a Unix socket can't have a path as long as that of %s", folder)
		return "", errors.Join(err, os.Remove(folder))
	}
	return folder, nil
}

func currentUser() (string, error) {
	current, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("looking up the current user: %w", err)
	}
	return current.Username, nil
}
