package clickhouse

import (
	"maps"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/resource"
)

// Many grants are applied together with their users: what Aiven has answered for a user isn't asked for again.
func TestAGrantToANewUserReadsNothingAgain(t *testing.T) {
	x := newTables(t)
	x.users = []string{"other"}
	x.On(userCreate, madeUser("app", "password"))
	env, obj := x.env(), grantOf([]string{"SELECT"}, nil)
	o, err := apply(t, env, obj)
	require.NoError(t, err)
	assert.Contains(t, o.WaitFor, "Waiting for user app")
	selects, userLists := maps.Clone(x.selects), x.userLists
	_, err = settle(t.Context(), User, env.Client, clickhouseUser("app"))
	require.NoError(t, err)
	_, err = apply(t, env, obj)
	require.NoError(t, err)
	assert.Equal(t, []string{grantSelect}, x.statements)
	assert.Equal(t, selects, x.selects)
	assert.Equal(t, userLists, x.userLists)
}

func TestGrantsThatAreAppliedAtOnceShareTheListOfPrivileges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTables(t)
		x.hold = make(chan struct{})
		env := x.env()
		var objects sync.WaitGroup
		for range 8 {
			objects.Go(func() {
				_, err := privileges(t.Context(), resource.Scope{Env: env, Project: aiventest.Project, ServiceName: "my-ch"})
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		close(x.hold)
		objects.Wait()
		assert.Equal(t, map[string]int{"privileges": 1}, x.selects)
	})
}

func TestTheListOfUsersKeepsNoPassword(t *testing.T) {
	made := remoteUser{Name: "app", UUID: "id", password: "secret"}
	list := map[string]remoteUser{"gone": {Name: "gone", UUID: "x"}}
	after, ok := withWritten(list, map[string]any{"app": &made, "gone": nil})
	require.True(t, ok)
	assert.Equal(t, map[string]remoteUser{"app": {Name: "app", UUID: "id"}}, after)
	assert.Len(t, list, 1, "readers have it")
	made.UUID = ""
	_, ok = withWritten(list, map[string]any{"app": &made})
	assert.False(t, ok, "without its id it has to be read")
	_, ok = withWritten(list, map[string]any{"app": &remoteRole{Name: "app"}})
	assert.False(t, ok, "a list has items of one type")
}
