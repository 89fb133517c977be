package resource

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestADeletionThatWaitsForItsTurnNeedsNoOtherLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, with("x"))
		a.On(remove, aiventest.OK(nil))
		client, err := aiven.New(aiven.Options{Transport: a, QPS: 0.2, Burst: 1, WatchInterval: time.Minute}).ForToken("a-token")
		require.NoError(t, err)
		attempt := func() error { return byID().Kind().New(controllers.Env{Client: client}).Delete(t.Context(), object()) }
		err = attempt()
		require.True(t, fault.NotSent(err), "%v", err)
		assert.Equal(t, []string{lookup}, a.Calls(), "it took the turn")
		<-time.After(fault.Of(err).RetryAfter)
		require.NoError(t, attempt())
		assert.Equal(t, []string{remove}, a.Calls())
	})
}
