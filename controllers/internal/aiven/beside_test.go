package aiven_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func TestACallAboutAServiceIsMadeOnceForEachReadOfIt(t *testing.T) {
	a := aiventest.New(t)
	a.On("GET service/my-pg", aiventest.Service(nil))
	client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Minute}).ForToken("a-token")
	require.NoError(t, err)
	calls := 0
	ask := func(operation string, fails error) int {
		found, err := client.GetLive(t.Context(), aiventest.Project, "my-pg")
		require.NoError(t, err)
		_, err = aiven.Beside(client, found, operation, func() (int, error) { calls++; return calls, fails })
		require.ErrorIs(t, err, fails)
		client.CallNotSent(aiventest.Project, "my-pg")
		return calls
	}
	assert.Equal(t, 1, ask("a", errors.New("an error isn't kept")))
	assert.Equal(t, 2, ask("a", nil))
	assert.Equal(t, 2, ask("a", nil), "the same read of the service")
	assert.Equal(t, 3, ask("b", nil), "another call")
	client.Invalidate(aiventest.Project, "my-pg")
	assert.Equal(t, 4, ask("a", nil), "another read")
}
