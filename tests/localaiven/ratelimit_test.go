package localaiven_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// callAs lists services with a token, and returns the status, the message of an error and the header Retry-After.
func callAs(t *testing.T, h *harness, token string) (status int, message, after string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+servicesPath, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "aivenv1 "+token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	body := struct{ Message string }{}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&body))
	require.NoError(t, response.Body.Close())
	return response.StatusCode, body.Message, response.Header.Get("Retry-After")
}

func TestTokensOfOneUserShareTheUsersCalls(t *testing.T) {
	h := start(t, localaiven.Options{RateLimit: localaiven.RateLimit{Calls: 3}, Tokens: []string{"alice=a1", "alice=a2==", "bob=b", "c=="}})
	for _, token := range []string{"a1", "a2==", "a1"} {
		status, _, _ := callAs(t, h, token)
		require.Equal(t, 200, status)
		h.clock.Advance(10 * time.Second)
	}
	h.clock.Advance(2500 * time.Millisecond)
	for _, token := range []string{"a1", "a2=="} {
		status, message, after := callAs(t, h, token)
		assert.Equal(t, 429, status)
		assert.Equal(t, "Rate limit 3 exceeded - try again in 28s", message, "27.5 s remain")
		assert.Equal(t, "28", after)
	}
	for _, token := range []string{"b", "c=="} {
		status, _, _ := callAs(t, h, token)
		assert.Equal(t, 200, status, "another user has calls of its own")
	}
	assert.EqualValues(t, 2, h.Stats().ByStatus["429"])
	assert.EqualValues(t, 7, h.Stats().Calls["ServiceList"], "a refused call is a call")

	h.clock.Advance(27500 * time.Millisecond)
	for range 3 {
		status, _, _ := callAs(t, h, "a2==")
		assert.Equal(t, 200, status, "a new window")
	}
	status, message, _ := callAs(t, h, "a1")
	assert.Equal(t, 429, status)
	assert.Equal(t, "Rate limit 3 exceeded - try again in 60s", message, "a window begins with the first call in it")
}

func TestARateLimitHasItsOwnWindowClockAndHeader(t *testing.T) {
	clock := localaiven.NewManualClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	h := start(t, localaiven.Options{RateLimit: localaiven.RateLimit{Calls: 1, Window: 5 * time.Second, NoRetryAfter: true, Clock: clock}})
	status, _, _ := callAs(t, h, "x")
	require.Equal(t, 200, status)
	h.clock.Advance(time.Hour)
	status, message, after := callAs(t, h, "x")
	assert.Equal(t, 429, status)
	assert.Equal(t, "Rate limit 1 exceeded - try again in 5s", message)
	assert.Empty(t, after)
	status, _, _ = callAs(t, h, "y")
	assert.Equal(t, 200, status, "where any token is accepted, each has a user of its own")
	clock.Advance(5 * time.Second)
	status, _, _ = callAs(t, h, "x")
	assert.Equal(t, 200, status)
}

func TestAnInvalidTokenCostsNoCall(t *testing.T) {
	h := start(t, localaiven.Options{RateLimit: localaiven.RateLimit{Calls: 1}, Tokens: []string{"good"}})
	for range 3 {
		status, _, _ := callAs(t, h, "bad")
		require.Equal(t, 401, status)
	}
	status, _, _ := callAs(t, h, "good")
	assert.Equal(t, 200, status)
}

func TestAFastClockGoesFaster(t *testing.T) {
	start := time.Now()
	clock := localaiven.NewFastClock(1e6)
	assert.Eventually(t, func() bool { return clock.Now().Sub(start) > 10*testTimeout }, testTimeout, often)
}
