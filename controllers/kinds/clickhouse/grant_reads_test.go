package clickhouse

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Many grants are applied together with their users: what Aiven has answered for a user isn't asked for again.
func TestAGrantToANewUserReadsNothingAgain(t *testing.T) {
	x := newTables(t)
	x.users = []string{"other"}
	x.On(userCreate, madeUser("app", "password"))
	env, obj := x.env(), grantOf([]string{"SELECT"}, nil)
	o, err := apply(t, env, obj)
	require.NoError(t, err)
	assert.Equal(t, "Waiting for user app", o.WaitFor)
	selects, userLists := maps.Clone(x.selects), x.userLists
	_, err = settle(t.Context(), User, env.Client, clickhouseUser("app"))
	require.NoError(t, err)
	_, err = apply(t, env, obj)
	require.NoError(t, err)
	assert.Equal(t, []string{grantSelect}, x.statements)
	assert.Equal(t, selects, x.selects)
	assert.Equal(t, userLists, x.userLists)
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
