package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// fork runs a fork with an admin of its own until the end of the test. The zero time is now.
func (s *service) fork(t *testing.T, at time.Time) *service {
	t.Helper()
	what, _ := spec(t)
	what.Service, what.CA, what.Admin, what.Fork = "fork", s.ca, newAdmin, &engine.Fork{Of: s.Instance, At: at}
	instance, err := shared.Start(t.Context(), what)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, instance.Close(context.Background())) })
	return &service{Instance: instance, dir: what.DataDir, caFile: s.caFile, ca: s.ca}
}

var newAdmin = engine.Credential{Username: admin.Username, Password: "another"}

const notes = "SELECT coalesce(string_agg(note, ' ' ORDER BY note), '') FROM notes"

func TestAForkHasWhatItsSourceHadAtATime(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Databases().Set(t.Context(), "orders-1", "", ""))
	conn := s.connect(t, s.Endpoint(), alice, "orders-1")
	run(t, conn, create, "INSERT INTO notes (note) VALUES ('a')")
	then := ask[time.Time](t, conn, "SELECT clock_timestamp()")
	run(t, conn, "INSERT INTO notes (note) VALUES ('b')")
	require.NoError(t, s.Databases().Set(t.Context(), "later", "", ""))

	old, current := s.fork(t, then), s.fork(t, time.Time{})
	assert.Equal(t, "a", ask[string](t, old.connect(t, old.Endpoint(), alice, "orders-1"), notes), "users keep their passwords")
	assert.Equal(t, "a b", ask[string](t, current.connect(t, current.Endpoint(), alice, "orders-1"), notes))
	_, err := old.login(t, old.Endpoint(), newAdmin, "later")
	require.ErrorContains(t, err, "does not exist")
	current.connect(t, current.Endpoint(), newAdmin, "later")
	_, err = current.login(t, current.Endpoint(), admin, "later")
	require.ErrorContains(t, err, "password", "the admin has a password of its own")

	// The two go on by themselves, and as any other service.
	run(t, old.connect(t, old.Endpoint(), alice, "orders-1"), "INSERT INTO notes (note) VALUES ('c')")
	assert.Equal(t, "a b", ask[string](t, conn, notes))
	require.NoError(t, s.Close(t.Context()))
	require.NoError(t, old.Stop(t.Context()))
	require.NoError(t, old.Resume(t.Context()))
	assert.Equal(t, "a c", ask[string](t, old.connect(t, old.Endpoint(), alice, "orders-1"), notes))
	again, copied := old.fork(t, time.Time{}), old.replica(t)
	assert.Equal(t, "a c", ask[string](t, again.connect(t, again.Endpoint(), alice, "orders-1"), notes), "a fork of a fork")
	assert.Equal(t, "a c", ask[string](t, copied.connect(t, copied.Endpoint(), alice, "orders-1"), notes), "a replica of a fork")
}

func TestWhatCanNotBeForkedIsRefused(t *testing.T) {
	s := start(t)
	replica := s.replica(t)
	what, _ := spec(t)
	refused := func(of engine.Instance) error {
		what.Fork = &engine.Fork{Of: of}
		instance, err := shared.Start(t.Context(), what)
		if err == nil {
			require.NoError(t, instance.Close(t.Context()))
		}
		return err
	}
	require.ErrorContains(t, refused(replica.Instance), "is a read replica")
	require.NoError(t, replica.Instance.(engine.Replica).Promote(t.Context()))
	require.ErrorContains(t, refused(replica.Instance), "or was one")
	require.NoError(t, s.Stop(t.Context()))
	require.ErrorContains(t, refused(s.Instance), "stopped")
	what.Fork = &engine.Fork{Of: s.Instance}
	_, err := postgres.New().Start(t.Context(), what)
	require.ErrorContains(t, err, "isn't of this engine")
	assert.NoDirExists(t, what.DataDir)
}
