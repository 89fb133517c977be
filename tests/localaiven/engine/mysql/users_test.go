package mysql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func TestUserWorksInEveryDatabase(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Users().Set(t.Context(), alice), "setting it twice is fine")
	require.NoError(t, s.Databases().Set(t.Context(), "orders-1", "en_US.UTF-8", "C"))
	require.NoError(t, s.Databases().Set(t.Context(), "orders-1", "", ""), "setting it twice is fine")
	for _, database := range []string{"orders-1", "defaultdb"} {
		conn := s.connect(t, alice, database)
		run(t, conn, "CREATE TABLE notes (note text)", "INSERT INTO notes VALUES ('x')")
		assert.Equal(t, "alice-1@%", ask[string](t, conn, "SELECT current_user()"))
		_, err := conn.ExecContext(t.Context(), "SHUTDOWN")
		require.ErrorContains(t, err, "Access denied")
	}
	require.NoError(t, s.Databases().Remove(t.Context(), "orders-1"))
	_, err := login(t, s.config(alice, "orders-1"))
	require.ErrorContains(t, err, "Unknown database")
	require.NoError(t, s.Databases().Remove(t.Context(), "orders-1"), "removing it twice is fine")
}

func TestUsersGetNewPasswords(t *testing.T) {
	for name, user := range map[string]engine.Credential{"the admin": admin, "another": alice} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			require.NoError(t, s.Users().Set(t.Context(), user))
			renewed := engine.Credential{Username: user.Username, Password: "renewed"}
			require.NoError(t, s.Users().Set(t.Context(), renewed))
			_, err := login(t, s.config(user, "defaultdb"))
			require.ErrorContains(t, err, "Access denied")
			s.connect(t, renewed, "defaultdb")
			require.NoError(t, s.Users().Set(t.Context(), engine.Credential{Username: user.Username}), "without a password, it keeps its own")
			s.connect(t, renewed, "defaultdb")
		})
	}
}

func TestRemovedUserIsGoneAtOnce(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	conn := s.connect(t, alice, "defaultdb")
	run(t, conn, "CREATE TABLE notes (note text)", "INSERT INTO notes VALUES ('kept')")

	require.NoError(t, s.Users().Remove(t.Context(), alice.Username))

	require.Eventually(t, func() bool { return conn.PingContext(t.Context()) != nil }, deadline, moment, "its sessions end")
	_, err := login(t, s.config(alice, "defaultdb"))
	require.ErrorContains(t, err, "Access denied")
	assert.Equal(t, "kept", ask[string](t, s.connect(t, admin, "defaultdb"), "SELECT note FROM notes"))
	require.NoError(t, s.Users().Remove(t.Context(), alice.Username), "removing it twice is fine")
	require.NoError(t, s.Users().Set(t.Context(), alice), "the name is free")
}

func TestNamesThatNoUserCanHave(t *testing.T) {
	s := start(t)
	for _, name := range []string{"", "root", "mysql", "two\nlines"} {
		t.Run("user "+name, func(t *testing.T) {
			require.Error(t, s.Users().Set(t.Context(), engine.Credential{Username: name, Password: "x"}))
			require.Error(t, s.Users().Remove(t.Context(), name))
		})
	}
	for _, name := range []string{"", "mysql", "sys", "Information_Schema", "two\nlines"} {
		t.Run("database "+name, func(t *testing.T) {
			require.Error(t, s.Databases().Set(t.Context(), name, "", ""))
			require.Error(t, s.Databases().Remove(t.Context(), name))
		})
	}
	require.Error(t, s.Users().Set(t.Context(), engine.Credential{Username: "bob"}), "no password")
	assert.Nil(t, s.Pools())
}

func TestNamesAreQuoted(t *testing.T) {
	s := start(t)
	odd := engine.Credential{Username: "od`d'; DROP USER avnadmin; --\"", Password: "x"}
	require.NoError(t, s.Users().Set(t.Context(), odd))
	require.NoError(t, s.Databases().Set(t.Context(), odd.Username, "", ""))
	s.connect(t, odd, "defaultdb")
	require.NoError(t, s.Databases().Remove(t.Context(), odd.Username))
	require.NoError(t, s.Users().Remove(t.Context(), odd.Username))
	s.connect(t, admin, "defaultdb")
}
