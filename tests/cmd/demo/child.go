package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine/postgres/process"
)

const (
	// stopTime is what a program gets for a clean end.
	stopTime = 30 * time.Second
	// tailLines is how much of a program's log is shown when it has failed.
	tailLines = 8
)

// child is one of the three programs that the demo runs.
type child struct {
	title string // what people call it
	log   string // file of all that it prints
	proc  *process.Process
}

// launch starts a program. It prints to a file rather than to a pipe: should the demo be killed, the program must not
// stumble over a closed pipe while it cleans up.
func launch(title, folder, program string, args, env []string) (*child, error) {
	c := &child{title: title, log: filepath.Join(folder, filepath.Base(program)+".log")}
	log, err := os.Create(c.log)
	if err != nil {
		return nil, fmt.Errorf("creating a log: %w", err)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = log, log
	c.proc, err = process.Start(cmd, syscall.SIGTERM)
	return c, errors.Join(err, log.Close())
}

// deathError is the end of a program that nobody told to end.
type deathError struct{ child *child }

func (e *deathError) Error() string {
	return fmt.Sprintf("%s ended by itself (%s)", e.child.title, e.child.proc.State())
}

// stop ends the program and waits until it is gone. It fails when the program had to be killed.
func (c *child) stop() error {
	c.proc.Signal(syscall.SIGTERM)
	select {
	case <-c.proc.Done():
		return nil
	case <-time.After(stopTime):
	}
	c.proc.Stop(context.Background(), syscall.SIGKILL)
	return fmt.Errorf("%s had to be killed: it didn't stop within %s", c.title, stopTime)
}

// lines are the last lines of the program's log.
func (c *child) lines(n int) []string {
	content, err := os.ReadFile(c.log)
	text := strings.TrimSpace(string(content))
	if err != nil || text == "" {
		return nil
	}
	all := strings.Split(text, "\n")
	return all[max(0, len(all)-n):]
}

// ready is what the program printed behind the word ready, and whether it did.
func (c *child) ready() (string, bool) {
	content, err := os.ReadFile(c.log)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(content)) {
		if line, whole := strings.CutSuffix(line, "\n"); whole {
			if rest, found := strings.CutPrefix(line, "ready"); found {
				return strings.TrimSpace(rest), true
			}
		}
	}
	return "", false
}
