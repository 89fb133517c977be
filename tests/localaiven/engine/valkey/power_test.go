package valkey_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
)

func TestAStoppedServerResumesWithAllItHad(t *testing.T) {
	s := start(t)
	reader := alice
	reader.Access = engine.Access{Keys: []string{"app:*"}, Categories: []string{"+@read"}}
	require.NoError(t, s.Users().Set(t.Context(), reader))
	require.NoError(t, s.login(t, admin).Set(t.Context(), "app:1", "kept", 0).Err())

	for range 2 {
		before := s.login(t, admin)
		require.NoError(t, s.Stop(t.Context()))
		require.NoError(t, s.Stop(t.Context()), "stopping twice is fine")
		assert.Empty(t, enginetest.Processes(t, s.dir))
		assert.DirExists(t, s.dir)
		require.Error(t, before.Ping(t.Context()).Err(), "no listener")
		require.Error(t, s.Users().Set(t.Context(), alice))

		require.NoError(t, s.Resume(t.Context()))
		require.NoError(t, s.Resume(t.Context()), "resuming twice is fine")
		conn := s.login(t, reader)
		assert.Equal(t, "kept", conn.Get(t.Context(), "app:1").Val())
		require.ErrorContains(t, conn.Set(t.Context(), "app:1", "x", 0).Err(), "NOPERM", "it still may read only")
		require.ErrorContains(t, conn.Get(t.Context(), "other").Err(), "NOPERM")
	}

	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, s.Close(t.Context()))
	assert.NoDirExists(t, s.dir)
	require.Error(t, s.Resume(t.Context()), "closing is the end")
}
