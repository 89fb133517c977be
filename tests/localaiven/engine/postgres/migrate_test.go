package postgres_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// elsewhere is how a user logs in at a service that is the source of a migration.
func (s *service) elsewhere(user engine.Credential) engine.Source {
	return engine.Source{
		Host: s.Endpoint().Host, Port: s.Endpoint().Port, Username: user.Username, Password: user.Password, Database: "defaultdb", TLS: true,
	}
}

func TestADatabaseIsCopiedFromAServerElsewhere(t *testing.T) {
	old, s := start(t), start(t)
	require.NoError(t, old.Users().Set(t.Context(), alice))
	const name = `or/ders %"2"`
	for _, each := range []*service{old, s} {
		require.NoError(t, each.Databases().Set(t.Context(), name, "", ""))
	}
	run(t, old.connect(t, old.Endpoint(), alice, name), create, "INSERT INTO notes (note) VALUES ('a'), ('b')",
		"CREATE VIEW latest AS SELECT max(note) FROM notes", "GRANT SELECT ON notes TO PUBLIC")

	to, from := s.Instance.(engine.Migrator), old.elsewhere(alice)
	names, err := to.SourceDatabases(t.Context(), from)
	require.NoError(t, err)
	assert.Equal(t, []string{"defaultdb", name}, names)
	require.NoError(t, to.CopyDatabase(t.Context(), from, name))

	conn := s.connect(t, s.Endpoint(), admin, name)
	assert.Equal(t, "a b", ask[string](t, conn, notes))
	assert.Equal(t, "b", ask[string](t, conn, "SELECT * FROM latest"))
	assert.Equal(t, "avnadmin", ask[string](t, conn, "SELECT tableowner FROM pg_tables WHERE tablename = 'notes'"), "there is no alice")
	run(t, conn, "INSERT INTO notes (note) VALUES ('c')") // the sequence goes on

	require.ErrorContains(t, to.CopyDatabase(t.Context(), from, name), "already exists")
	assert.Equal(t, "a b c", ask[string](t, conn, notes), "it is all or nothing")
	entries, err := os.ReadDir(s.dir)
	require.NoError(t, err)
	for _, entry := range entries {
		assert.NotContains(t, entry.Name(), "migration", "no dump is left")
	}
}

func TestASourceThatCanNotBeCopiedIsAnError(t *testing.T) {
	old, s := start(t), start(t)
	to := s.Instance.(engine.Migrator)
	wrong := old.elsewhere(engine.Credential{Username: admin.Username, Password: "of-another"})
	_, err := to.SourceDatabases(t.Context(), wrong)
	require.ErrorContains(t, err, `password authentication failed for user "avnadmin"`)
	assert.NotContains(t, err.Error(), "of-another")
	err = to.CopyDatabase(t.Context(), wrong, "defaultdb")
	require.ErrorContains(t, err, `password authentication failed for user "avnadmin"`)
	assert.NotContains(t, err.Error(), "of-another")
	require.ErrorContains(t, to.CopyDatabase(t.Context(), old.elsewhere(admin), "none"), `database "none" does not exist`)

	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	require.ErrorIs(t, to.CopyDatabase(ctx, old.elsewhere(admin), "defaultdb"), context.DeadlineExceeded)
	require.NoError(t, old.Stop(t.Context()))
	_, err = to.SourceDatabases(t.Context(), old.elsewhere(admin))
	require.ErrorContains(t, err, "refused")
}
