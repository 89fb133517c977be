package otlp

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesForTLSMustExist(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	for _, name := range []string{"OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, gone)
			require.ErrorContains(t, (&Options{Endpoint: "https://c", Rate: 1}).Validate(), name+" must name a file: open "+gone)
			require.ErrorContains(t, (&Options{Endpoint: "http://c", Rate: 1}).Validate(), name+" requires TLS: remove it, or use https:// in --tracing-endpoint")
			require.NoError(t, (&Options{Rate: 1}).Validate(), "tracing is off")
		})
	}
}

func TestVariablesWithAWrongValueAreAnError(t *testing.T) {
	for name, tc := range map[string]struct{ variable, value, want string }{
		"a compression that is unknown": {"OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, not \"zstd\""},
		"the same for traces alone":     {"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "zstd", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION must be gzip"},
		"a timeout with a unit":         {"OTEL_EXPORTER_OTLP_TIMEOUT", "10s", "OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds above 0, not \"10s\""},
		"a timeout of nothing":          {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "0", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT must be a number of milliseconds"},
		"a header without a key":        {"OTEL_EXPORTER_OTLP_HEADERS", "=s3cret", "OTEL_EXPORTER_OTLP_HEADERS must be a list of key=value"},
		"a header badly encoded":        {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=s3cret%zz", "OTEL_EXPORTER_OTLP_TRACES_HEADERS must be a list"},
		"a CA that is no certificate":   {"OTEL_EXPORTER_OTLP_CERTIFICATE", os.Args[0], "OTEL_EXPORTER_OTLP_CERTIFICATE must name a file with a certificate in PEM"},
		"a certificate without its key": {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", os.Args[0], "must name a certificate and its key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(tc.variable, tc.value)
			err := (&Options{Endpoint: "https://c", Rate: 1}).Validate()
			require.ErrorContains(t, err, tc.want)
			assert.NotContains(t, err.Error(), "s3cret")
			require.NoError(t, (&Options{Rate: 1}).Validate(), "tracing is off")
		})
	}
}

func TestTheVariableForTracesTakesPrecedence(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "wrong, and not used")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1500")
	s, err := readSettings(false)
	require.NoError(t, err)
	assert.Equal(t, 1500*time.Millisecond, s.timeout)
}

func TestACollectorIsTrustedByItsCAAndTrustsAClientCertificate(t *testing.T) {
	var shown []*x509.Certificate
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown = r.TLS.PeerCertificates }))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{
		"CERTIFICATE":        {Type: "CERTIFICATE", Bytes: server.Certificate().Raw},
		"CLIENT_CERTIFICATE": {Type: "CERTIFICATE", Bytes: server.Certificate().Raw},
		"CLIENT_KEY":         {Type: "PRIVATE KEY", Bytes: key},
	} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, path)
	}
	s, err := readSettings(true)
	require.NoError(t, err)
	require.NoError(t, newClient(server.URL, "v1", s).UploadTraces(t.Context(), batch()))
	require.Len(t, shown, 1)
	assert.Equal(t, server.Certificate().Raw, shown[0].Raw)
}

func TestTheEndpointIsABase(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://c:4318":        "http://c:4318/v1/traces",
		"http://c":             "http://c:4318/v1/traces",
		"http://[::1]/":        "http://[::1]:4318/v1/traces",
		"https://c":            "https://c/v1/traces",
		"https://gateway/otlp": "https://gateway/otlp/v1/traces",
	} {
		u, err := target(endpoint)
		require.NoError(t, err)
		assert.Equal(t, want, u.String())
	}
}
