package localaiven_test

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	driver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
)

const (
	mysqlName = "my-shop"
	mysqlPath = servicesPath + "/" + mysqlName
)

// with starts a server with a service of this type, which runs unless an engine is to.
func with(t testing.TB, kind, name string, config map[string]any, engines ...engine.Engine) *harness {
	t.Helper()
	h := start(t, localaiven.Options{ProvisionTime: provision, Engines: engines})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: name, ServiceType: kind, Plan: "business-4", UserConfig: &config,
	})
	require.NoError(t, err)
	h.clock.Advance(provision)
	return h
}

// runs waits for the engine of a service.
func (h *harness) runs(t testing.TB, name string) *service.ServiceGetOut {
	t.Helper()
	require.Eventually(t, func() bool { return h.read(t, name, withSecrets).State == "RUNNING" }, time.Minute, 10*time.Millisecond)
	return h.read(t, name, withSecrets)
}

// trust is a client's side of TLS, which trusts the project's CA only.
func (h *harness) trust(t testing.TB, host string) *tls.Config {
	t.Helper()
	ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(ca)))
	return &tls.Config{RootCAs: roots, ServerName: host, MinVersion: tls.VersionTLS12}
}

func TestMySQLShowsHowToConnect(t *testing.T) {
	t.Parallel()
	h := with(t, "mysql", mysqlName, map[string]any{})
	got := h.read(t, mysqlName, withSecrets)
	uri, err := url.Parse(got.ServiceUri)
	require.NoError(t, err)
	password, _ := uri.User.Password()
	assert.Equal(t, []string{"mysql", "avnadmin", got.Users[0].Password, "/defaultdb", "ssl-mode=REQUIRED"},
		[]string{uri.Scheme, uri.User.Username(), password, uri.Path, uri.RawQuery})
	assert.Equal(t, map[string]string{
		"host": uri.Hostname(), "port": uri.Port(), "user": "avnadmin", "password": password, "dbname": "defaultdb", "ssl-mode": "REQUIRED",
	}, got.ServiceUriParams)
	assert.Equal(t, []string{got.ServiceUri}, got.ConnectionInfo.Mysql)
	require.NotNil(t, got.ConnectionInfo.MysqlReplicaUri)
	require.Len(t, got.Components, 1)
	assert.Equal(t, []any{"mysql", uri.Hostname(), uri.Port()},
		[]any{got.Components[0].Component, got.Components[0].Host, fmt.Sprint(got.Components[0].Port)})
	assert.Equal(t, "8.4", got.UserConfig["mysql_version"])
	assert.Equal(t, []string{"defaultdb"}, got.Databases)
	_, err = h.client.ServiceUpdate(t.Context(), proj, mysqlName, &service.ServiceUpdateIn{UserConfig: &map[string]any{
		"migration": map[string]any{"host": "h", "port": 1},
	}})
	require.NoError(t, err)
	status, err := h.client.ServiceGetMigrationStatus(t.Context(), proj, mysqlName)
	require.NoError(t, err)
	assert.EqualValues(t, "mysqldump", status.MigrationDetail[0].Method)

	_, closed := h.send(t, get, mysqlPath, "x", "")
	assert.NotContains(t, fmt.Sprint(closed), password, "without asking for secrets")
}

func TestLifeOfAMySQLDatabase(t *testing.T) {
	t.Parallel()
	h := with(t, "mysql", mysqlName, map[string]any{})
	ctx := t.Context()
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, mysqlName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	err := h.client.ServiceDatabaseCreate(ctx, proj, mysqlName, &service.ServiceDatabaseCreateIn{Database: "orders", LcCollate: ptr("C")})
	assert.True(t, aiven.IsAlreadyExists(err))
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, mysqlName, &service.ServiceDatabaseCreateIn{Database: "located", LcCollate: ptr("C")}))
	list, err := h.client.ServiceDatabaseList(ctx, proj, mysqlName)
	require.NoError(t, err)
	assert.Equal(t, []service.DatabaseOut{{DatabaseName: "defaultdb"}, {DatabaseName: "located"}, {DatabaseName: "orders"}}, list.Databases)
	require.NoError(t, h.client.ServiceDatabaseDelete(ctx, proj, mysqlName, "located"))
	assert.Equal(t, []localaiven.Resource{
		{Type: "service", ID: proj + "/" + mysqlName}, {Type: "user", ID: proj + "/" + mysqlName + "/avnadmin", Builtin: true},
		{Type: "database", ID: proj + "/" + mysqlName + "/defaultdb", Builtin: true}, {Type: "database", ID: proj + "/" + mysqlName + "/orders"},
	}, h.Resources())
}

