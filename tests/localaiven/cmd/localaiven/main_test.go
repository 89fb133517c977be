package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServesUntilToldToStop(t *testing.T) {
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
