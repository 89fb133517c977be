// Command kubectlclient has a kubectl that is running already run a command, or starts one.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/aero-operator/aero/tests/harness/controlplane/binaries/internal/serve"
)

// short are the subcommands that end by themselves, without ending the process as `auth can-i` does.
var short = []string{"annotate", "api-resources", "apply", "config", "create", "delete", "describe", "events", "explain", "get", "label", "patch", "wait"}

func main() {
	code, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubectlclient:", err)
	}
	os.Exit(code)
}

func run() (int, error) {
	if path := os.Getenv(serve.ServerEnv); path != "" && isShort(os.Args[1:]) {
		code, done, err := serve.Forward(path)
		if err != nil {
			return 1, err
		}
		if done {
			return code, nil
		}
	}
	self, err := os.Executable()
	if err != nil {
		return 1, err
	}
	return 1, syscall.Exec(filepath.Join(filepath.Dir(self), "kubectl"), os.Args, os.Environ())
}

// long are words of commands that may run until they are interrupted, and of those that end the process or take its place.
var long = []string{"-w", "--watch", "--watch-only", "aero", "auth"}

// isShort is whether a command ends by itself.
func isShort(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool { return slices.Contains(long, a) }) && slices.ContainsFunc(args, func(a string) bool { return slices.Contains(short, a) })
}
