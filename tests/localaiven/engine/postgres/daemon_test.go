package postgres

import (
	"context"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnFreePort(t *testing.T) {
	cases := map[string]struct {
		scripts  []string
		attempts int
		fails    string
	}{
		"a server that gets its port is started once": {
			scripts: []string{"echo listening; exec sleep 60"}, attempts: 1,
		},
		"a server whose port is taken tries another": {
			scripts: []string{"echo Address already in use; exit 1", "echo listening; exec sleep 60"}, attempts: 2,
		},
		"a server that fails otherwise is not tried again, and its log says why": {
			scripts: []string{"echo broken; exit 3"}, attempts: 1, fails: "exit status 3; its log ends with: broken",
		},
		"the search for a port ends": {
			scripts: []string{"echo Address already in use; exit 1"}, attempts: portAttempts, fails: "in use",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			attempts := 0
			start := func(int) (*daemon, error) {
				script := tc.scripts[min(attempts, len(tc.scripts)-1)]
				attempts++
				return startDaemon(exec.Command("sh", "-c", script), filepath.Join(t.TempDir(), "log"), syscall.SIGKILL)
			}
			ready := func(_ context.Context, _ int, d *daemon) bool { return d.said("listening", 0) }
			d, port, err := onFreePort(t.Context(), start, ready)
			assert.Equal(t, tc.attempts, attempts)
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				return
			}
			require.NoError(t, err)
			assert.Positive(t, port)
			d.Stop(t.Context())
			assert.False(t, d.alive())
		})
	}
}

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"15": 15, "15.4": 15, "pgsql-16": 16, "postgresql@17": 17, "": 0, "usr": 0} {
		assert.Equal(t, want, major(version), "of %q", version)
	}
}

func TestVerifies(t *testing.T) {
	stored, err := verifier("pass:w$rd")
	require.NoError(t, err)
	assert.True(t, verifies(stored, "pass:w$rd"))
	assert.False(t, verifies(stored, "password"))
	assert.False(t, verifies("md5abc", "password"))
	again, err := verifier("pass:w$rd")
	require.NoError(t, err)
	assert.NotEqual(t, stored, again, "the salt is random")
}
