package mysql_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"net"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

const (
	deadline = 20 * time.Second
	moment   = 20 * time.Millisecond
)

var (
	admin = engine.Credential{Username: "avnadmin", Password: "Adm'in$ecret"}
	alice = engine.Credential{Username: "alice-1", Password: `p"a's\s w:ö/@`}
	// shared lets all tests but the first start from a template.
	shared = mysql.New()
)

// service is a server under test with what a client needs to reach it.
type service struct {
	engine.Instance
	dir   string
	roots *x509.CertPool
}

func spec(t testing.TB) (engine.Spec, *x509.CertPool) {
	t.Helper()
	authority, err := pki.New("demo project CA")
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(authority.CertPEM())))
	return engine.Spec{
		Project: "demo", Service: "shop", Type: "mysql", Admin: admin, CA: authority,
		DataDir: filepath.Join(t.TempDir(), "services", "shop"),
	}, roots
}

func needsMariaDB(t testing.TB) {
	t.Helper()
	if err := shared.Available(); err != nil {
		t.Skip("this machine can't run MySQL: ", err)
	}
}

// start runs a service with a database until the end of the test.
func start(t testing.TB) *service {
	t.Helper()
	needsMariaDB(t)
	what, roots := spec(t)
	instance, err := shared.Start(t.Context(), what)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, instance.Close(context.Background())) })
	require.NoError(t, instance.Databases().Set(t.Context(), "defaultdb", "", ""))
	return &service{instance, what.DataDir, roots}
}

func (s *service) config(user engine.Credential, database string) *driver.Config {
	config := driver.NewConfig()
	config.Net, config.Addr = "tcp", net.JoinHostPort(s.Endpoint().Host, strconv.Itoa(s.Endpoint().Port))
	config.User, config.Passwd, config.DBName, config.Logger = user.Username, user.Password, database, &driver.NopLogger{}
	config.TLS = &tls.Config{RootCAs: s.roots, ServerName: s.Endpoint().Host, MinVersion: tls.VersionTLS12}
	return config
}

// login verifies the server's certificate. The client has one session.
func login(t testing.TB, config *driver.Config) (*sql.Conn, error) {
	t.Helper()
	connector, err := driver.NewConnector(config)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db.Conn(t.Context())
}

func (s *service) connect(t testing.TB, user engine.Credential, database string) *sql.Conn {
	t.Helper()
	conn, err := login(t, s.config(user, database))
	require.NoError(t, err)
	return conn
}

func run(t testing.TB, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

func ask[T any](t testing.TB, conn *sql.Conn, query string) T {
	t.Helper()
	var answer T
	require.NoError(t, conn.QueryRowContext(t.Context(), query).Scan(&answer), query)
	return answer
}
