package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/engine/postgres/process"
)

const (
	// stopTime is what a program gets for a clean end.
	stopTime = 15 * time.Second
	// tailLines is how much of a program's log is shown when it has failed.
	tailLines = 8
)

// program is a running program. It ends with the bench at the latest, on Linux even if that is killed.
type program struct {
	title   string // what people call it
	log     string // file of all that it prints
	proc    *process.Process
	stopped atomic.Bool // it was told to end
}

// launch starts a program. It calls failed should the program end by itself.
func launch(title, log string, cmd *exec.Cmd, failed func(error)) (*program, error) {
	p := &program{title: title, log: log}
	file, err := os.Create(log)
	if err != nil {
		return nil, fmt.Errorf("creating a log: %w", err)
	}
	cmd.Stdout, cmd.Stderr = file, file
	p.proc, err = process.Start(cmd, syscall.SIGTERM)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	go func() {
		<-p.proc.Done()
		if !p.stopped.Load() {
			failed(fmt.Errorf("%s ended by itself (%s); its log ends with:\n%s", p.title, p.proc.State(), p.tail()))
		}
	}()
	return p, nil
}

// stop ends the program and waits until it is gone. It fails when the program had to be killed. A program that was never
// started is stopped.
func (p *program) stop() error {
	if p == nil {
		return nil
	}
	p.stopped.Store(true)
	p.proc.Signal(syscall.SIGTERM)
	select {
	case <-p.proc.Done():
		return nil
	case <-time.After(stopTime):
	}
	p.proc.Stop(context.Background(), syscall.SIGKILL)
	return fmt.Errorf("%s had to be killed: it didn't stop within %s", p.title, stopTime)
}

func (p *program) tail() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// ready waits for the line that says so, and returns what else is on it.
func (p *program) ready(ctx context.Context) (string, error) {
	rest := ""
	err := until(ctx, p.title+" to start", func(context.Context) (bool, error) {
		content, err := os.ReadFile(p.log)
		if err != nil {
			return false, fmt.Errorf("reading its log: %w", err)
		}
		for line := range strings.Lines(string(content)) {
			text, said := strings.CutPrefix(line, "ready")
			if said && strings.HasSuffix(line, "\n") {
				rest = strings.TrimSpace(text)
				return true, nil
			}
		}
		return false, nil
	})
	return rest, err
}

// command is a program of the bin folder. What somebody has set for a real operator is not meant for this one.
func (o *options) command(name string, args []string, env ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(o.bin, name), args...)
	cmd.Env = append(os.Environ(), "DEFAULT_AIVEN_TOKEN=", "WATCHED_NAMESPACES=", "LOG_LEVEL=")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}
