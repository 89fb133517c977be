package clickhouse_test

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	engineclickhouse "github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

// assertCode checks that the server threw an exception with a code.
func assertCode(t *testing.T, code int32, err error) {
	t.Helper()
	var exception *driver.Exception
	if assert.ErrorAs(t, err, &exception) {
		assert.Equal(t, code, exception.Code, exception.Message)
		assert.Equal(t, "DB::Exception", exception.Name)
	}
}

func compressed(o *driver.Options) {
	o.Compression = &driver.Compression{Method: driver.CompressionLZ4}
}

func TestTheFirstUserLogsInWithPublishedCredentials(t *testing.T) {
	h := start(t)
	conn := h.admin()
	require.NoError(t, conn.Ping(within(t)))
	assert.EqualValues(t, 1, value[uint8](t, conn, "SELECT 1"))
	assert.Equal(t, "avnadmin", value[string](t, conn, "SELECT currentUser()"))
	version, err := conn.ServerVersion()
	require.NoError(t, err)
	assert.EqualValues(t, 25, version.Version.Major)

	options, err := driver.ParseDSN(h.get().ServiceUri)
	require.NoError(t, err)
	require.NotNil(t, options.TLS)
	options.TLS = h.trusted()
	byURI, err := driver.Open(options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = byURI.Close() })
	require.NoError(t, byURI.Ping(within(t)))
}

func TestWhoMayNotLogIn(t *testing.T) {
	h := start(t)
	params := h.get().ServiceUriParams
	user, password := params["user"], params["password"]
	assertCode(t, 516, h.connect(user, "wrong").Ping(within(t)))
	assertCode(t, 516, h.connect(user, "").Ping(within(t)))
	assertCode(t, 516, h.connect("nobody", password).Ping(within(t)))
	in := func(database string) func(*driver.Options) {
		return func(o *driver.Options) { o.Auth.Database = database }
	}
	assertCode(t, 81, h.admin(in("nope")).Ping(within(t)))
	require.NoError(t, h.admin(in("system")).Ping(within(t)))
	require.ErrorContains(t, h.admin(func(o *driver.Options) { o.TLS = &tls.Config{MinVersion: tls.VersionTLS12} }).Ping(within(t)), "unknown authority",
		"the server's certificate is of the project's CA")
	require.Error(t, h.admin(func(o *driver.Options) { o.TLS = nil }).Ping(within(t)), "there is no way without TLS")
}

func TestUsersOfTheAPILogIn(t *testing.T) {
	h := start(t)
	id, password := h.user("bob")
	connected := h.connect("bob", password)
	assert.Equal(t, "bob", value[string](t, connected, "SELECT currentUser()"))
	changed, err := h.client.ServiceClickHousePasswordReset(t.Context(), proj, name, id, &clickhouse.ServiceClickHousePasswordResetIn{})
	require.NoError(t, err)
	assertCode(t, 516, h.connect("bob", password).Ping(within(t)))
	require.NoError(t, h.connect("bob", changed).Ping(within(t)))
	require.NoError(t, connected.Ping(within(t)), "who is in stays in")
	require.NoError(t, h.client.ServiceClickHouseUserDelete(t.Context(), proj, name, id))
	assertCode(t, 516, h.connect("bob", changed).Ping(within(t)))
	assertCode(t, 192, connected.Exec(within(t), "SELECT 1"))

	var admin string
	users, err := h.client.ServiceClickHouseUserList(t.Context(), proj, name)
	require.NoError(t, err)
	for _, u := range users {
		admin = u.Uuid
	}
	_, err = h.client.ServiceClickHousePasswordReset(t.Context(), proj, name, admin, &clickhouse.ServiceClickHousePasswordResetIn{})
	require.NoError(t, err)
	require.NoError(t, h.admin().Ping(within(t)), "the published password is the new one")
}

// privilege is a row of system.privileges.
type privilege struct {
	Name    string   `ch:"privilege"`
	Aliases []string `ch:"aliases"`
	Level   *string  `ch:"level"`
	Group   *string  `ch:"parent_group"`
}

