// Command record makes the recording in the README: it types commands at the programs of make run, and draws what they print, with
// the times at which they print it, as an animated picture.
//
//	record [--bin DIR] [--out FILE]
//
// The module svg-term of npm draws such pictures, too, but has no still form for readers who want no motion, and needs Node.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	startTimeout   = 3 * time.Minute
	commandTimeout = 2 * time.Minute
	endTimeout     = time.Minute
)

func main() {
	bin := flag.String("bin", "", "`folder` of the programs")
	out := flag.String("out", "", "`file` of the picture")
	flag.Parse()
	ctx, cancel := process.Interruptible(context.Background())
	defer cancel(nil)
	if err := record(ctx, *bin, *out); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// record types the session, and writes the picture of it.
func record(ctx context.Context, bin, out string) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return fmt.Errorf("finding the programs: %w", err)
	}
	temp, err := os.MkdirTemp("", "aero-record-*")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	run := exec.Command(filepath.Join(bin, "demo"), "--run", "--bin", bin, "--root", filepath.Dir(bin))
	demo, err := process.Launch("make run", filepath.Join(temp, "demo.log"), run, syscall.SIGTERM)
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	entries, err := typeAt(ctx, demo, bin, temp)
	if err := errors.Join(err, demo.End(endTimeout), os.RemoveAll(temp)); err != nil {
		return err
	}
	if err := os.WriteFile(out, []byte(draw(entries)), 0o644); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

// typeAt types the session at a demo, once it waits for commands.
func typeAt(ctx context.Context, demo *process.Program, bin, temp string) ([]entry, error) {
	kubeconfig := ""
	started, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := demo.Await(started, func(context.Context) error {
		printed, err := os.ReadFile(demo.Log)
		if err != nil {
			return fmt.Errorf("reading what it prints: %w", err)
		}
		// The path of the programs is printed behind that of the kubeconfig.
		_, rest, found := strings.Cut(string(printed), "export KUBECONFIG=")
		if !found || !strings.Contains(rest, "export PATH=") {
			return errors.New("it doesn't wait for commands yet")
		}
		kubeconfig, _, _ = strings.Cut(rest, "\n")
		return nil
	})
	if err != nil {
		return nil, err
	}
	return session(ctx, filepath.Join(filepath.Dir(bin), "docs", "examples"), append(os.Environ(),
		"KUBECONFIG="+kubeconfig, "PATH="+strings.Join([]string{bin, filepath.Join(bin, "k8s"), os.Getenv("PATH")}, ":"),
		"AIVEN_TOKEN=any", "KUBECACHEDIR="+temp, "KUBERC=off", "PAGER=cat", "NO_COLOR=1",
	))
}
