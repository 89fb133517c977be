package valkey_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
	"github.com/aero-operator/aero/tests/localaiven/pki"
)

var (
	everything = engine.Access{Keys: []string{"*"}, Channels: []string{"*"}, Categories: []string{"+@all"}}
	admin      = engine.Credential{Username: "avnadmin", Password: "Adm'in$ecret", Access: everything}
	alice      = engine.Credential{Username: "alice-1", Password: `p"a's\s w:ö/@`, Access: everything}
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
		Project: "demo", Service: "cache", Type: "valkey", Admin: admin, CA: authority,
		DataDir: filepath.Join(t.TempDir(), "services", "cache"),
	}, roots
}

func needsValkey(t testing.TB) {
	t.Helper()
	if err := valkey.New().Available(); err != nil {
		t.Skip("this machine can't run Valkey: ", err)
	}
}

// start runs a service until the end of the test.
func start(t testing.TB) *service {
	t.Helper()
	needsValkey(t)
	what, roots := spec(t)
	instance, err := valkey.New().Start(t.Context(), what)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, instance.Close(context.Background())) })
	return &service{instance, what.DataDir, roots}
}

func (s *service) options(user engine.Credential) *redis.Options {
	return &redis.Options{
		Addr:     net.JoinHostPort(s.Endpoint().Host, strconv.Itoa(s.Endpoint().Port)),
		Username: user.Username, Password: user.Password, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1, PoolSize: 1,
		TLSConfig: &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12},
	}
}

// login verifies the server's certificate. The client has one session.
func (s *service) login(t testing.TB, user engine.Credential) *redis.Client {
	t.Helper()
	client := redis.NewClient(s.options(user))
	t.Cleanup(func() { _ = client.Close() })
	return client
}
