package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// commands are what the recording shows: a database from manifests to a query, and a mistake with its explanation.
var commands = []string{
	`kubectl create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"`,
	`kubectl apply -f postgresql.yaml -f database.yaml -f serviceuser.yaml`,
	`kubectl wait --for=condition=Ready --timeout=5m postgresql/my-pg database/orders serviceuser/orders-app`,
	`kubectl aero tree postgresql my-pg`,
	`kubectl aero connect database orders --service-user orders-app -- -c 'SELECT current_user, current_database()'`,
	`kubectl patch postgresql my-pg --type=merge -p '{"spec": {"plan": "startup-400"}}'`,
	`kubectl wait --for=condition=Ready=False postgresql/my-pg`,
	`kubectl aero why postgresql my-pg`,
}

// entry is a command, and what it printed.
type entry struct {
	command string
	lines   []line
}

// line is a line of output, and how long after the start of its command it was printed.
type line struct {
	after time.Duration
	text  string
}

// session types the commands in turn, as far as they succeed.
func session(ctx context.Context, dir string, environment []string) ([]entry, error) {
	var all []entry
	for _, command := range commands {
		lines, err := run(ctx, dir, environment, command)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{command, lines})
	}
	return all, nil
}

// run types one command.
func run(ctx context.Context, dir string, environment []string, command string) ([]line, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	out := &stopwatch{began: time.Now()}
	shell := exec.CommandContext(ctx, "bash", "-c", command)
	shell.Dir, shell.Env, shell.Stdout, shell.Stderr = dir, environment, out, out
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) }
	if err := shell.Run(); err != nil {
		return nil, fmt.Errorf("`%s`: %w: %v", command, err, out.lines)
	}
	return out.lines, nil
}

// stopwatch notes when each line ended. Programs end their last one.
type stopwatch struct {
	began time.Time
	part  []byte
	lines []line
}

func (w *stopwatch) Write(written []byte) (int, error) {
	w.part = append(w.part, written...)
	for {
		text, rest, whole := bytes.Cut(w.part, []byte("\n"))
		if !whole {
			return len(written), nil
		}
		w.lines, w.part = append(w.lines, line{time.Since(w.began), strings.TrimRight(string(text), " ")}), rest
	}
}
