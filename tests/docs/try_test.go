package docs

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is longer than all commands of a page take, and shorter than a test may.
const patience = 4 * time.Minute

// block is a piece of shell in a page.
var block = regexp.MustCompile("(?s)```sh\n(.*?)```")

// commands are all that a page tells people to type, in its order.
func commands(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "user", page))
	require.NoError(t, err)
	var all []string
	for _, found := range block.FindAllStringSubmatch(string(text), -1) {
		all = append(all, found[1])
	}
	return all
}

// TestTryLocally types what the page says in a folder of its own, at a port that is free, with what make build has built.
func TestTryLocally(t *testing.T) {
	all := commands(t, "try-locally.md")
	require.Equal(t, "make build\n", all[0])
	dir := t.TempDir()
	for _, name := range []string{"bin", "config", "docs"} {
		target, err := filepath.Abs(filepath.Join("..", "..", name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	script := strings.ReplaceAll("set -eux\n"+strings.Join(all[1:], ""), "127.0.0.1:18080", freeAddress(t))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out bytes.Buffer
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir, shell.Stdout, shell.Stderr = dir, &out, &out
	// What is still running after a failure ends with its group.
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) }
	shell.WaitDelay = 10 * time.Second
	err := shell.Run()
	_ = syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) // an error says that nothing was left
	require.NoError(t, err, out.String()+logs(dir))
	for _, want := range []string{"postgresql.aiven.io/my-pg condition met", `"id":"my-project/my-pg/orders"`, "serviceuser.aiven.io/orders-app condition met"} {
		assert.Contains(t, out.String(), want)
	}
}

// freeAddress is one that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, listener.Close()) }()
	return listener.Addr().String()
}

// logs are the ends of those that the commands have written.
func logs(dir string) string {
	var out strings.Builder
	files, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		out.WriteString("\n" + filepath.Base(file) + ":\n" + string(text[max(0, len(text)-4000):]))
	}
	return out.String()
}
