package metricsserver

import (
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestFlagsAreValidated(t *testing.T) {
	empty := t.TempDir()
	text := filepath.Join(empty, "ca.crt")
	require.NoError(t, os.WriteFile(text, []byte("no certificate"), 0o600))
	for name, tc := range map[string]struct {
		flags []string
		want  string // "" for no error
	}{
		"no flag":                       {},
		"HTTPS alone":                   {flags: []string{"--metrics-secure"}},
		"a certificate for plain HTTP":  {[]string{"--metrics-cert-dir=" + empty}, "--metrics-cert-dir requires --metrics-secure"},
		"a CA of clients of plain HTTP": {[]string{"--metrics-client-ca=" + text}, "--metrics-client-ca requires --metrics-secure"},
		"a directory without a certificate": {
			[]string{"--metrics-secure", "--metrics-cert-dir=" + empty},
			"--metrics-cert-dir must have a certificate and its key in tls.crt and tls.key",
		},
		"a CA file that doesn't exist": {
			[]string{"--metrics-secure", "--metrics-client-ca=" + filepath.Join(empty, "gone")}, "--metrics-client-ca: reading CA certificates",
		},
		"a CA file without a certificate": {[]string{"--metrics-secure", "--metrics-client-ca=" + text}, "has no certificate in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			o, fs := &Options{}, flag.NewFlagSet("", flag.ContinueOnError)
			o.BindFlags(fs)
			require.NoError(t, fs.Parse(tc.flags))
			err := o.Validate()
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestMetricsAreServedUntilTheEnd(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o := Options{Address: listener.Addr().String()}
	ctx, stop := context.WithCancelCause(t.Context())
	require.NoError(t, o.Serve(ctx, &rest.Config{}, stop))
	<-ctx.Done()
	require.ErrorContains(t, context.Cause(ctx), "serving metrics: ", "the address is in use")
	require.NoError(t, listener.Close())

	ctx, stop = context.WithCancelCause(t.Context())
	require.NoError(t, o.Serve(ctx, &rest.Config{}, stop))
	status := func() int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+o.Address+"/metrics", nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0
		}
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Eventually(t, func() bool { return status() == http.StatusOK }, time.Minute, time.Millisecond)
	stop(nil)
	require.Eventually(t, func() bool { return status() == 0 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, context.Cause(ctx), context.Canceled)

	require.NoError(t, (&Options{Address: "0"}).Serve(t.Context(), &rest.Config{}, stop), "there is none")
}

func TestRequestsAreAuthorizedOverHTTPSOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		options            Options
		secure, authorizes bool
	}{
		"plain HTTP":            {Options{Address: ":1"}, false, false},
		"HTTPS":                 {Options{Address: ":1", Secure: true}, true, true},
		"by client certificate": {Options{Address: ":1", Secure: true, ClientCA: "ca.crt"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := tc.options.Server()
			assert.Equal(t, ":1", server.BindAddress)
			assert.Equal(t, tc.secure, server.SecureServing)
			assert.Equal(t, tc.authorizes, server.FilterProvider != nil)
			assert.Equal(t, tc.options.ClientCA != "", len(server.TLSOpts) == 1)
		})
	}
}
