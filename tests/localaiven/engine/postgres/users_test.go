package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

const create = "CREATE TABLE notes (id serial PRIMARY KEY, note text)"

func TestUserWorksInDatabase(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Databases().Set(t.Context(), "orders-1", "en_US.UTF-8", "en_US.UTF-8"))
	for _, database := range []string{"orders-1", "defaultdb"} {
		conn := s.connect(t, s.Endpoint(), alice, database)
		run(t, conn, create, "INSERT INTO notes (note) VALUES ('grüße')")
		assert.Equal(t, "grüße", ask[string](t, conn, "SELECT note FROM notes WHERE id = 1"))
		assert.Equal(t, alice.Username, ask[string](t, conn, "SELECT current_user"))
	}
}

func TestUserGetsNewPassword(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Users().Set(t.Context(), alice), "setting it twice is fine")
	s.connect(t, s.Endpoint(), alice, "defaultdb")
	renewed := engine.Credential{Username: alice.Username, Password: "renewed"}

	require.NoError(t, s.Users().Set(t.Context(), renewed))

	_, err := s.login(t, s.Endpoint(), alice, "defaultdb")
	require.ErrorContains(t, err, "password authentication failed")
	s.connect(t, s.Endpoint(), renewed, "defaultdb")
}

func TestAdminGetsNewPassword(t *testing.T) {
	s := start(t)
	renewed := engine.Credential{Username: admin.Username, Password: "renewed"}

	require.NoError(t, s.Users().Set(t.Context(), renewed))

	conn := s.connect(t, s.Endpoint(), renewed, "defaultdb")
	assert.True(t, ask[bool](t, conn, "SELECT rolcreaterole AND rolcreatedb FROM pg_roles WHERE rolname = current_user"))
}

func TestOnlyAUserWithTheRightReplicates(t *testing.T) {
	s := start(t)
	right := func() bool {
		conn := s.connect(t, s.Endpoint(), alice, "defaultdb")
		return ask[bool](t, conn, "SELECT rolreplication FROM pg_roles WHERE rolname = current_user")
	}
	require.NoError(t, s.Users().Set(t.Context(), alice))
	assert.False(t, right())
	may := engine.Credential{Username: alice.Username, Access: engine.Access{Replication: true}}
	require.NoError(t, s.Users().Set(t.Context(), may), "without a password, alice keeps hers")
	assert.True(t, right())
	require.NoError(t, s.Users().Set(t.Context(), alice))
	assert.False(t, right())
}

func TestRemovedUserLeavesItsTablesToAdmin(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Databases().Set(t.Context(), "orders", "", ""))
	conn := s.connect(t, s.Endpoint(), alice, "orders")
	run(t, conn, create, "INSERT INTO notes (note) VALUES ('kept')", "CREATE SCHEMA own", "GRANT SELECT ON notes TO avnadmin")
	elsewhere := s.connect(t, s.Endpoint(), alice, "defaultdb")
	run(t, elsewhere, create)

	require.NoError(t, s.Users().Remove(t.Context(), alice.Username))

	require.Error(t, conn.Ping(t.Context()), "its sessions end")
	_, err := s.login(t, s.Endpoint(), alice, "orders")
	require.Error(t, err)
	heir := s.connect(t, s.Endpoint(), admin, "orders")
	assert.Equal(t, "kept", ask[string](t, heir, "SELECT note FROM notes"))
	run(t, heir, "DROP TABLE notes", "DROP SCHEMA own")
	require.NoError(t, s.Users().Remove(t.Context(), alice.Username), "removing it twice is fine")
	require.NoError(t, s.Users().Set(t.Context(), alice), "the name is free")
}

func TestReservedNamesAreRefused(t *testing.T) {
	s := start(t)
	for _, name := range []string{"", "postgres", "pg_monitor", "template1", "two\nlines"} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, s.Users().Set(t.Context(), engine.Credential{Username: name, Password: "x"}))
			require.Error(t, s.Users().Remove(t.Context(), name))
			require.Error(t, s.Databases().Set(t.Context(), name, "", ""))
			require.Error(t, s.Databases().Remove(t.Context(), name))
		})
	}
	require.Error(t, s.Users().Remove(t.Context(), admin.Username))
	require.Error(t, s.Users().Set(t.Context(), engine.Credential{Username: "bob"}), "no password")
}

func TestNamesAreQuoted(t *testing.T) {
	s := start(t)
	odd := engine.Credential{Username: `od"d; DROP ROLE avnadmin; --'`, Password: "x"}
	require.NoError(t, s.Users().Set(t.Context(), odd))
	require.NoError(t, s.Databases().Set(t.Context(), odd.Username, "", ""))
	s.connect(t, s.Endpoint(), odd, odd.Username)
	require.NoError(t, s.Databases().Remove(t.Context(), odd.Username))
	require.NoError(t, s.Users().Remove(t.Context(), odd.Username))
	s.connect(t, s.Endpoint(), admin, "defaultdb")
}
