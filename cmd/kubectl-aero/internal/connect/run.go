package connect

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// killAfter is how long a client may take to end when it has to.
const killAfter = 10 * time.Second

// InFolder calls a function with a folder that only the caller can read, and removes it afterwards. An interrupt or a quit, Ctrl-C or Ctrl-\, is
// for the client, which has the same terminal: it must not end this program before its files are removed. Its other signals end the context.
func InFolder(ctx context.Context, work func(ctx context.Context, folder string) error) error {
	folder, err := os.MkdirTemp("", "kubectl-aero-")
	if err != nil {
		return fmt.Errorf("making a folder for certificates: %w", err)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGQUIT) // Windows has no quit, and never sends it
	defer signal.Stop(interrupts)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	workErr := work(ctx, folder)
	if err := os.RemoveAll(folder); err != nil && workErr == nil {
		return fmt.Errorf("removing certificates: %w", err)
	}
	return workErr
}

// Run starts the client with more arguments, and waits for its end. A client that fails is an *exec.ExitError.
func (s *Session) Run(ctx context.Context, streams genericiooptions.IOStreams, extra []string) error {
	for name, content := range s.Files {
		if err := os.WriteFile(filepath.Join(s.Folder, name), []byte(content), 0o600); err != nil {
			return fmt.Errorf("writing a certificate: %w", err)
		}
	}
	client := exec.CommandContext(ctx, s.Program, slices.Concat(s.Args, extra)...)
	client.Env = s.environment(os.Environ())
	client.Stdin, client.Stdout, client.Stderr = streams.In, streams.Out, streams.ErrOut
	client.Cancel = func() error { return client.Process.Signal(syscall.SIGTERM) }
	client.WaitDelay = killAfter
	return client.Run()
}

// environment is that of the client.
func (s *Session) environment(own []string) []string {
	all := slices.DeleteFunc(slices.Clone(own), func(variable string) bool {
		return slices.ContainsFunc(s.Drops, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
	for name, value := range s.Env {
		all = append(all, name+"="+value)
	}
	return all
}
