package postgres

import (
	"strings"
	"sync"
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

func TestAnUpgradeThatWaitsForItsTurnIsReadAndCheckedOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		turns int // of the first attempt
		calls []string
	}{
		"the check waits":       {turns: 1, calls: []string{"POST service/my-pg/task", progress, "PUT service/my-pg"}},
		"the result waits":      {turns: 2, calls: []string{progress, "PUT service/my-pg"}},
		"what it permits waits": {turns: 3, calls: []string{"PUT service/my-pg"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, obj := aiventest.New(t), postgres("18")
				a.On(lookup, aiventest.Service(nil))
				a.On("POST service/my-pg/task", task(false, ""))
				a.On(progress, task(true, "All checks passed"))
				a.On("PUT service/my-pg", aiventest.OK(nil))
				client, err := aiven.New(aiven.Options{Transport: a, QPS: 0.5, Burst: 5, WatchInterval: time.Minute}).ForToken("a-token")
				require.NoError(t, err)
				_, err = client.CA(t.Context(), aiventest.Project)
				require.NoError(t, err)
				for range 4 - tc.turns {
					_, err = client.API().ServiceList(t.Context(), aiventest.Project)
					require.NoError(t, err)
				}
				var memory sync.Map
				attempt := func() error {
					c := Service.New(controllers.Env{Client: client, Memory: &memory})
					seen, err := c.Observe(t.Context(), obj)
					require.NoError(t, err)
					_, err = c.Update(t.Context(), obj, seen)
					return err
				}
				err = attempt()
				require.True(t, fault.NotSent(err), "%v", err)
				a.Calls()
				<-time.After(20 * time.Second)
				require.NoError(t, attempt())
				var routes []string
				for _, call := range a.Calls() {
					route, _, _ := strings.Cut(call, " {")
					routes = append(routes, route)
				}
				assert.Equal(t, tc.calls, routes)
			})
		})
	}
}

func TestAnUpgradeCheckPermitsNoLaterEdit(t *testing.T) {
	a, obj := aiventest.New(t), postgres("18")
	obj.Generation = 2
	a.On(lookup, aiventest.Service(nil))
	a.On("POST service/my-pg/task", task(false, ""))
	a.On(progress, task(false, ""))
	a.On("PUT service/my-pg", aiventest.OK(nil))
	var memory sync.Map
	_, err := tried(t, a, &memory, obj)
	require.ErrorContains(t, err, "Aiven is checking")
	obj.Generation += 2 // the version was taken back, and asked for again later
	a.On(progress, task(true, "All checks passed"))
	calls, err := tried(t, a, &memory, obj)
	require.NoError(t, err)
	assert.Equal(t, []string{begin, progress, update}, calls, "the data may have changed")
}
