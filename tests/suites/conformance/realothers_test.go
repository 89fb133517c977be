package conformance_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	enginemysql "github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	enginevalkey "github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

// realService has a service of the example with a user in it, both Ready. Without the server, the test is skipped.
func realService(t *testing.T, server engine.Engine, kind, example string, spec func(*v1alpha1.ServiceUser)) (*testenv.Env, testenv.Object, *v1alpha1.ServiceUser) {
	t.Helper()
	if err := server.Available(); err != nil {
		t.Skip("needs a real server: ", err)
	}
	e := testenv.New(t, testenv.Options{
		Kinds: []string{kind, "ServiceUser"}, Aiven: localaiven.Options{Engines: []engine.Engine{server}},
	})
	service, user := e.Example(example), e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ServiceName = service.GetName()
	spec(user)
	for _, obj := range []testenv.Object{service, user} {
		e.Create(obj)
	}
	for _, obj := range []testenv.Object{service, user} {
		e.Wait(obj, testenv.Ready())
	}
	return e, service, user
}

// mysqlAs is a session as the user and in the database of a login.
func mysqlAs(d *login) *sql.DB {
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", net.JoinHostPort(d.value("HOST"), d.value("PORT"))
	config.User, config.Passwd, config.DBName = d.user, d.value("PASSWORD"), d.database
	config.TLS = &tls.Config{RootCAs: d.roots(), ServerName: d.value("HOST"), MinVersion: tls.VersionTLS12}
	connector, err := mysql.NewConnector(config)
	require.NoError(d.t, err)
	session := sql.OpenDB(connector)
	d.t.Cleanup(func() { _ = session.Close() })
	return session
}

// refusedByMySQL is the number with which MySQL refused something; 0 if it didn't.
func refusedByMySQL(err error) int {
	var refusal *mysql.MySQLError
	if errors.As(err, &refusal) {
		return int(refusal.Number)
	}
	return 0
}

func TestAnApplicationOfMySQLConnectsWithWhatTheSecretsSay(t *testing.T) {
	t.Parallel()
	e, service, user := realService(t, enginemysql.New(), "MySQL", "mysql", func(*v1alpha1.ServiceUser) {})
	admin := access(t, e, service.(*v1alpha1.MySQL).Spec.ConnInfoSecretTarget.Name, "MYSQL_")
	admin.user, admin.database = admin.value("USER"), admin.value("DATABASE")
	for _, statement := range []string{"CREATE TABLE orders (id int PRIMARY KEY)", "INSERT INTO orders VALUES (42)"} {
		_, err := mysqlAs(admin).ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	uri, err := url.Parse(admin.value("URI"))
	require.NoError(t, err)
	password, _ := uri.User.Password()
	assert.Equal(t, []string{net.JoinHostPort(admin.value("HOST"), admin.value("PORT")), admin.user, admin.value("PASSWORD"), "/" + admin.database},
		[]string{uri.Host, uri.User.Username(), password, uri.Path}, "the URI leads there, too")

	of := func() *login {
		found := access(t, e, userName, "ORDERS_")
		found.user, found.database = found.value("USERNAME"), admin.database
		return found
	}
	first := of()
	app := mysqlAs(first)
	var id int
	require.NoError(t, app.QueryRowContext(t.Context(), "SELECT id FROM orders").Scan(&id))
	assert.Equal(t, 42, id)
	const denied, wrong = 1227, 1045
	_, err = app.ExecContext(t.Context(), "SET GLOBAL max_connections = 1")
	assert.Equal(t, denied, refusedByMySQL(err), "the server's settings are Aiven's: %v", err)
	first.database = "another"
	assert.Equal(t, 1049, refusedByMySQL(mysqlAs(first).PingContext(t.Context())), "there is no such database")
	first.database = admin.database

	rotate(e, user)
	second := of()
	require.NoError(t, mysqlAs(second).PingContext(t.Context()))
	assert.Equal(t, wrong, refusedByMySQL(mysqlAs(first).PingContext(t.Context())), "the former password")
	e.Delete(user)
	e.WaitGone(user)
	assert.Equal(t, wrong, refusedByMySQL(mysqlAs(second).PingContext(t.Context())), "there is no such user")
}

// valkeyAs is a session with a user and a password.
func valkeyAs(d *login, roots *x509.CertPool) *redis.Client {
	client := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort(d.value("HOST"), d.value("PORT")), Username: d.user, Password: d.value("PASSWORD"),
		TLSConfig: &tls.Config{RootCAs: roots, ServerName: d.value("HOST"), MinVersion: tls.VersionTLS12}, MaxRetries: -1,
	})
	d.t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestAnApplicationOfValkeyDoesWhatItsAccessControlAllows(t *testing.T) {
	t.Parallel()
	e, service, user := realService(t, enginevalkey.New(), "Valkey", "valkey", func(user *v1alpha1.ServiceUser) {
		user.Spec.AccessControl = &v1alpha1.ServiceUserAccessControl{
			ValkeyACLKeys: []string{"orders:*"}, ValkeyACLCategories: []string{"-@all", "+@read"}, ValkeyACLCommands: []string{"+set", "+publish"},
			ValkeyACLChannels: []string{"deliveries"},
		}
	})
	of := func() *login {
		found := access(t, e, userName, "ORDERS_")
		found.user = found.value("USERNAME")
		return found
	}
	first := of()
	roots := first.roots()
	app := valkeyAs(first, roots)
	refuses := func(why string, command ...any) {
		t.Helper()
		require.ErrorContains(t, app.Do(within(t), command...).Err(), "NOPERM", why)
	}
	allows := func(command ...any) {
		t.Helper()
		require.NoError(t, app.Do(within(t), command...).Err())
	}
	allows("SET", "orders:1", "paid")
	allows("GET", "orders:1")
	allows("PUBLISH", "deliveries", "x")
	refuses("another key", "GET", "salaries:1")
	refuses("another command", "DEL", "orders:1")
	refuses("another channel", "PUBLISH", "gossip", "x")

	e.Change(user, func() {
		user.Spec.AccessControl.ValkeyACLKeys, user.Spec.AccessControl.ValkeyACLCommands = []string{"salaries:*"}, []string{"+get"}
	})
	e.Wait(user, testenv.Ready())
	refuses("the rule changes under an open session", "SET", "salaries:1", "much")
	refuses("and so do the keys", "GET", "orders:1")
	require.ErrorIs(t, app.Do(within(t), "GET", "salaries:1").Err(), redis.Nil)

	admin := access(t, e, service.(*v1alpha1.Valkey).Spec.ConnInfoSecretTarget.Name, "VALKEY_")
	admin.user = admin.value("USER")
	assert.Equal(t, "paid", valkeyAs(admin, roots).Get(within(t), "orders:1").Val(), "the service's own user sees all")
	rotate(e, user)
	require.ErrorContains(t, loggedIn(within(t), valkeyAs(first, roots)), "WRONGPASS", "the former password")
	second := valkeyAs(of(), roots)
	require.ErrorIs(t, second.Get(within(t), "salaries:1").Err(), redis.Nil)
	e.Delete(user)
	e.WaitGone(user)
	require.Error(t, loggedIn(within(t), second), "there is no such user")
}

// loggedIn is nil for who gets in, whatever it may do there.
func loggedIn(ctx context.Context, client *redis.Client) error {
	err := client.Get(ctx, "any").Err()
	if errors.Is(err, redis.Nil) || err != nil && strings.HasPrefix(err.Error(), "NOPERM") {
		return nil
	}
	return err
}
