package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestServesUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"--listen", "127.0.0.1:0", "--engines", "none", "--projects", "p", "--tokens", "a,b"}, in)
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	require.True(t, ready, line)
	for path, want := range map[string]int{"/_local/stats": 200, "/v1/project/p/service": 401} {
		response, err := http.Get(url + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, want, response.StatusCode, path)
	}
	stop()
	assert.NoError(t, <-done)
}

func TestBadFlagsEndInOneLine(t *testing.T) {
	for name, args := range map[string][]string{
		"an unknown flag":           {"--color"},
		"an unknown engine":         {"--engines", "dbase"},
		"a bad duration":            {"--latency", "long"},
		"a negative duration":       {"--provision-time", "-1s"},
		"a negative jitter":         {"--jitter", "-1s"},
		"a clock that stands":       {"--speed", "0"},
		"a rate with a unit":        {"--rate-limit", "20/s"},
		"a negative rate":           {"--rate-limit", "-1"},
		"a window of nothing":       {"--rate-window", "0s"},
		"an unknown variant":        {"--variants", "omit-acls,nope"},
		"a negative time":           {"--integration-time", "-1s"},
		"a bad level":               {"--log-level", "loud"},
		"an argument":               {"serve"},
		"an address that isn't one": {"--engines", "none", "--listen", "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), args, io.Discard)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestFlagsBecomeOptions(t *testing.T) {
	c, err := parse([]string{
		"--tokens", "alice=a,b", "--projects", "p1,p2", "--rate-limit", "120", "--rate-retry-after=false", "--engines", "none",
		"--variants", "omit-acls,merge-quotas", "--no-backups", "grafana,flink", "--null-connection-info", "all", "--foreign-projects", "theirs",
	})
	require.NoError(t, err)
	o := c.options
	assert.Equal(t, []string{"alice=a", "b"}, o.Tokens)
	assert.Equal(t, []string{"p1", "p2"}, o.Projects)
	assert.Equal(t, []string{"theirs"}, o.ForeignProjects)
	assert.Equal(t, localaiven.Variants{
		OmitACLs: true, MergeQuotas: true, NoBackups: []string{"grafana", "flink"}, NullConnectionInfo: []string{"all"},
	}, o.Variants)
	assert.Equal(t, 120, o.RateLimit.Calls)
	assert.Equal(t, time.Minute, o.RateLimit.Window)
	assert.True(t, o.RateLimit.NoRetryAfter)
	assert.Nil(t, o.Clock)
	assert.NotNil(t, o.RateLimit.Clock)
}
