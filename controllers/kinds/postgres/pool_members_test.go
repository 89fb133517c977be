package postgres

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestAPoolThatLeadsNowhereIsNotActive(t *testing.T) {
	user := func(name string) any {
		return aiventest.Object{"username": name, "type": "normal", "password": "pass-word"}
	}
	both := aiventest.Object{"databases": []any{"orders"}, "users": []any{user("app"), user("avnadmin")}}
	missing := func(text string) status.Remote {
		return status.Remote{Exists: true, Lacks: text}
	}
	active := status.Remote{Exists: true, Active: true}
	for name, tc := range map[string]struct {
		everyone bool // the pool has no user of its own
		service  aiventest.Object
		want     status.Remote
	}{
		"both are there": {service: both, want: active},
		"the database was deleted": {
			service: aiventest.Object{"databases": []any{"defaultdb"}},
			want: missing(`spec.databaseName: service demo/my-pg has no database "orders". ` +
				"Create it, or recreate the pool with another spec.databaseName"),
		},
		"the user was deleted": {
			service: aiventest.Object{"users": []any{user("avnadmin")}},
			want: missing(`spec.username: service demo/my-pg has no user "app". ` +
				"Create it, or recreate the pool with another spec.username"),
		},
		"a user that the pool doesn't need was deleted": {
			everyone: true, service: aiventest.Object{"users": []any{user("avnadmin")}}, want: active,
		},
		"no list of databases is no absence": {service: aiventest.Object{"databases": nil}, want: active},
		"no list of users is no absence":     {service: aiventest.Object{"users": nil}, want: active},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			fields := aiventest.Object{"connection_pools": []any{pooled(nil)}}
			for _, from := range []aiventest.Object{both, tc.service} {
				for key, value := range from {
					fields[key] = value
				}
			}
			a.On(lookup, aiventest.Service(fields))
			obj := pool(asApp, sized)
			if tc.everyone {
				obj.Spec.Username = ""
			}
			o, err := Pool.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.Remote)
			assert.Equal(t, lookup, a.Calls()[0], "it costs no call")
		})
	}
}

func TestAUserThatAnotherClientHasJustCreatedIsNotMissing(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(aiventest.Object{
		"databases": []any{"orders"}, "users": []any{}, "connection_pools": []any{pooled(nil)},
	}))
	client := a.Client()
	client.RecordWrite(aiventest.Project, "my-pg", aiven.UserEntry("app"), aiven.WriteResult{MayHaveApplied: true})
	o, err := Pool.New(controllers.Env{Client: client}).Observe(t.Context(), pool(asApp, sized))
	require.NoError(t, err)
	assert.Empty(t, o.Remote.Lacks)
}

func TestAListThatAivenLeftOutProvesNoAbsenceAfterAWriteToIt(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(aiventest.Object{
		"databases": nil, "users": nil, "connection_pools": []any{pooled(nil)},
	}))
	client := a.Client()
	_, err := client.Service(t.Context(), aiventest.Project, "my-pg")
	require.NoError(t, err)
	other := "another"
	client.RecordWrite(aiventest.Project, "my-pg", aiven.DatabaseEntry(other), aiven.WriteResult{MayHaveApplied: true, Entry: &other})
	client.RecordWrite(aiventest.Project, "my-pg", aiven.UserEntry(other), aiven.WriteResult{MayHaveApplied: true, Entry: &aiven.User{Username: other, Password: "x"}})
	o, err := Pool.New(controllers.Env{Client: client}).Observe(t.Context(), pool(asApp, sized))
	require.NoError(t, err)
	assert.Empty(t, o.Remote.Lacks)
}

func TestAServiceWithoutItsListOfPoolsProvesNoAbsenceOfOne(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(aiventest.Object{"connection_pools": nil}))
	_, err := Pool.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), pool())
	require.ErrorContains(t, err, "without its list of connection pools")
	assert.Equal(t, []string{lookup}, a.Calls())
}

func TestAPoolDoesNotWaitForWhatAivenLeavesOut(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, aiventest.Service(aiventest.Object{"databases": nil, "users": nil}))
	a.On("POST service/my-pg/connection_pool", aiventest.OK(nil))
	c, obj := Pool.New(controllers.Env{Client: a.Client()}), pool(asApp)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
}
