package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine/postgres/process"
)

const (
	// pollEvery is how often a starting server is asked whether it is ready.
	pollEvery = 10 * time.Millisecond
	// portAttempts bounds the search for a port that nobody grabs meanwhile.
	portAttempts = 5
	// logTail is how many bytes of a log go into an error.
	logTail = 2048
	// socketLimit is the longest path of a Unix socket on any system we know.
	socketLimit = 103
)

// daemon is a server process and the file it logs to.
type daemon struct {
	*process.Process
	log string
}

func startDaemon(cmd *exec.Cmd, log string, onParentDeath syscall.Signal) (*daemon, error) {
	// Each attempt has a log of its own, or the search for a port would read old errors.
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	cmd.Stdout, cmd.Stderr = file, file
	child, err := process.Start(cmd, onParentDeath)
	// The child has its own handle by now.
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return &daemon{Process: child, log: log}, nil
}

// alive is false for a process that has ended, and for nil.
func (d *daemon) alive() bool {
	if d == nil {
		return false
	}
	select {
	case <-d.Done():
		return false
	default:
		return true
	}
}

// said tells whether the log holds this text beyond the first bytes.
func (d *daemon) said(text string, after int) bool {
	content, err := os.ReadFile(d.log)
	return err == nil && len(content) >= after && strings.Contains(string(content[after:]), text)
}

// failure is an error with the end of the log.
func (d *daemon) failure(what string) error {
	content, err := os.ReadFile(d.log)
	if err != nil {
		return fmt.Errorf("%s, and its log is gone: %w", what, err)
	}
	return fmt.Errorf("%s; its log ends with: %s", what, strings.TrimSpace(string(content[max(0, len(content)-logTail):])))
}

// wait polls until ready. It fails once the process has ended or ctx is done.
func (d *daemon) wait(ctx context.Context, ready func() bool) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for !ready() {
		select {
		case <-tick.C:
		case <-d.Done():
			return d.failure("the server ended with " + d.State())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// onFreePort starts a server on a port that was free a moment ago, and tries
// others if someone was faster. It returns once the server is ready; a server
// that doesn't get there is stopped.
func onFreePort(
	ctx context.Context,
	start func(port int) (*daemon, error),
	ready func(ctx context.Context, port int, d *daemon) bool,
) (*daemon, int, error) {
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return nil, 0, err
		}
		d, err := start(port)
		if err != nil {
			return nil, 0, err
		}
		err = d.wait(ctx, func() bool { return ready(ctx, port, d) })
		if err == nil {
			return d, port, nil
		}
		d.Stop(ctx, syscall.SIGQUIT)
		if ctx.Err() != nil || attempt == portAttempts || !d.said("Address already in use", 0) {
			return nil, 0, err
		}
	}
}

func freePort() (int, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(host)})
	if err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("looking for a free port: %v has none", listener.Addr())
	}
	return address.Port, nil
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
