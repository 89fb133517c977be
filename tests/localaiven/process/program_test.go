package process_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

var errNotYet = errors.New("not yet")

// launch starts a script that gets no input and ends with the test.
func launch(t *testing.T, script string) *process.Program {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	// What scripts wait for that read: a line that never comes.
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	p, err := process.Launch("the script", filepath.Join(t.TempDir(), "log"), cmd, syscall.SIGKILL)
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p
}

// untilReady is what the script says it is ready with.
func untilReady(t *testing.T, p *process.Program) (rest string) {
	t.Helper()
	require.NoError(t, p.Await(t.Context(), func(context.Context) error {
		var said bool
		if rest, said = p.Ready(); !said {
			return errNotYet
		}
		return nil
	}))
	return rest
}

func TestAProgramIsReadyWhenItSaysSoAndEndsOnRequest(t *testing.T) {
	p := launch(t, "trap 'exit 0' TERM; echo starting; echo ready http://here; while :; do read -r _; done")
	failed := make(chan error, 1)
	p.Watch(func(err error) { failed <- err })
	assert.Equal(t, "http://here", untilReady(t, p))
	require.NoError(t, p.End(time.Minute))
	require.NoError(t, p.End(time.Minute), "a second time is no failure")
	require.NoError(t, p.Death())
	assert.Empty(t, failed)
	assert.Equal(t, []string{"starting", "ready http://here"}, p.Lines(8))
}

func TestAProgramThatDoesNotHeedIsKilled(t *testing.T) {
	p := launch(t, "trap '' TERM; echo ready; while :; do read -r _; done")
	untilReady(t, p)
	require.EqualError(t, p.End(time.Millisecond), "the script had to be killed: it didn't stop within 1ms")
	assert.Equal(t, "signal: killed", p.State())
}

func TestAProgramThatEndsByItselfIsAFailureWithTheEndOfItsLog(t *testing.T) {
	p := launch(t, "seq 20; exit 3")
	failed := make(chan error, 1)
	p.Watch(func(err error) { failed <- err })
	select {
	case err := <-failed:
		require.EqualError(t, err, "the script ended by itself (exit status 3)")
	case <-time.After(time.Minute):
		t.Fatal("not noticed")
	}
	assert.Equal(t, []string{"19", "20"}, p.Lines(2))
	err := p.Await(t.Context(), func(context.Context) error { return errNotYet })
	require.ErrorContains(t, err, "the script ended by itself (exit status 3)\nlast lines of "+p.Log+":\n  6\n  7\n")
	var death *process.DeathError
	require.ErrorAs(t, err, &death)
	assert.Same(t, p, death.Program)
	require.NoError(t, p.Explain(nil))
}

func TestATimeoutNamesWhatIsStillMissing(t *testing.T) {
	p := launch(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	notYet := func(context.Context) error { cancel(); return errNotYet }
	err := p.Await(ctx, notYet)
	require.EqualError(t, err, "waiting for the script: context canceled: not yet")
	require.ErrorIs(t, err, context.Canceled)
	err = p.Await(ctx, notYet)
	require.EqualError(t, err, "waiting for the script: context canceled: not checked yet")
}

func TestAProgramThatWasNeverStartedEnds(t *testing.T) {
	var p *process.Program
	require.NoError(t, p.End(time.Minute))
}