// grant is a row of system.grants, as a client reads it.
type grant struct {
	User      *string `ch:"user_name"`
	Role      *string `ch:"role_name"`
	Access    string  `ch:"access_type"`
	Database  *string `ch:"database"`
	Table     *string `ch:"table"`
	Column    *string `ch:"column"`
	IsRevoke  uint8   `ch:"is_partial_revoke"`
	HasOption uint8   `ch:"grant_option"`
}

func ptr[T any](v T) *T { return &v }

func TestClientsSeeWhatTheAPIGranted(t *testing.T) {
	h := start(t)
	require.NoError(t, h.client.ServiceClickHouseDatabaseCreate(t.Context(), proj, name, &clickhouse.ServiceClickHouseDatabaseCreateIn{Database: "shop"}))
	h.user("bob")
	h.query("CREATE ROLE writer", "GRANT INSERT ON shop.* TO writer WITH GRANT OPTION", "GRANT SELECT(id) ON shop.orders TO bob",
		"GRANT writer TO bob WITH ADMIN OPTION")
	for name, more := range map[string][]func(*driver.Options){"plain": nil, "compressed": {compressed}} {
		t.Run(name, func(t *testing.T) {
			conn := h.admin(more...)
			var grants []grant
			require.NoError(t, conn.Select(t.Context(), &grants, "SELECT * FROM system.grants WHERE user_name = ? OR role_name IN (?)", "bob", []string{"writer"}))
			assert.Equal(t, []grant{
				{User: ptr("bob"), Access: "SELECT", Database: ptr("shop"), Table: ptr("orders"), Column: ptr("id")},
				{Role: ptr("writer"), Access: "INSERT", Database: ptr("shop"), HasOption: 1},
			}, grants)
			assert.EqualValues(t, 1, value[uint8](t, conn, "SELECT with_admin_option FROM system.role_grants WHERE granted_role_name = 'writer'"))
			assert.EqualValues(t, 2, value[uint64](t, conn, "SELECT count() FROM system.users"))
			var names []struct {
				Name string `ch:"name"`
				ID   string `ch:"id"`
			}
			require.NoError(t, conn.Select(t.Context(), &names, "SELECT name, id FROM system.users"))
			assert.Len(t, names, 2)
			var roles []struct {
				Name string `ch:"name"`
			}
			require.NoError(t, conn.Select(t.Context(), &roles, "SELECT name FROM system.roles WHERE name = 'absent'"))
			assert.Empty(t, roles)
			var privileges []privilege
			require.NoError(t, conn.Select(t.Context(), &privileges, "SELECT * FROM system.privileges WHERE privilege IN ('ALL', 'ALTER DELETE')"))
			column, group := "COLUMN", "ALTER TABLE"
			assert.Equal(t, []privilege{{"ALL", []string{"ALL PRIVILEGES"}, nil, nil}, {"ALTER DELETE", []string{"DELETE"}, &column, &group}}, privileges)
			assert.Equal(t, "shop", value[string](t, conn, "SELECT name FROM system.databases WHERE name LIKE 's%p'"))
		})
	}
}

func TestTheAPISeesWhatClientsGranted(t *testing.T) {
	h := start(t)
	_, password := h.user("bob")
	conn := h.admin()
	require.NoError(t, conn.Exec(t.Context(), "CREATE ROLE writer"))
	require.NoError(t, conn.Exec(t.Context(), "GRANT writer TO bob"))
	h.query("SHOW CREATE ROLE writer")
	bob := h.connect("bob", password)
	assertCode(t, 497, bob.Exec(t.Context(), "CREATE ROLE mine"))
	assertCode(t, 497, bob.QueryRow(t.Context(), "SELECT count() FROM system.grants").Err())
	assertCode(t, 511, conn.Exec(t.Context(), "SHOW CREATE ROLE nope"))
	assertCode(t, 62, conn.Exec(t.Context(), "HELLO"))
	assertCode(t, 48, conn.Exec(t.Context(), "OPTIMIZE TABLE x"))
	named := driver.Context(t.Context(), driver.WithParameters(driver.Parameters{"a": "1"}))
	assertCode(t, 48, conn.Exec(named, "SELECT {a:String}"))
	require.NoError(t, bob.Ping(t.Context()), "an exception ends no session")
}

