package mysql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
)

func TestAStoppedServerResumesWithAllItHad(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	run(t, s.connect(t, alice, "defaultdb"), "CREATE TABLE notes (note text)", "INSERT INTO notes VALUES ('kept')")

	for range 2 {
		before := s.config(alice, "defaultdb")
		require.NoError(t, s.Stop(t.Context()))
		require.NoError(t, s.Stop(t.Context()), "stopping twice is fine")
		assert.Empty(t, enginetest.Processes(t, s.dir))
		assert.DirExists(t, s.dir)
		_, err := login(t, before)
		require.Error(t, err, "no listener")
		require.Error(t, s.Users().Set(t.Context(), alice))

		require.NoError(t, s.Resume(t.Context()))
		require.NoError(t, s.Resume(t.Context()), "resuming twice is fine")
		assert.Equal(t, "kept", ask[string](t, s.connect(t, alice, "defaultdb"), "SELECT note FROM notes"))
	}

	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, s.Close(t.Context()))
	assert.NoDirExists(t, s.dir)
	require.Error(t, s.Resume(t.Context()), "closing is the end")
}
