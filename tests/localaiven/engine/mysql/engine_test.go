package mysql_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/enginetest"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
)

func TestAdminDoesEverythingButChangeTheServer(t *testing.T) {
	s := start(t)
	conn := s.connect(t, admin, "defaultdb")
	assert.Equal(t, "avnadmin@%", ask[string](t, conn, "SELECT current_user()"))
	run(t, conn, "CREATE TABLE notes (id int PRIMARY KEY AUTO_INCREMENT, note text)", "INSERT INTO notes (note) VALUES ('grüße 🎉')",
		"CREATE DATABASE made_by_sql", "CREATE USER made_by_sql IDENTIFIED BY 'x'", "GRANT SELECT ON defaultdb.* TO made_by_sql")
	assert.Equal(t, "grüße 🎉", ask[string](t, conn, "SELECT note FROM notes"))
	for _, statement := range []string{
		"SHUTDOWN", "SET GLOBAL max_connections = 1", "SELECT 1 INTO OUTFILE '/tmp/x'", "GRANT FILE ON *.* TO avnadmin", "KILL 1",
	} {
		_, err := conn.ExecContext(t.Context(), statement)
		require.Error(t, err, statement)
	}
	require.NoError(t, conn.PingContext(t.Context()))
}

func TestOnlyVerifiedLoginsWork(t *testing.T) {
	s := start(t)
	cases := map[string]struct {
		change  func(*driver.Config)
		refusal string
	}{
		"the certificate is good for localhost": {change: func(c *driver.Config) { c.TLS.ServerName = "localhost" }},
		"plain TCP is refused":                  {func(c *driver.Config) { c.TLS = nil }, "Access denied"},
		"a client without the project's CA":     {func(c *driver.Config) { c.TLS.RootCAs = nil }, "certificate"},
		"a wrong password":                      {func(c *driver.Config) { c.Passwd = "wrong" }, "Access denied"},
		"no password":                           {func(c *driver.Config) { c.Passwd = "" }, "Access denied"},
		"no user":                               {func(c *driver.Config) { c.User, c.Passwd = "", "" }, "Access denied"},
		"the superuser":                         {func(c *driver.Config) { c.User, c.Passwd = "root", "" }, "Access denied"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			config := s.config(admin, "defaultdb")
			tc.change(config)
			_, err := login(t, config)
			if tc.refusal == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.refusal)
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := start(t)
	conn := s.connect(t, admin, "defaultdb")
	require.Len(t, enginetest.Processes(t, s.dir), 1)
	require.NoError(t, s.Close(t.Context()))
	assert.Empty(t, enginetest.Processes(t, s.dir))
	assert.NoDirExists(t, s.dir)
	require.Error(t, conn.PingContext(t.Context()))
	_, err := net.Dial("tcp", net.JoinHostPort(s.Endpoint().Host, strconv.Itoa(s.Endpoint().Port)))
	require.Error(t, err)
	require.NoError(t, s.Close(t.Context()), "closing twice is fine")
	require.Error(t, s.Users().Set(t.Context(), alice))
	require.Error(t, s.Databases().Set(t.Context(), "orders", "", ""))
}

func TestStartGivesUpOnceItsContextIsDone(t *testing.T) {
	cases := map[string]struct {
		engine *mysql.Engine
		file   string
	}{
		"before it does anything":        {engine: mysql.New()},
		"while it makes the data folder": {engine: mysql.New(), file: "data/ibdata1"},
		"while the template lands":       {engine: shared, file: "data/mysql"},
		"while the server starts":        {engine: shared, file: "server.log"},
	}
	start(t) // The shared engine has a template from now on.
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			what, _ := spec(t)
			enginetest.GivesUp(t, tc.engine, what, tc.file)
		})
	}
}

func TestStartRefusesAUsedDirectory(t *testing.T) {
	needsMariaDB(t)
	what, _ := spec(t)
	enginetest.RefusesUsed(t, shared, what)
}

func TestServersStartAtOnceInFoldersWithLongPaths(t *testing.T) {
	needsMariaDB(t)
	fresh := mysql.New()
	var work sync.WaitGroup
	for range 4 {
		what, _ := spec(t)
		what.DataDir = filepath.Join(what.DataDir, strings.Repeat("long ", 30))
		work.Go(func() {
			instance, err := fresh.Start(t.Context(), what)
			if assert.NoError(t, err) {
				assert.NoError(t, instance.Close(t.Context()))
			}
		})
	}
	work.Wait()
}

func TestFilesHoldNoPassword(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Users().Set(t.Context(), alice))
	err := s.Users().Set(t.Context(), engine.Credential{Username: "root", Password: alice.Password})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), alice.Password)
	for _, name := range []string{"server.log", "my.cnf"} {
		content, err := os.ReadFile(filepath.Join(s.dir, name))
		require.NoError(t, err)
		assert.NotContains(t, string(content), alice.Password)
		assert.NotContains(t, string(content), admin.Password)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	mysql.Hide(t)
	require.ErrorContains(t, shared.Available(), "install the Debian package mariadb-server")
	what, _ := spec(t)
	_, err := shared.Start(t.Context(), what)
	require.Error(t, err)
	assert.NoDirExists(t, what.DataDir)
}
