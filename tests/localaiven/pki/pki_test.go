package pki_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/pki"
)

func TestIssue(t *testing.T) {
	authority, err := pki.New("demo project CA")
	require.NoError(t, err)
	stranger, err := pki.New("another project CA")
	require.NoError(t, err)
	cert, key, err := authority.Issue("demo", "127.0.0.1", "localhost")
	require.NoError(t, err)
	address := serve(t, authority, cert, key)

	cases := map[string]struct {
		trust      *pki.Authority
		host       string
		withClient bool
		fails      bool
	}{
		"a client that trusts the authority verifies the IP address":     {trust: authority, host: "127.0.0.1", withClient: true},
		"a client that trusts the authority verifies the DNS name":       {trust: authority, host: "localhost", withClient: true},
		"a host that the certificate doesn't name is refused":            {trust: authority, host: "example.com", withClient: true, fails: true},
		"a client that trusts another authority refuses":                 {trust: stranger, host: "localhost", withClient: true, fails: true},
		"a server that asks for a certificate refuses one that has none": {trust: authority, host: "localhost", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			config := &tls.Config{RootCAs: pool(t, tc.trust), ServerName: tc.host}
			if tc.withClient {
				config.Certificates = []tls.Certificate{pair(t, cert, key)}
			}
			err := talk(address, config)
			assert.Equal(t, tc.fails, err != nil, "talking to the server: %v", err)
		})
	}
}

// serve answers each client that proves its identity with one byte.
func serve(t *testing.T, authority *pki.Authority, cert, key string) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair(t, cert, key)},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    pool(t, authority),
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func(conn net.Conn) {
				defer func() { _ = conn.Close() }()
				_, _ = conn.Write([]byte{1})
			}(conn)
		}
	}()
	return listener.Addr().String()
}

func talk(address string, config *tls.Config) error {
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = conn.Read(make([]byte, 1))
	return err
}

func pair(t *testing.T, cert, key string) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	return pair
}

func pool(t *testing.T, authority *pki.Authority) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM([]byte(authority.CertPEM())))
	return pool
}
