package postgres_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
)

func TestAStoppedClusterResumesWithAllItHad(t *testing.T) {
	s, pool := pooled(t, engine.Pool{Name: "pool"})
	run(t, s.connect(t, pool, alice, "pool"), create, "INSERT INTO notes (note) VALUES ('kept')")

	for range 2 {
		open, server := s.connect(t, s.Endpoint(), alice, "orders-1"), s.Endpoint()
		require.NoError(t, s.Stop(t.Context()))
		require.NoError(t, s.Stop(t.Context()), "stopping twice is fine")
		require.Error(t, open.Ping(t.Context()))
		assert.Empty(t, enginetest.Processes(t, s.dir))
		assert.DirExists(t, s.dir)
		requireRefused(t, server)
		requireRefused(t, pool)
		require.Error(t, s.Users().Set(t.Context(), alice))
		_, err := s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "orders-1"})
		require.Error(t, err)

		require.NoError(t, s.Resume(t.Context()))
		require.NoError(t, s.Resume(t.Context()), "resuming twice is fine")
		pool, err = s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "orders-1"})
		require.NoError(t, err)
		assert.Equal(t, "kept", ask[string](t, s.connect(t, pool, alice, "pool"), "SELECT note FROM notes"))
	}

	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, s.Close(t.Context()))
	assert.NoDirExists(t, s.dir)
	require.Error(t, s.Resume(t.Context()), "closing is the end")
}

func TestAResumeThatIsGivenUpLeavesItStopped(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Stop(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Resume(ctx), context.Canceled)
	assert.Empty(t, enginetest.Processes(t, s.dir))
	require.NoError(t, s.Resume(t.Context()))
	s.connect(t, s.Endpoint(), admin, "defaultdb")
}

// replica runs a read replica until the end of the test.
func (s *service) replica(t *testing.T) *service {
	t.Helper()
	what, _ := spec(t)
	what.Service, what.CA, what.Source = "copy", s.ca, s.Instance
	what.DataDir = filepath.Join(t.TempDir(), "copy")
	instance, err := shared.Start(t.Context(), what)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, instance.Close(context.Background())) })
	return &service{Instance: instance, dir: what.DataDir, caFile: s.caFile, ca: s.ca}
}

// shows waits until the cluster has a note.
func (s *service) shows(t *testing.T, note string) {
	t.Helper()
	conn := s.connect(t, s.Endpoint(), alice, "defaultdb")
	require.Eventually(t, func() bool {
		return ask[bool](t, conn, "SELECT EXISTS (SELECT FROM notes WHERE note = '"+note+"')")
	}, deadline, moment)
}

// noted has a table, and the user alice.
func noted(t *testing.T) *service {
	t.Helper()
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	run(t, s.connect(t, s.Endpoint(), alice, "defaultdb"), create)
	s.write(t, "first")
	return s
}

func (s *service) write(t *testing.T, note string) {
	t.Helper()
	run(t, s.connect(t, s.Endpoint(), alice, "defaultdb"), "INSERT INTO notes (note) VALUES ('"+note+"')")
}

func (s *service) slots(t *testing.T) int {
	t.Helper()
	return ask[int](t, s.connect(t, s.Endpoint(), admin, "defaultdb"), "SELECT count(*) FROM pg_replication_slots")
}

func TestAReplicaFollowsItsSource(t *testing.T) {
	source := noted(t)
	replica := source.replica(t)
	replica.shows(t, "first")
	source.write(t, "second")
	replica.shows(t, "second")
	conn := replica.connect(t, replica.Endpoint(), alice, "defaultdb")
	_, err := conn.Exec(t.Context(), "INSERT INTO notes (note) VALUES ('mine')")
	require.ErrorContains(t, err, "read-only")
	require.Error(t, replica.Users().Set(t.Context(), engine.Credential{Username: "eve", Password: "x"}))
	pool, err := replica.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "defaultdb"})
	require.NoError(t, err)
	assert.Equal(t, "first", ask[string](t, replica.connect(t, pool, alice, "pool"), "SELECT min(note) FROM notes"))

	third := replica.replica(t)
	source.write(t, "for both")
	third.shows(t, "for both")
	assert.Equal(t, 1, source.slots(t))
	require.NoError(t, third.Close(t.Context()))
	assert.Equal(t, 0, replica.slots(t))
	require.NoError(t, replica.Close(t.Context()))
	assert.Equal(t, 0, source.slots(t), "it leaves nothing at its source")
}

func TestAReplicaOutlivesStopsOfBoth(t *testing.T) {
	source := noted(t)
	replica := source.replica(t)
	require.NoError(t, source.Stop(t.Context()))
	replica.shows(t, "first")
	require.NoError(t, source.Resume(t.Context()))
	source.write(t, "after its own stop")
	replica.shows(t, "after its own stop")

	require.NoError(t, replica.Stop(t.Context()))
	require.NoError(t, source.Stop(t.Context()))
	require.NoError(t, source.Resume(t.Context()))
	source.write(t, "while it was stopped")
	require.NoError(t, replica.Resume(t.Context()))
	replica.shows(t, "while it was stopped")

	require.NoError(t, source.Stop(t.Context()))
	require.NoError(t, replica.Close(t.Context()))
	require.NoError(t, source.Resume(t.Context()))
	assert.Equal(t, 0, source.slots(t), "it leaves nothing, though its source was away")
}

func TestAPromotedReplicaGoesByItself(t *testing.T) {
	for name, running := range map[string]bool{"one that runs": true, "one that is stopped": false} {
		t.Run(name, func(t *testing.T) {
			source := noted(t)
			replica := source.replica(t)
			replica.shows(t, "first")
			if !running {
				require.NoError(t, replica.Stop(t.Context()))
			}
			for range 2 {
				require.NoError(t, replica.Instance.(engine.Replica).Promote(t.Context()))
			}
			require.NoError(t, replica.Resume(t.Context()))
			assert.Equal(t, 0, source.slots(t))
			require.NoError(t, source.Close(t.Context()))
			replica.write(t, "mine")
			replica.shows(t, "mine")
			require.NoError(t, replica.Users().Set(t.Context(), engine.Credential{Username: "eve", Password: "x"}))
			again := replica.replica(t)
			again.shows(t, "mine")
		})
	}
}

func TestAReplicaOfAStoppedSourceLeavesNothing(t *testing.T) {
	source := noted(t)
	require.NoError(t, source.Stop(t.Context()))
	what, _ := spec(t)
	what.CA, what.Source = source.ca, source.Instance
	_, err := shared.Start(t.Context(), what)
	require.ErrorContains(t, err, "stopped")
	assert.NoDirExists(t, what.DataDir)
}
