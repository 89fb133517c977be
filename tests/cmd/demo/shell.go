package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

// enter shows a command line, runs it, and shows what it prints.
func (d *demo) enter(ctx context.Context, line string) error {
	d.command(line)
	text, err := d.shell(ctx, line)
	if err != nil {
		return fmt.Errorf("`%s`: %w: %s", line, err, strings.TrimSpace(text))
	}
	d.output(text)
	return nil
}

// refused is enter for a command line that must fail.
func (d *demo) refused(ctx context.Context, line string) error {
	d.command(line)
	text, err := d.shell(ctx, line)
	if err == nil {
		return fmt.Errorf("`%s` was not refused: %s", line, strings.TrimSpace(text))
	}
	d.output(text)
	return nil
}

// shell runs a command line in the project's folder and returns all that it prints. It fails when the command does.
func (d *demo) shell(ctx context.Context, line string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = d.root, &out, &out
	cmd.Env = append(os.Environ(),
		"KUBECONFIG="+d.kubeconfig(),
		"PATH="+filepath.Join(d.bin, "k8s")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		// The person's own kubectl is neither read nor written.
		"KUBECACHEDIR="+d.scratch.File("kubectl"), "KUBERC=off",
	)
	proc, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return "", err
	}
	select {
	case <-proc.Done():
	case <-ctx.Done():
		// The group, since a pipeline is several processes.
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return "", fmt.Errorf("stopping the command: %w", err)
		}
		<-proc.Done()
		return "", context.Cause(ctx)
	}
	if !cmd.ProcessState.Success() {
		return out.String(), errors.New(proc.State())
	}
	return out.String(), nil
}