func TestWhoBreaksTheProtocolIsHungUpOn(t *testing.T) {
	h := start(t)
	for name, sent := range map[string]string{
		"HTTP":                 "GET / HTTP/1.0\r\n\r\n",
		"a query before hello": "\x01",
		"an impossible length": "\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
		"a length too long":    "\x00\x80\x80\x08",
		"an unknown message":   strings.Repeat("\x7f", 100),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := tls.Dial("tcp", h.address(), h.trusted())
			require.NoError(t, err)
			defer func() { _ = conn.Close() }()
			require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Second)), "less than a login may take")
			_, err = conn.Write([]byte(sent))
			require.NoError(t, err)
			_, err = conn.Read(make([]byte, 1))
			require.Error(t, err)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
		})
	}
	require.NoError(t, h.admin().Ping(within(t)))
}

func TestNothingListensAfterTheServiceIsDeleted(t *testing.T) {
	h := start(t)
	conn, address := h.admin(), h.address()
	require.NoError(t, conn.Ping(within(t)))
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, name))
	require.Eventually(t, func() bool {
		one, err := net.Dial("tcp", address)
		if err == nil {
			_ = one.Close()
		}
		return err != nil
	}, testTimeout, 5*time.Millisecond)
	require.Eventually(t, func() bool { return conn.Ping(within(t)) != nil }, testTimeout, 5*time.Millisecond, "sessions end, too")
}

func TestInstance(t *testing.T) {
	ca, err := pki.New("the project's CA")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	spec := engine.Spec{
		Project: "p", Service: "s", Type: "clickhouse", CA: ca, DataDir: dir,
		Admin: engine.Credential{Username: "avnadmin", Password: "secret"},
	}
	e := engineclickhouse.New()
	require.NoError(t, e.Available())
	assert.Equal(t, "clickhouse", e.Type())
	instance, err := e.Start(t.Context(), spec)
	require.NoError(t, err)
	assert.Nil(t, instance.Databases())
	assert.Nil(t, instance.Pools())
	require.NoError(t, instance.Users().Remove(t.Context(), "nobody"))
	require.NoError(t, instance.Close(t.Context()))
	require.NoError(t, instance.Close(t.Context()), "once more is fine")
	assert.NoDirExists(t, dir)

	given, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	_, err = e.Start(given, spec)
	require.ErrorIs(t, err, context.Canceled)
	assert.NoDirExists(t, dir, "who gave up leaves nothing behind")
}

func TestGrantsAreEnforcedForClients(t *testing.T) {
	h := start(t)
	_, password := h.user("bob")
	admin, bob := h.admin(), h.connect("bob", password)
	for _, query := range []string{
		"CREATE TABLE orders (id UInt64, note String) ENGINE = MergeTree ORDER BY id", "CREATE TABLE salaries (id UInt8)",
		"INSERT INTO orders VALUES (300, 'an order')", "CREATE ROLE reader", "GRANT SELECT ON default.* TO reader",
		"REVOKE SELECT ON default.salaries FROM reader", "GRANT reader TO bob", "GRANT INSERT(id) ON orders TO bob",
	} {
		require.NoError(t, admin.Exec(t.Context(), query), query)
	}
	assert.Equal(t, "an order", value[string](t, bob, "SELECT note FROM orders WHERE id = ?", 300))
	require.NoError(t, bob.Exec(t.Context(), "INSERT INTO orders (id) VALUES (?)", 7))
	assert.EqualValues(t, 7, value[uint64](t, bob, "SELECT id FROM orders WHERE note = ''"))
	assertCode(t, 497, bob.Exec(t.Context(), "INSERT INTO orders VALUES (8, 'x')"))
	assertCode(t, 497, bob.QueryRow(t.Context(), "SELECT id FROM salaries").Err())
	require.NoError(t, admin.Exec(t.Context(), "REVOKE reader FROM bob"))
	assertCode(t, 497, bob.QueryRow(t.Context(), "SELECT note FROM orders").Err())
	_, err := bob.PrepareBatch(t.Context(), "INSERT INTO orders (id)")
	assertCode(t, 48, err)
}
