package postgres_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

const (
	deadline = 20 * time.Second
	moment   = 20 * time.Millisecond
)

var (
	admin = engine.Credential{Username: "avnadmin", Password: "Adm'in$ecret"}
	alice = engine.Credential{Username: "alice-1", Password: `p"a's\s w:ö/@`}
	// shared makes all tests but the first start from a template.
	shared = postgres.New()
)

// service is a cluster under test with what a client needs to reach it.
type service struct {
	engine.Instance
	dir    string
	caFile string
	ca     *pki.Authority
}

func spec(t testing.TB) (engine.Spec, string) {
	t.Helper()
	authority, err := pki.New("demo project CA")
	require.NoError(t, err)
	root := t.TempDir()
	caFile := filepath.Join(root, "ca.pem")
	require.NoError(t, os.WriteFile(caFile, []byte(authority.CertPEM()), 0o600))
	return engine.Spec{
		Project: "demo", Service: "pg-1", Type: "pg", Admin: admin, CA: authority,
		DataDir: filepath.Join(root, "services", "pg-1"),
	}, caFile
}

// start runs a service until the end of the test.
func start(t testing.TB) *service {
	t.Helper()
	require.NoError(t, shared.Available())
	what, caFile := spec(t)
	instance, err := shared.Start(t.Context(), what)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, instance.Close(context.Background())) })
	return &service{Instance: instance, dir: what.DataDir, caFile: caFile, ca: what.CA}
}

// uri verifies the server's certificate.
func (s *service) uri(at engine.Endpoint, user engine.Credential, database string) string {
	uri := url.URL{
		Scheme: "postgres", User: url.UserPassword(user.Username, user.Password),
		Host: net.JoinHostPort(at.Host, strconv.Itoa(at.Port)), Path: database,
		RawQuery: url.Values{"sslmode": {"verify-full"}, "sslrootcert": {s.caFile}}.Encode(),
	}
	return uri.String()
}

func (s *service) login(t testing.TB, at engine.Endpoint, user engine.Credential, database string) (*pgx.Conn, error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.uri(at, user, database))
	if err == nil {
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	return conn, err
}

func (s *service) connect(t testing.TB, at engine.Endpoint, user engine.Credential, database string) *pgx.Conn {
	t.Helper()
	conn, err := s.login(t, at, user, database)
	require.NoError(t, err)
	return conn
}

func run(t testing.TB, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err, statement)
	}
}

func ask[T any](t testing.TB, conn *pgx.Conn, query string) T {
	t.Helper()
	var answer T
	require.NoError(t, conn.QueryRow(t.Context(), query, pgx.QueryExecModeSimpleProtocol).Scan(&answer), query)
	return answer
}

func requireRefused(t testing.TB, at engine.Endpoint) {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port)))
	if err == nil {
		_ = conn.Close()
	}
	require.Error(t, err, fmt.Sprintf("port %d should be free", at.Port))
}

func orphanSpec(dir string) (engine.Spec, error) {
	authority, err := pki.New("demo project CA")
	return engine.Spec{Project: "demo", Service: "orphan", Type: "pg", Admin: admin, CA: authority, DataDir: dir}, err
}
