package postgres_test

import (
	"context"
	"net/url"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// pooled starts a service with the user alice and a pool in front of its database.
func pooled(t *testing.T, pool engine.Pool) (*service, engine.Endpoint) {
	t.Helper()
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	require.NoError(t, s.Databases().Set(t.Context(), "orders-1", "", ""))
	pool.Database = "orders-1"
	at, err := s.Pools().Set(t.Context(), pool)
	require.NoError(t, err)
	require.NotEqual(t, s.Endpoint(), at, "install PgBouncer: make deps")
	return s, at
}

func TestPoolLeadsToItsDatabase(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "orders-pool.1"})
	for _, user := range []engine.Credential{alice, admin} {
		conn := s.connect(t, at, user, "orders-pool.1")
		assert.Equal(t, user.Username, ask[string](t, conn, "SELECT current_user"))
		assert.Equal(t, "orders-1", ask[string](t, conn, "SELECT current_database()"))
	}
	conn := s.connect(t, at, alice, "orders-pool.1")
	run(t, conn, create, "INSERT INTO notes (note) VALUES ('pooled')")
	assert.Equal(t, "pooled", ask[string](t, conn, "SELECT note FROM notes"))
	_, err := s.login(t, at, alice, "orders-1")
	require.Error(t, err, "the pool's name is the only database")
}

func TestPoolRefusesStrangers(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "pool", Username: alice.Username, Password: alice.Password})
	cases := map[string]struct {
		user    engine.Credential
		sslmode string
		refused bool
	}{
		"the pool's user logs in":        {user: alice, sslmode: "verify-full"},
		"another user is refused":        {user: admin, sslmode: "verify-full", refused: true},
		"a wrong password is refused":    {user: engine.Credential{Username: alice.Username, Password: "wrong"}, sslmode: "verify-full", refused: true},
		"an unknown user is refused":     {user: engine.Credential{Username: "bob", Password: "x"}, sslmode: "verify-full", refused: true},
		"the superuser is refused":       {user: engine.Credential{Username: "postgres"}, sslmode: "verify-full", refused: true},
		"plain TCP is refused to anyone": {user: alice, sslmode: "disable", refused: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			uri, err := url.Parse(s.uri(at, tc.user, "pool"))
			require.NoError(t, err)
			query := uri.Query()
			query.Set("sslmode", tc.sslmode)
			uri.RawQuery = query.Encode()
			conn, err := pgx.Connect(t.Context(), uri.String())
			assert.Equal(t, tc.refused, err != nil, "%v", err)
			if err == nil {
				require.NoError(t, conn.Close(t.Context()))
			}
		})
	}
}

func TestPoolKnowsNewPasswordAtOnce(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "pool", Username: alice.Username, Password: alice.Password})
	early := s.connect(t, at, alice, "pool")
	run(t, early, create)
	renewed := engine.Credential{Username: alice.Username, Password: "renewed"}

	require.NoError(t, s.Users().Set(t.Context(), renewed))

	_, err := s.login(t, at, alice, "pool")
	require.Error(t, err)
	late := s.connect(t, at, renewed, "pool")
	assert.Equal(t, alice.Username, ask[string](t, late, "SELECT current_user"))
	// Transactions at once need more server connections, which log in with the new secret.
	run(t, late, "BEGIN")
	for range 3 {
		run(t, s.connect(t, at, renewed, "pool"), "BEGIN", "SELECT 1")
	}
}

func TestPoolTakesNewModeAndSize(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "pool", Mode: "session", Size: 1})
	first := s.connect(t, at, alice, "pool")
	run(t, first, "SELECT 1")
	require.Error(t, second(t, s, at, alice), "the one server connection belongs to the first session")

	set := func(mode string, size int) {
		same, err := s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "orders-1", Mode: mode, Size: size})
		require.NoError(t, err)
		require.Equal(t, at, same, "the port stays")
	}
	require.NoError(t, first.Close(t.Context()))
	set("transaction", 1)
	require.Eventually(t, func() bool { return second(t, s, at, alice) == nil }, deadline, moment)
	first = s.connect(t, at, alice, "pool")
	run(t, first, "SELECT 1")
	require.NoError(t, second(t, s, at, alice), "the connection is free between transactions")
	run(t, first, "BEGIN")
	require.Error(t, second(t, s, at, alice), "a transaction holds it")

	set("transaction", 2)
	require.Eventually(t, func() bool { return second(t, s, at, alice) == nil }, deadline, moment, "there is one more")
}

