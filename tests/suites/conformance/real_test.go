package conformance_test

import (
	"crypto/tls"
	"crypto/x509"
	"os/exec"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	e := testenv.New(t, testenv.Options{Aiven: localaiven.Options{Engines: []engine.Engine{machine}}})
	for _, k := range allKinds {
		e.Create(e.Example(k.example))
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

// connect verifies the server's certificate and its name with the published CA.
func (d *login) connect() *pgx.Conn {
	d.t.Helper()
	config, err := pgx.ParseConfig("sslmode=verify-full")
	require.NoError(d.t, err)
	port, err := strconv.ParseUint(d.value("PORT"), 10, 16)
	require.NoError(d.t, err)
	roots := x509.NewCertPool()
	require.True(d.t, roots.AppendCertsFromPEM([]byte(d.value("CA_CERT"))))
	config.Host, config.Port = d.value("HOST"), uint16(port)
	config.User, config.Password, config.Database = d.user, d.value("PASSWORD"), d.database
	config.TLSConfig = &tls.Config{RootCAs: roots, ServerName: config.Host, MinVersion: tls.VersionTLS12}
	config.Fallbacks = nil
	// A pool that serves transactions can't keep prepared statements of a client.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	connection, err := pgx.ConnectConfig(d.t.Context(), config)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { _ = connection.Close(d.t.Context()) })
	return connection
}
