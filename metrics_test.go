package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHowMetricsAreServedIsCheckedBeforeTheManagerStarts(t *testing.T) {
	empty := t.TempDir()
	text := filepath.Join(empty, "ca.crt")
	require.NoError(t, os.WriteFile(text, []byte("no certificate"), 0o600))
	for name, tc := range map[string]struct {
		flags []string
		says  string // "" if nothing is wrong
	}{
		"nothing asked for":             {},
		"HTTPS alone":                   {flags: []string{"--metrics-secure"}},
		"a certificate for plain HTTP":  {[]string{"--metrics-cert-dir=" + empty}, "--metrics-cert-dir needs --metrics-secure"},
		"a CA of clients of plain HTTP": {[]string{"--metrics-client-ca=" + text}, "--metrics-client-ca needs --metrics-secure"},
		"a folder without a certificate": {
			[]string{"--metrics-secure", "--metrics-cert-dir=" + empty},
			"--metrics-cert-dir must have a certificate and its key in tls.crt and tls.key",
		},
		"a CA that isn't there": {
			[]string{"--metrics-secure", "--metrics-client-ca=" + filepath.Join(empty, "gone")}, "--metrics-client-ca: reading CA certificates",
		},
		"a CA that is none": {[]string{"--metrics-secure", "--metrics-client-ca=" + text}, "has no certificate in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tc.flags)
			if tc.says == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.says)
		})
	}
}

func TestWhoMayReadMetricsIsAskedOnlyWithHTTPS(t *testing.T) {
	for name, tc := range map[string]struct {
		options      metricsOptions
		secure, asks bool
	}{
		"plain HTTP":            {metricsOptions{address: ":1"}, false, false},
		"HTTPS":                 {metricsOptions{address: ":1", secure: true}, true, true},
		"by client certificate": {metricsOptions{address: ":1", secure: true, clientCA: "ca.crt"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := tc.options.server()
			assert.Equal(t, ":1", server.BindAddress)
			assert.Equal(t, tc.secure, server.SecureServing)
			assert.Equal(t, tc.asks, server.FilterProvider != nil)
			assert.Equal(t, tc.options.clientCA != "", len(server.TLSOpts) == 1)
		})
	}
}
