package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// orphanDir makes this binary a process that runs a service there until it is killed.
const orphanDir = "AERO_TEST_ORPHAN_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(orphanDir); dir != "" {
		beParent(dir)
	}
	os.Exit(m.Run())
}

func TestAdminUsesDefaultDatabase(t *testing.T) {
	s := start(t)
	conn := s.connect(t, s.Endpoint(), admin, "defaultdb")

	assert.True(t, ask[bool](t, conn, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))
	assert.Equal(t, "avnadmin", ask[string](t, conn, "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"))
	assert.False(t, ask[bool](t, conn, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"))
	run(t, conn, "CREATE ROLE made_by_sql", "CREATE DATABASE made_by_sql", "CREATE TABLE made_by_sql ()")
}

func TestOnlyVerifiedConnectionsWork(t *testing.T) {
	s := start(t)
	cases := map[string]struct {
		user     engine.Credential
		change   func(url.Values)
		localize bool
		refusal  string
	}{
		"the certificate is good for localhost": {user: admin, localize: true},
		"plain TCP is refused": {
			user: admin, change: func(q url.Values) { q.Set("sslmode", "disable") }, refusal: "no encryption",
		},
		"a client without the project's CA refuses the server": {
			user: admin, change: func(q url.Values) { q.Del("sslrootcert") }, refusal: "certificate",
		},
		"a wrong password is refused": {
			user: engine.Credential{Username: admin.Username, Password: "wrong"}, refusal: "password authentication failed",
		},
		"the superuser can't log in": {
			user: engine.Credential{Username: "postgres", Password: "any"}, refusal: "pg_hba.conf rejects",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			uri, err := url.Parse(s.uri(s.Endpoint(), tc.user, "defaultdb"))
			require.NoError(t, err)
			if tc.localize {
				uri.Host = "localhost:" + uri.Port()
			}
			if tc.change != nil {
				query := uri.Query()
				tc.change(query)
				uri.RawQuery = query.Encode()
			}
			conn, err := pgx.Connect(t.Context(), uri.String())
			if tc.refusal == "" {
				require.NoError(t, err)
				require.NoError(t, conn.Close(t.Context()))
				return
			}
			require.ErrorContains(t, err, tc.refusal)
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := start(t)
	conn := s.connect(t, s.Endpoint(), admin, "defaultdb")
	pool, err := s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "defaultdb"})
	require.NoError(t, err)
	require.NotEmpty(t, enginetest.Processes(t, s.dir))

	require.NoError(t, s.Close(t.Context()))

	require.Error(t, conn.Ping(t.Context()))
	assert.Empty(t, enginetest.Processes(t, s.dir))
	assert.NoDirExists(t, s.dir)
	requireRefused(t, s.Endpoint())
	requireRefused(t, pool)
	require.NoError(t, s.Close(t.Context()), "closing twice is fine")
	require.Error(t, s.Users().Set(t.Context(), alice))
	_, err = s.Pools().Set(t.Context(), engine.Pool{Name: "pool", Database: "defaultdb"})
	require.Error(t, err)
}

func TestStartGivesUpOnceItsContextIsDone(t *testing.T) {
	cases := map[string]struct {
		engine *postgres.Engine
		file   string
	}{
		"during initdb":            {engine: postgres.New(), file: "data/PG_VERSION"},
		"while the server starts":  {engine: postgres.New(), file: "postgres.log"},
		"before it does anything":  {engine: postgres.New()},
		"while the template lands": {engine: shared, file: "data/base"},
	}
	start(t) // The shared engine has a template from now on.
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			what, _ := spec(t)
			enginetest.GivesUp(t, tc.engine, what, tc.file)
		})
	}
}

func TestStartRefusesUsedDirectory(t *testing.T) {
	what, _ := spec(t)
	enginetest.RefusesUsed(t, shared, what)
}

func TestStartInDirectoryWithLongPath(t *testing.T) {
	what, caFile := spec(t)
	what.DataDir = filepath.Join(what.DataDir, strings.Repeat("long", 30))
	instance, err := shared.Start(t.Context(), what)
	require.NoError(t, err)
	s := &service{Instance: instance, caFile: caFile}
	s.connect(t, s.Endpoint(), admin, "defaultdb")
	require.NoError(t, s.Close(t.Context()))
}

func TestClustersStartAtOnce(t *testing.T) {
	fresh := postgres.New()
	var work sync.WaitGroup
	for range 4 {
		what, _ := spec(t)
		work.Go(func() {
			instance, err := fresh.Start(t.Context(), what)
			if assert.NoError(t, err) {
				assert.NoError(t, instance.Close(t.Context()))
			}
		})
	}
	work.Wait()
}

func TestErrorsHoldNoPassword(t *testing.T) {
	s := start(t)
	_, err := s.login(t, s.Endpoint(), engine.Credential{Username: "nobody", Password: "x"}, "defaultdb")
	var refusal *pgconn.ConnectError
	require.ErrorAs(t, err, &refusal)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	err = s.Users().Set(t.Context(), engine.Credential{Username: "pg_reserved", Password: alice.Password})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), alice.Password)

	log, err := os.ReadFile(filepath.Join(s.dir, "postgres.log"))
	require.NoError(t, err)
	assert.NotContains(t, string(log), "SCRAM-SHA-256$")
	assert.NotContains(t, string(log), alice.Password)
}

func TestProcessesEndWithKilledParent(t *testing.T) {
	what, _ := spec(t)
	// Short enough for the socket to be in it, since no other folder is removed.
	short, err := os.MkdirTemp("", "pg")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	what.DataDir = filepath.Join(short, "pg")
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), orphanDir+"="+what.DataDir)
	parent.Stderr = os.Stderr
	output, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	t.Cleanup(func() { _ = parent.Process.Kill(); _ = parent.Wait() })
	var at engine.Endpoint
	line, err := bufio.NewReader(output).ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &at))
	require.Greater(t, len(enginetest.Processes(t, what.DataDir)), 2, "the server's and PgBouncer")

	require.NoError(t, parent.Process.Kill())

	require.Eventually(t, func() bool { return len(enginetest.Processes(t, what.DataDir)) == 0 }, deadline, moment)
	requireRefused(t, at)
}

// beParent runs a service and a pool, says where, and never returns.
func beParent(dir string) {
	what, err := orphanSpec(dir)
	if err != nil {
		panic(err)
	}
	instance, err := postgres.New().Start(context.Background(), what)
	if err != nil {
		panic(err)
	}
	_, err = instance.Pools().Set(context.Background(), engine.Pool{Name: "pool", Database: "defaultdb"})
	if err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(instance.Endpoint()); err != nil {
		panic(err)
	}
	select {}
}
