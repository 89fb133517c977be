package resource

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// named is a kind that no ServiceGet holds: its objects have a name, and may be in a shared list.
func named(listed bool) Definition[user, string] {
	list := aiven.ListKey{Project: aiventest.Project, Service: "my-pg", Operation: "List"}
	d := Definition[user, string]{
		Object: object(), Place: InService("pg"),
		Identity: func(obj user) controllers.Identity { return controllers.Identity{Name: "demo/my-pg/" + obj.Name} },
		Find:     func(context.Context, Scope, user) (*string, error) { return nil, nil },
		Create:   func(context.Context, Scope, user) (*string, error) { made := "app"; return &made, nil },
		Delete:   func(context.Context, Scope, user, *string) error { return nil },
	}
	if listed {
		d.Item = func(obj user) aiven.Item { return aiven.Item{List: list, Key: obj.Name} }
	}
	return d
}

func TestAWriteToWhatIsInNoServiceLeavesTheServiceAsItWasRead(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil))
	env := controllers.Env{Client: watching(t, a)}
	kind := named(true).Kind()
	for range 3 {
		c := kind.New(env)
		_, err := c.Observe(t.Context(), object())
		require.NoError(t, err)
		_, err = c.Create(t.Context(), object())
		require.NoError(t, err)
		require.NoError(t, kind.New(env).Delete(t.Context(), object()))
	}
	assert.Equal(t, []string{lookup}, a.Calls())
	assert.False(t, env.Client.BeginReads().WritePending(aiventest.Project, "my-pg", ""))
}

func TestADeletionInAServiceIsNoDeletionOfTheService(t *testing.T) {
	for name, listed := range map[string]bool{"of an item of a list": true, "of what is in no list": false} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			client := a.Client()
			other := aiven.UserEntry("other")
			client.RecordWrite(aiventest.Project, "my-pg", other, aiven.WriteResult{MayHaveApplied: true})
			require.NoError(t, named(listed).Kind().New(controllers.Env{Client: client}).Delete(t.Context(), object()))
			assert.True(t, client.BeginReads().WritePending(aiventest.Project, "my-pg", other), "what is written to others is still known")
		})
	}
}

// watching is a client whose reads are served from memory.
func watching(t *testing.T, a *aiventest.Aiven) *aiven.Client {
	client, err := aiven.New(aiven.Options{Transport: a, ReadLag: lag, WatchInterval: time.Hour}).ForToken("a-token")
	require.NoError(t, err)
	return client
}

func TestAKindInNoServiceMayBeEnqueuedByServices(t *testing.T) {
	key := aiven.ServiceKey{Project: "demo", Service: "my-pg"}
	d := named(false)
	assert.Equal(t, []aiven.ServiceKey{key}, d.Kind().Services(object()), "the place has them")
	d.Place = InOrganization(func(user) string { return "org1" })
	assert.Nil(t, d.Kind().Services)
	d.Services = func(user) []aiven.ServiceKey { return []aiven.ServiceKey{key} }
	assert.Equal(t, []aiven.ServiceKey{key}, d.Kind().Services(object()))
}
