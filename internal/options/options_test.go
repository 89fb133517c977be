package options

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/config"
)

func TestAFlagOfEachPackageIsParsed(t *testing.T) {
	o, err := Parse([]string{
		"--poll-interval=5m", "--workers-kafkatopic=3", "--metrics-secure", "--tracing-endpoint=http://c", "--leader-election-namespace=own",
	}, "v1")
	require.NoError(t, err)
	assert.Equal(t, 300.0, o.Poll.Seconds())
	assert.Equal(t, 3, o.WorkersFor("kafkatopic"))
	assert.True(t, o.Metrics.Secure)
	assert.Equal(t, "http://c", o.Traces.Endpoint)
	assert.Equal(t, "own", o.Startup.LeaseNamespace)
	assert.Equal(t, "aero/v1", o.UserAgent)
}

func TestInvalidFlagsAndVariablesAreNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		flags    []string
		variable [2]string
		want     string
	}{
		"an argument":                     {flags: []string{"poll-interval=5m"}, want: `unexpected argument "poll-interval=5m": flags start with --`},
		"an unknown flag":                 {flags: []string{"--poll=5m"}, want: "flag provided but not defined: -poll (--help lists the flags)"},
		"an unknown kind":                 {flags: []string{"--workers-kafkatopics=1"}, want: "flag provided but not defined"},
		"an invalid value of the engine":  {flags: []string{"--workers=0"}, want: "--workers must be at least 1"},
		"an invalid value of metrics":     {flags: []string{"--metrics-cert-dir=x"}, want: "--metrics-cert-dir requires"},
		"an invalid value of tracing":     {flags: []string{"--tracing-sampling-rate=0.5"}, want: "--tracing-sampling-rate requires"},
		"an invalid value of the start":   {flags: []string{"--leader-elect"}, want: "--leader-elect requires"},
		"two default tokens":              {flags: []string{"--default-token-file=x"}, variable: [2]string{"DEFAULT_AIVEN_TOKEN", "a"}, want: "DEFAULT_AIVEN_TOKEN and --default-token-file are both set"},
		"a file that doesn't exist":       {flags: []string{"--default-token-file=x"}, want: "--default-token-file: reading the default token: open x: no such file"},
		"a file that isn't needed yet":    {flags: []string{"--default-token-file=x", "--default-token-optional"}},
		"no file that isn't needed":       {flags: []string{"--default-token-optional"}, want: "--default-token-optional requires --default-token-file"},
		"an unknown level":                {variable: [2]string{"LOG_LEVEL", "loud"}, want: `LOG_LEVEL "loud" is not one of`},
		"an invalid address of Aiven":     {variable: [2]string{"AIVEN_WEB_URL", "api.aiven.io"}, want: "AIVEN_WEB_URL is not a base URL"},
		"a level, which a flag overrides": {flags: []string{"--zap-log-level=info"}, variable: [2]string{"LOG_LEVEL", "loud"}},
		"a level":                         {variable: [2]string{"LOG_LEVEL", "debug"}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.variable[0] != "" {
				t.Setenv(tc.variable[0], tc.variable[1])
			}
			_, err := Parse(tc.flags, "v1")
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestReviewM8_AnAddressOfAivenThatCouldLoseDataOrTokensIsRefused(t *testing.T) {
	const (
		notAURL = "AIVEN_WEB_URL is not a base URL such as https://api.aiven.io"
		user    = "AIVEN_WEB_URL must not have a user name or password: the operator logs in with tokens"
		empty   = "AIVEN_WEB_URL must not have an empty or dot segment in its path"
		path    = "AIVEN_WEB_URL must not have a path, such as /v1. Correct the URL, or set --allow-insecure-aiven-url"
		http    = "AIVEN_WEB_URL must use https: http would send tokens to example.com unencrypted. Correct the URL, or set --allow-insecure-aiven-url"
	)
	for url, tc := range map[string]struct{ want, allowed string }{
		"":                             {},
		"https://api.aiven.io":         {},
		"https://api.aiven.io/":        {},
		"https://proxy:8443":           {},
		"http://127.0.0.1:18080":       {},
		"http://[::1]:18080":           {},
		"http://localhost:18080":       {},
		"https://api.aiven.io/v1":      {want: path},
		"http://127.0.0.1/v1":          {want: path},
		"http://example.com":           {want: http},
		"HTTP://example.com:8080":      {want: http},
		"http://localhost.example.com": {want: "to localhost.example.com unencrypted"},
		"http://10.0.0.1":              {want: "to 10.0.0.1 unencrypted"},
		"api.aiven.io":                 {want: notAURL, allowed: notAURL},
		"https://":                     {want: notAURL, allowed: notAURL},
		"https://:443":                 {want: notAURL, allowed: notAURL},
		"httpx://api.aiven.io":         {want: notAURL, allowed: notAURL},
		"https://api.aiven.io?a=b":     {want: notAURL, allowed: notAURL},
		"https://api.aiven.io#a":       {want: notAURL, allowed: notAURL},
		"https://u:s3cret@x\x00":       {want: notAURL, allowed: notAURL},
		"https://api.aiven.io?":        {want: notAURL, allowed: notAURL},
		"https://api.aiven.io#":        {want: notAURL, allowed: notAURL},
		"https://u:s3cret@example.com": {want: user, allowed: user},
		"https://u@example.com":        {want: user, allowed: user},
		"https://api.aiven.io//":       {want: empty, allowed: empty},
		"https://example.com/a//b":     {want: empty, allowed: empty},
		"https://example.com/a/../b":   {want: empty, allowed: empty},
		"https://example.com/a/%2e%2E": {want: empty, allowed: empty},
		"https://example.com/a/b/":     {want: "such as /a/b/"},
	} {
		t.Run(url, func(t *testing.T) {
			for allow, want := range map[bool]string{false: tc.want, true: tc.allowed} {
				o := &Options{allowInsecureURL: allow}
				o.AivenURL = url
				if err := o.checkURL(); want == "" {
					assert.NoError(t, err)
				} else {
					require.ErrorContains(t, err, want)
					assert.NotContains(t, err.Error(), "s3cret")
				}
			}
		})
	}
}

func TestAnErrorIsLoggedWithoutAStackTraceUnlessAFlagAsksForOne(t *testing.T) {
	for name, tc := range map[string]struct {
		flags  []string
		traced bool
	}{
		"by default":                  {},
		"by the flag for traces":      {[]string{"--zap-stacktrace-level=error"}, true},
		"by the flag for development": {[]string{"--zap-devel"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := Parse(tc.flags, "v1")
			require.NoError(t, err)
			var out strings.Builder
			o.log.DestWriter = &out
			o.Logger().Error(errors.New("refused"), "Reconciler error")
			assert.Contains(t, out.String(), "refused")
			assert.Equal(t, tc.traced, strings.Contains(out.String(), "options_test.go"), out.String())
		})
	}
}

func TestTheVersionIsPrinted(t *testing.T) {
	o, err := Parse([]string{"--version"}, "v1")
	require.NoError(t, err)
	assert.Nil(t, o)
	assert.Contains(t, versionText("v1"), "aero v1 (go")
}

// docs/user/operating.md has the text of --help in each row with one flag. The flags of kinds have one row.
func TestTheDocsListEveryFlag(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	(&Options{Config: config.Default()}).bindFlags(fs)
	var want []string
	fs.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "workers-") {
			want = append(want, f.Name)
		}
	})
	want = append(want, "workers-<kind>")
	slices.Sort(want)

	content, err := os.ReadFile("../../docs/user/operating.md")
	require.NoError(t, err)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`--[^|]+)\\|([^|]+)\\|([^|]+)\\|$").FindAllStringSubmatch(string(content), -1) {
		flags := regexp.MustCompile("`--([^`]+)`").FindAllStringSubmatch(row[1], -1)
		for _, match := range flags {
			listed = append(listed, match[1])
		}
		f := fs.Lookup(flags[0][1])
		if len(flags) > 1 || f == nil {
			continue
		}
		assert.Equal(t, f.Usage, strings.ReplaceAll(strings.TrimSpace(row[3]), "`", ""), f.Name)
		if value := strings.TrimSpace(row[2]); strings.HasPrefix(value, "`") {
			require.NoError(t, f.Value.Set(strings.Trim(value, "`")), f.Name)
			assert.Equal(t, f.DefValue, f.Value.String(), f.Name)
		}
	}
	slices.Sort(listed)
	assert.Equal(t, want, listed)
}
