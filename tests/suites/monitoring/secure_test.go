package monitoring_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// anyCertificate trusts any server: the certificate is one that the manager has signed itself.
func anyCertificate() *tls.Config { return &tls.Config{InsecureSkipVerify: true} }

func TestMetricsAreForThoseWhomTheAPIServerLetsReadThem(t *testing.T) {
	t.Parallel()
	m := start(testenv.New(t, testenv.Options{Outside: true}), "--metrics-secure")
	reader, stranger := m.token("prometheus"), m.token("stranger")
	m.bind(m.grant(metricsRoles, "aero-system-aero-metrics-reader"), "prometheus")
	for name, tc := range map[string]struct {
		token  string
		status int
	}{
		"no token":                       {"", http.StatusUnauthorized},
		"a token that isn't the API's":   {"unknown", http.StatusUnauthorized},
		"an account without permission":  {stranger, http.StatusForbidden},
		"an account with the permission": {reader, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			status, body, err := m.get(t, "https", tc.token, anyCertificate())
			require.NoError(t, err)
			assert.Equal(t, tc.status, status, body)
			assert.Equal(t, tc.status == http.StatusOK, len(body) > 1000, "only who may read gets something")
		})
	}
	// The server may hang up before its answer is read.
	if status, _, err := m.get(t, "http", reader, nil); err == nil {
		assert.Equal(t, http.StatusBadRequest, status, "a token must not be sent in the clear")
	}
}

// pair writes a certificate for this machine, its key and the CA that signed it, and returns that CA.
func pair(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ca, err := cert.NewSelfSignedCACert(cert.Config{CommonName: dir}, caKey)
	require.NoError(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	leaf, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		Subject: pkix.Name{CommonName: "it"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, ca, key.Public(), caKey)
	require.NoError(t, err)
	encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		"tls.key": encoded,
		"tls.crt": pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: leaf}),
		"ca.crt":  pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: ca.Raw}),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	return pool
}

func TestTheMountedCertificateIsServedAndReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := pair(t, dir)
	m := start(testenv.New(t, testenv.Options{Outside: true}), "--metrics-secure", "--metrics-cert-dir="+dir)
	status, _, err := m.get(t, "https", "", &tls.Config{RootCAs: first})
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, status)

	second := pair(t, dir)
	require.Eventually(t, func() bool {
		_, _, err := m.get(t, "https", "", &tls.Config{RootCAs: second})
		return err == nil
	}, time.Minute, 100*time.Millisecond, "the new certificate must be served without a restart")
}

func TestMetricsByClientCertificateNeedNoReview(t *testing.T) {
	t.Parallel()
	dir, others := t.TempDir(), t.TempDir()
	pair(t, dir)
	pair(t, others)
	ca := filepath.Join(dir, "ca.crt")
	m := start(testenv.New(t, testenv.Options{Outside: true}), "--metrics-secure", "--metrics-client-ca="+ca)

	with := func(dir string) *tls.Config {
		config := anyCertificate()
		certificate, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
		require.NoError(t, err)
		// The whole chain is shown, whatever CAs the server names.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
		return config
	}
	status, body, err := m.get(t, "https", "", with(dir))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "go_goroutines")
	_, _, err = m.get(t, "https", "", with(others))
	require.Error(t, err, "a certificate of another CA")
	_, _, err = m.get(t, "https", m.token("prometheus"), anyCertificate())
	require.Error(t, err, "no certificate")

	theirs, err := os.ReadFile(filepath.Join(others, "ca.crt"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(ca, theirs, 0o600))
	_, _, err = m.get(t, "https", "", with(others))
	require.NoError(t, err, "the CA was replaced")
}
