package conformance_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// What the operator publishes is all that an application has: the way from a manifest to a row in a real database.
func TestAnApplicationConnectsWithWhatTheSecretsSay(t *testing.T) {
	t.Parallel()
	machine := postgres.New()
	if err := machine.Available(); err != nil {
		t.Skip("needs a real PostgreSQL: ", err)
	}
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"PostgreSQL", "Database", "ServiceUser", "ConnectionPool"}, Aiven: localaiven.Options{Engines: []engine.Engine{machine}},
	})
	for _, example := range []string{"postgresql", "database", "serviceuser", "connectionpool"} {
		e.Create(e.Example(example))
	}
	user, pool := e.Example("serviceuser"), e.Example("connectionpool")
	e.Wait(user, testenv.Ready())
	e.Wait(e.Example("database"), testenv.Ready())

	direct := access(t, e, userName, "ORDERS_")
	direct.user, direct.database = direct.value("USERNAME"), databaseName
	connection := direct.connect()
	_, err := connection.Exec(t.Context(), "CREATE TABLE orders (id int)")
	require.NoError(t, err)
	_, err = connection.Exec(t.Context(), "INSERT INTO orders VALUES (42)")
	require.NoError(t, err)

	if _, err := exec.LookPath("pgbouncer"); err != nil {
		t.Skip("the second half needs a real PgBouncer: ", err)
	}
	e.Wait(pool, testenv.Ready())
	pooled := access(t, e, poolName, "ORDERS_POOL_")
	pooled.user, pooled.database = pooled.value("USER"), pooled.value("NAME")
	var id int
	require.NoError(t, pooled.connect().QueryRow(t.Context(), "SELECT id FROM orders").Scan(&id))
	assert.Equal(t, 42, id)
	uri, err := pgx.ParseConfig(pooled.value("DATABASE_URI"))
	require.NoError(t, err)
	assert.Equal(t, []string{pooled.value("HOST"), poolName, userName}, []string{uri.Host, uri.Database, uri.User})
}

// refusedByPostgres is the code with which PostgreSQL refused something; empty if it didn't.
func refusedByPostgres(err error) string {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

func TestAnApplicationOfPostgreSQLIsRefusedWhatItsSecretDoesNotSay(t *testing.T) {
	t.Parallel()
	machine := postgres.New()
	if err := machine.Available(); err != nil {
		t.Skip("needs a real PostgreSQL: ", err)
	}
	e := testenv.New(t, testenv.Options{
		Kinds: []string{"PostgreSQL", "Database", "ServiceUser"}, Aiven: localaiven.Options{Engines: []engine.Engine{machine}},
	})
	service, database, user := e.Example("postgresql"), e.Example("database"), e.Example("serviceuser").(*v1alpha1.ServiceUser)
	other := stranger(user)
	for _, obj := range []testenv.Object{service, database, user, other} {
		e.Create(obj)
	}
	for _, obj := range []testenv.Object{service, database, user, other} {
		e.Wait(obj, testenv.Ready())
	}
	of := func(secret string) *login {
		found := access(t, e, secret, "ORDERS_")
		found.user, found.database = found.value("USERNAME"), databaseName
		return found
	}
	first := of(userName)
	_, err := first.connect().Exec(t.Context(), "CREATE TABLE orders AS SELECT 42 AS id")
	require.NoError(t, err)
	_, err = of("stranger").connect().Exec(t.Context(), "SELECT id FROM orders")
	assert.Equal(t, "42501", refusedByPostgres(err), "the table is another user's: %v", err)
	_, err = first.connect().Exec(t.Context(), "CREATE DATABASE mine")
	assert.Equal(t, "42501", refusedByPostgres(err), "databases are made through the API: %v", err)

	rotate(e, user)
	second := of(userName)
	second.connect()
	_, err = first.open()
	assert.Equal(t, "28P01", refusedByPostgres(err), "the former password: %v", err)
	e.Delete(user)
	e.WaitGone(user)
	_, err = second.open()
	assert.Equal(t, "28P01", refusedByPostgres(err), "there is no such user: %v", err)
}

// stranger is another user of the same service, with a Secret of its own.
func stranger(user *v1alpha1.ServiceUser) *v1alpha1.ServiceUser {
	other := user.DeepCopy()
	other.Name, other.Spec.Username, other.Spec.ConnInfoSecretTarget.Name = "stranger", "stranger", "stranger"
	return other
}

// rotate gives a user a password of the test's choice, and returns once it is published.
func rotate(e *testenv.Env, user *v1alpha1.ServiceUser) {
	e.T.Helper()
	e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
	e.Change(user, func() {
		user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	})
	e.Wait(user, testenv.Ready())
	require.Equal(e.T, declaredPassword, string(e.Secret(userName).Data["ORDERS_PASSWORD"]))
}

// login is the access to a database that a Secret describes.
type login struct {
	t              *testing.T
	data           map[string][]byte
	prefix         string
	user, database string
}

func access(t *testing.T, e *testenv.Env, secret, prefix string) *login {
	t.Helper()
	found := e.Secret(secret)
	require.NotNil(t, found, secret)
	return &login{t: t, data: found.Data, prefix: prefix}
}

func (d *login) value(key string) string { return string(d.data[d.prefix+key]) }

// roots are the published CA.
func (d *login) roots() *x509.CertPool {
	d.t.Helper()
	roots := x509.NewCertPool()
	require.True(d.t, roots.AppendCertsFromPEM([]byte(d.value("CA_CERT"))))
	return roots
}

// connect is open for who must be let in.
func (d *login) connect() *pgx.Conn {
	d.t.Helper()
	connection, err := d.open()
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = connection.Close(d.t.Context()) })
	return connection
}

// open verifies the server's certificate and its name with the published CA.
func (d *login) open() (*pgx.Conn, error) {
	d.t.Helper()
	config, err := pgx.ParseConfig("sslmode=verify-full")
	require.NoError(d.t, err)
	port, err := strconv.ParseUint(d.value("PORT"), 10, 16)
	require.NoError(d.t, err)
	config.Host, config.Port = d.value("HOST"), uint16(port)
	config.User, config.Password, config.Database = d.user, d.value("PASSWORD"), d.database
	config.TLSConfig = &tls.Config{RootCAs: d.roots(), ServerName: config.Host, MinVersion: tls.VersionTLS12}
	config.Fallbacks = nil
	// A pool that serves transactions can't keep prepared statements of a client.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return pgx.ConnectConfig(d.t.Context(), config)
}
