package localaiven_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// callAs lists services with a token, and returns the status and how long the token is told to wait.
func callAs(t *testing.T, h *harness, token string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+servicesPath, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "aivenv1 "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, response.Header.Get("Retry-After")
}

func TestATokenHasItsCallsPerSecond(t *testing.T) {
	h := start(t, localaiven.Options{RateLimit: 2})
	for range 2 {
		status, _ := callAs(t, h, "busy")
		require.Equal(t, 200, status)
	}
	status, after := callAs(t, h, "busy")
	assert.Equal(t, 429, status)
	assert.Equal(t, "1", after)
	status, _ = callAs(t, h, "idle")
	assert.Equal(t, 200, status, "another token has a limit of its own")

	h.clock.Advance(500 * time.Millisecond)
	status, _ = callAs(t, h, "busy")
	assert.Equal(t, 200, status, "a refused call costs nothing")
	assertRefused(t, h, "busy", badCall{get, servicesPath, "", 429, "Too many requests"})
	assert.EqualValues(t, 2, h.Stats().ByStatus["429"])
}

func TestASlowLimitSaysHowLong(t *testing.T) {
	h := start(t, localaiven.Options{RateLimit: 0.1})
	status, _ := callAs(t, h, "x")
	require.Equal(t, 200, status)
	h.clock.Advance(2500 * time.Millisecond)
	status, after := callAs(t, h, "x")
	assert.Equal(t, 429, status)
	assert.Equal(t, "8", after, "7.5 s, in whole seconds")
}

func TestAFastClockGoesFaster(t *testing.T) {
	start := time.Now()
	clock := localaiven.NewFastClock(1e6)
	assert.Eventually(t, func() bool { return clock.Now().Sub(start) > 10*patience }, patience, often)
}