// second tries a query in a session of its own.
func second(t *testing.T, s *service, at engine.Endpoint, user engine.Credential) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.uri(at, user, "pool"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT 1", pgx.QueryExecModeSimpleProtocol)
	_ = conn.Close(context.WithoutCancel(ctx))
	return err
}

func TestPoolMovesToAnotherDatabase(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "pool"})
	run(t, s.connect(t, at, alice, "pool"), "SELECT 1")

	moved, err := s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "defaultdb"})

	require.NoError(t, err)
	require.Equal(t, at, moved)
	assert.Equal(t, "defaultdb", ask[string](t, s.connect(t, at, alice, "pool"), "SELECT current_database()"))
}

func TestRemovedPoolFreesItsPort(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "pool"})
	other, err := s.Pools().Set(t.Context(), engine.Pool{Name: "other", Database: "defaultdb"})
	require.NoError(t, err)
	require.NotEqual(t, at, other)
	conn := s.connect(t, at, alice, "pool")

	require.NoError(t, s.Pools().Remove(t.Context(), "pool"))

	require.Error(t, conn.Ping(t.Context()))
	requireRefused(t, at)
	s.connect(t, other, alice, "other")
	require.NoError(t, s.Pools().Remove(t.Context(), "pool"), "removing it twice is fine")
}

func TestPooledDatabaseAndUserCanBeRemoved(t *testing.T) {
	s, at := pooled(t, engine.Pool{Name: "pool"})
	run(t, s.connect(t, at, alice, "pool"), create)

	require.NoError(t, s.Users().Remove(t.Context(), alice.Username))
	require.NoError(t, s.Databases().Remove(t.Context(), "orders-1"))

	require.Error(t, second(t, s, at, admin))
}

func TestPoolWithoutPgBouncerIsTheServer(t *testing.T) {
	s := start(t)
	postgres.HidePgBouncer(t)

	at, err := s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "defaultdb"})

	require.NoError(t, err)
	assert.Equal(t, s.Endpoint(), at)
	require.NoError(t, s.Pools().Remove(t.Context(), "pool"))
}

func TestPoolThatDiedIsReplaced(t *testing.T) {
	s := start(t)
	before := enginetest.Processes(t, s.dir)
	pool := engine.Pool{Name: "pool", Database: "defaultdb"}
	_, err := s.Pools().Set(t.Context(), pool)
	require.NoError(t, err)
	for _, id := range enginetest.Processes(t, filepath.Join(s.dir, "pools")) {
		require.NotContains(t, before, id)
		require.NoError(t, syscall.Kill(id, syscall.SIGKILL))
	}
	require.Eventually(t, func() bool { return len(enginetest.Processes(t, filepath.Join(s.dir, "pools"))) == 0 }, deadline, moment)

	require.Eventually(t, func() bool {
		at, err := s.Pools().Set(t.Context(), pool)
		return err == nil && second(t, s, at, admin) == nil
	}, deadline, moment)
}

func TestPoolIsRefused(t *testing.T) {
	s := start(t)
	cases := map[string]engine.Pool{
		"that has an unknown mode":         {Name: "pool", Database: "defaultdb", Mode: "eager"},
		"that has a negative size":         {Name: "pool", Database: "defaultdb", Size: -1},
		"that has no name":                 {Database: "defaultdb"},
		"that has no database":             {Name: "pool"},
		"whose name would break the file":  {Name: "p = x", Database: "defaultdb"},
		"whose user would break the rules": {Name: "pool", Database: "defaultdb", Username: "a\nhostssl all all"},
		"that is the console of PgBouncer": {Name: "pgbouncer", Database: "defaultdb"},
		"whose user is the superuser":      {Name: "pool", Database: "defaultdb", Username: "postgres"},
	}
	for name, pool := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := s.Pools().Set(t.Context(), pool)
			require.Error(t, err)
		})
	}
}
