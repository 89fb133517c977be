// Package enginetest has what the tests of engines made of processes have in common.
package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// Processes are the ids of those that work below a folder, even a removed one.
func Processes(t testing.TB, dir string) []int {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	var ids []int
	for _, proc := range found {
		// A process that has just ended, or is a zombie, has no folder.
		folder, err := os.Readlink(filepath.Join(proc, "cwd"))
		if err != nil || !strings.HasPrefix(folder, dir) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(proc))
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// GivesUp cancels a start once there is a file in the data directory, or at once if none is named: no process may be left
// then, and no folder.
func GivesUp(t *testing.T, e engine.Engine, spec engine.Spec, file string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var watch sync.WaitGroup
	watch.Go(func() {
		for file != "" && ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(spec.DataDir, file)); err == nil {
				break
			}
		}
		cancel()
	})
	_, err := e.Start(ctx, spec)
	cancel()
	watch.Wait()
	require.ErrorIs(t, err, context.Canceled)
	// The kernel closes the files of a killed process, which ends the wait for it, before it gives up the process's folder.
	assert.Eventually(t, func() bool { return len(Processes(t, spec.DataDir)) == 0 }, time.Minute, 10*time.Millisecond)
	assert.NoDirExists(t, spec.DataDir)
}

// RefusesUsed starts in a folder that has something in it, which must be refused, and must stay there.
func RefusesUsed(t *testing.T, e engine.Engine, spec engine.Spec) {
	t.Helper()
	keep := filepath.Join(spec.DataDir, "keep")
	require.NoError(t, os.MkdirAll(keep, 0o700))
	_, err := e.Start(t.Context(), spec)
	require.ErrorContains(t, err, "isn't empty")
	assert.DirExists(t, keep)
}