func TestMySQLUsersHaveAWayToLogIn(t *testing.T) {
	t.Parallel()
	h := with(t, "mysql", mysqlName, map[string]any{})
	ctx := t.Context()
	login := func() string {
		got, err := h.client.ServiceUserGet(ctx, proj, mysqlName, "bob")
		require.NoError(t, err)
		assert.Equal(t, got.Authentication, h.read(t, mysqlName, withSecrets).Users[1].Authentication, "ServiceGet shows the same")
		return string(got.Authentication)
	}
	modify := func(in service.ServiceUserCredentialsModifyIn) {
		_, err := h.client.ServiceUserCredentialsModify(ctx, proj, mysqlName, "bob", &in)
		require.NoError(t, err)
	}
	made, err := h.client.ServiceUserCreate(ctx, proj, mysqlName, &service.ServiceUserCreateIn{Username: "bob", Authentication: "mysql_native_password"})
	require.NoError(t, err)
	assert.EqualValues(t, "mysql_native_password", made.Authentication)
	modify(service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"})
	assert.Equal(t, "mysql_native_password", login(), "it stays")
	modify(service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials", Authentication: "caching_sha2_password"})
	assert.Equal(t, "caching_sha2_password", login())
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, mysqlName, "bob"))
	_, err = h.client.ServiceUserCreate(ctx, proj, mysqlName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	assert.Equal(t, "caching_sha2_password", login(), "the usual one")
}

func TestRefusedInsideMySQL(t *testing.T) {
	t.Parallel()
	h := with(t, "mysql", mysqlName, map[string]any{})
	create := `{"service_name":"other","service_type":"mysql","plan":"startup-4"`
	for name, c := range map[string]badCall{
		"an unknown plan":                 {post, servicesPath, strings.Replace(create, "startup-4", "huge-9", 1) + "}", 400, "huge-9"},
		"a version that isn't there":      {post, servicesPath, create + `,"user_config":{"mysql_version":"5.7"}}`, 400, "mysql_version"},
		"a key of another type":           {post, servicesPath, create + `,"user_config":{"pg_version":"17"}}`, 400, "pg_version"},
		"an older version":                {put, mysqlPath, `{"user_config":{"mysql_version":"8"}}`, 400, "8.4 to 8"},
		"a database that exists":          {post, mysqlPath + "/db", `{"database":"defaultdb"}`, 409, "already exists"},
		"a database of the server's":      {post, mysqlPath + "/db", `{"database":"MySQL"}`, 400, "reserved"},
		"a bad collation":                 {post, mysqlPath + "/db", `{"database":"x","lc_collate":"klingon"}`, 400, "lc_collate"},
		"a database of an unknown one":    {post, servicesPath + "/nope/db", `{"database":"x"}`, 404, "Service nope does not exist"},
		"deleting an unknown database":    {del, mysqlPath + "/db/nope", "", 404, "Database does not exist"},
		"a user that exists":              {post, mysqlPath + "/user", `{"username":"avnadmin"}`, 409, "already exists"},
		"a user of the server's":          {post, mysqlPath + "/user", `{"username":"root"}`, 400, "reserved"},
		"an unknown way to log in":        {post, mysqlPath + "/user", `{"username":"bob","authentication":"sha1"}`, 400, "caching_sha2_password"},
		"an unknown way to log in, later": {put, mysqlPath + "/user/avnadmin", `{"operation":"reset-credentials","authentication":"sha1"}`, 400, "sha1"},
		"access control":                  {post, mysqlPath + "/user", `{"username":"bob","access_control":{"pg_allow_replication":true}}`, 400, "pg_allow_replication"},
		"grants of their own":             {post, mysqlPath + "/user", `{"username":"bob","mysql_grants":["SELECT"]}`, 501, "mysql_grants"},
		"a pool":                          {post, mysqlPath + "/connection_pool", `{"pool_name":"p","database":"defaultdb"}`, 400, "does not support"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	got := h.read(t, mysqlName, withSecrets)
	assert.Equal(t, []int{1, 1}, []int{len(got.Users), len(got.Databases)}, "nothing changed")
	assert.NotNil(t, got.Users[0].Password)

	pg := running(t, localaiven.Options{})
	assertRefused(t, pg, "x", badCall{post, servicePath + "/user", `{"username":"bob","authentication":"mysql_native_password"}`, 400, "authentication"})
	assertRefused(t, pg, "x", badCall{post, servicePath + "/db", `{"database":"template1"}`, 400, "reserved"})
}

func TestMySQLAnswersHaveTheShapeOfThePublicClient(t *testing.T) {
	t.Parallel()
	h := with(t, "mysql", mysqlName, map[string]any{})
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceCreate":       {post, servicesPath, `{"service_name":"b","service_type":"mysql","plan":"hobbyist"}`, struct{ Service service.ServiceCreateOut }{}},
		"ServiceGet":          {get, mysqlPath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceList":         {get, servicesPath, "", struct{ Services []service.ServiceOut }{}},
		"ServiceUpdate":       {put, mysqlPath, `{}`, struct{ Service service.ServiceUpdateOut }{}},
		"ServiceUserCreate":   {post, mysqlPath + "/user", `{"username":"eve"}`, struct{ User service.ServiceUserCreateOut }{}},
		"ServiceUserGet":      {get, mysqlPath + "/user/avnadmin", "", struct{ User service.ServiceUserGetOut }{}},
		"ServiceDatabaseList": {get, mysqlPath + "/db", "", service.ServiceDatabaseListOut{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}

// shop connects as an application would: with what the service publishes, and nothing else.
func (h *harness) shop(t *testing.T, at *service.ServiceGetOut, user, password, database string) (*sql.Conn, error) {
	t.Helper()
	host, port := at.Components[0].Host, at.Components[0].Port
	config := driver.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = "tcp", net.JoinHostPort(host, fmt.Sprint(port)), user, password, database
	config.TLS, config.Logger = h.trust(t, host), &driver.NopLogger{}
	connector, err := driver.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db.Conn(t.Context())
}

func TestPublishedCredentialsConnectToMySQL(t *testing.T) {
	machine := mysql.New()
	if err := machine.Available(); err != nil {
		t.Skip("this machine can't run MySQL: ", err)
	}
	h := with(t, "mysql", mysqlName, map[string]any{}, machine)
	ctx, got := t.Context(), h.runs(t, mysqlName)
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, mysqlName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	bob, err := h.client.ServiceUserCreate(ctx, proj, mysqlName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)

	admin, err := h.shop(t, got, got.Users[0].Username, got.Users[0].Password, "defaultdb")
	require.NoError(t, err)
	_, err = admin.ExecContext(ctx, "CREATE TABLE orders.items (id int)")
	require.NoError(t, err)
	conn, err := h.shop(t, got, "bob", bob.Password, "orders")
	require.NoError(t, err)
	_, err = conn.ExecContext(ctx, "INSERT INTO items VALUES (42)")
	require.NoError(t, err)
	_, err = conn.ExecContext(ctx, "SET GLOBAL read_only = ON")
	require.ErrorContains(t, err, "Access denied", "the server is not for users")

	_, err = h.client.ServiceUserCredentialsModify(ctx, proj, mysqlName, "bob", &service.ServiceUserCredentialsModifyIn{
		Operation: "reset-credentials", NewPassword: ptr("chosen-password"),
	})
	require.NoError(t, err)
	_, err = h.shop(t, got, "bob", bob.Password, "orders")
	require.ErrorContains(t, err, "Access denied", "the old password is worthless")
	conn, err = h.shop(t, got, "bob", "chosen-password", "orders")
	require.NoError(t, err)
	var id int
	require.NoError(t, conn.QueryRowContext(ctx, "SELECT id FROM items").Scan(&id))
	assert.Equal(t, 42, id)
	require.NoError(t, h.client.ServiceDatabaseDelete(ctx, proj, mysqlName, "orders"))
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, mysqlName, "bob"))
	_, err = h.shop(t, got, "bob", "chosen-password", "")
	require.ErrorContains(t, err, "Access denied")

	require.NoError(t, h.client.ServiceDelete(ctx, proj, mysqlName))
	require.NoError(t, h.Close())
	_, err = h.shop(t, got, "avnadmin", got.Users[0].Password, "")
	require.Error(t, err, "no listener any more")
}
