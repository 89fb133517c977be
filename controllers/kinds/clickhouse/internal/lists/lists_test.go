package lists

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheListOfUsersKeepsNoPassword(t *testing.T) {
	made := User{Name: "app", UUID: "id", Password: "secret"}
	list := map[string]User{"gone": {Name: "gone", UUID: "x"}}
	after, ok := withWritten(list, map[string]any{"app": &made, "gone": nil})
	require.True(t, ok)
	assert.Equal(t, map[string]User{"app": {Name: "app", UUID: "id"}}, after)
	assert.Len(t, list, 1, "readers have it")
	made.UUID = ""
	_, ok = withWritten(list, map[string]any{"app": &made})
	assert.False(t, ok, "without its id it has to be read")
	_, ok = withWritten(list, map[string]any{"app": &Role{Name: "app"}})
	assert.False(t, ok, "a list has items of one type")
}
