package resource

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// listedIn is the list of a kind whose resources ServiceGet doesn't return.
var listedIn = aiven.ListKey{Project: aiventest.Project, Service: "my-pg", Operation: "List"}

// inList is definition, of a kind whose resources are items of a list and no entries of the service.
func inList() Definition[user, aiven.User] {
	d := definition()
	d.Identity = func(obj user) controllers.Identity { return controllers.Identity{Name: obj.GetName()} }
	d.Item = func(obj user) aiven.Item { return aiven.Item{List: listedIn, Key: obj.GetName()} }
	d.Find = func(context.Context, Scope, user) (*aiven.User, error) { return nil, nil }
	d.Details = nil
	return d
}

// A quota that is deleted says nothing about users, and a schema that is written leaves its service as it is.
func TestAWriteOfWhatIsNoEntryOfItsServiceLeavesTheServiceAsItIs(t *testing.T) {
	other := aiven.UserEntry("other")
	for name, write := range map[string]func(*testing.T, controllers.AivenController[user]) error{
		"a creation": func(t *testing.T, c controllers.AivenController[user]) error {
			_, err := c.Create(t.Context(), object())
			return err
		},
		"a deletion": func(t *testing.T, c controllers.AivenController[user]) error { return c.Delete(t.Context(), object()) },
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			a.On("POST service/my-pg/user", aiventest.OK(nil))
			a.On(remove, aiventest.OK(nil))
			client := a.Client()
			client.RecordWrite(aiventest.Project, "my-pg", other, aiven.WriteResult{MayHaveApplied: true})
			c := inList().Kind().New(controllers.Env{Client: client})
			_, err := c.Observe(t.Context(), object())
			require.NoError(t, err)
			require.NoError(t, write(t, c))
			assert.True(t, client.ListWritePending(listedIn, "app"))
			assert.True(t, client.WritePending(aiventest.Project, "my-pg", other), "writes of entries stay known")
			assert.False(t, client.WritePending(aiventest.Project, "my-pg", ""), "the service itself wasn't written")
		})
	}
}

func TestAWriteOfAServiceDoesNotHoldBackWhatIsNoEntryOfIt(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(nil))
	client, d := a.Client(), inList()
	d.Find = func(context.Context, Scope, user) (*aiven.User, error) { return &aiven.User{Password: "other"}, nil }
	client.RecordWrite(aiventest.Project, "my-pg", "", aiven.WriteResult{MayHaveApplied: true})
	o, err := d.Kind().New(controllers.Env{Client: client}).Observe(t.Context(), object())
	require.NoError(t, err)
	assert.NotEmpty(t, o.Diff)
	assert.Empty(t, o.WaitFor)
}
