package main

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestAProgramIsReadyWhenItSaysSoAndEndsWhenTold(t *testing.T) {
	failed := make(chan error, 1)
	cmd := exec.Command("sh", "-c", "trap 'exit 0' TERM; echo starting; echo ready http://here; while :; do read -r _; done")
	// What the script waits for: a line that never comes.
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	p, err := launch("the script", filepath.Join(t.TempDir(), "log"), cmd, func(err error) { failed <- err })
	require.NoError(t, err)
	rest, err := p.ready(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "http://here", rest)
	require.NoError(t, p.stop())
	require.NoError(t, p.stop(), "a second time is no failure")
	assert.Empty(t, failed)
}

func TestAProgramThatEndsByItselfIsAFailureWithTheEndOfItsLog(t *testing.T) {
	failed := make(chan error, 1)
	cmd := exec.Command("sh", "-c", "seq 20; exit 3")
	_, err := launch("the script", filepath.Join(t.TempDir(), "log"), cmd, func(err error) { failed <- err })
	require.NoError(t, err)
	select {
	case err := <-failed:
		require.EqualError(t, err, "the script ended by itself (exit status 3); its log ends with:\n13\n14\n15\n16\n17\n18\n19\n20")
	case <-time.After(time.Minute):
		t.Fatal("nobody noticed")
	}
}

func TestAProgramThatWasNeverStartedIsStopped(t *testing.T) {
	var p *program
	require.NoError(t, p.stop())
}

func TestEveryKindHasAnExampleAndAChange(t *testing.T) {
	o := options{root: filepath.Join("..", "..")}
	for _, k := range allKinds() {
		t.Run(k.name, func(t *testing.T) {
			require.NoError(t, o.read(k.example, k.object))
			if k.prepare != nil {
				k.prepare(k.object)
			}
			before := k.object.DeepCopyObject()
			k.change(k.object)
			assert.NotEqual(t, before, k.object)
		})
	}
	require.Error(t, o.read("database", &v1alpha1.PostgreSQL{}), "fields of another kind")
}
