package shared

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// A service without its list of users or databases says nothing about what exists.
func TestWhatTheServiceDoesNotListIsAskedForAlone(t *testing.T) {
	const one, list = "GET service/my-pg/user/app", "GET service/my-pg/db"
	userIs := func(name string) aiventest.Answer {
		return aiventest.OK(aiventest.Object{"user": aiventest.Object{"username": name, "type": "normal", "password": "pass-word"}})
	}
	databases := func(next any, names ...string) aiventest.Answer {
		all := []any{}
		for _, name := range names {
			all = append(all, aiventest.Object{"database_name": name})
		}
		return aiventest.OK(aiventest.Object{"databases": all, "next": next})
	}
	for name, tc := range map[string]struct {
		route   string
		answers []aiventest.Answer
		exists  bool
		fails   string
	}{
		"a user":                          {route: one, answers: []aiventest.Answer{userIs("app")}, exists: true},
		"a user that isn't there":         {route: one, answers: []aiventest.Answer{aiventest.Refused(404, "Service user does not exist")}},
		"a user that may not be read":     {route: one, answers: []aiventest.Answer{aiventest.Refused(403, "no")}, fails: "no"},
		"a user, and Aiven is down":       {route: one, answers: []aiventest.Answer{aiventest.Refused(503, "try later")}, fails: "try later"},
		"a user, and another answer":      {route: one, answers: []aiventest.Answer{aiventest.OK(nil)}, fails: "another user, or none"},
		"a database":                      {route: list, answers: []aiventest.Answer{databases(nil, "defaultdb", "orders")}, exists: true},
		"a database on the second page":   {route: list, answers: []aiventest.Answer{databases("defaultdb", "defaultdb"), databases(nil, "orders")}, exists: true},
		"a database that isn't there":     {route: list, answers: []aiventest.Answer{databases(nil, "defaultdb")}},
		"a database in an empty list":     {route: list, answers: []aiventest.Answer{databases(nil)}},
		"a database, and no list":         {route: list, answers: []aiventest.Answer{aiventest.OK(nil)}, fails: "no list of databases"},
		"a database, and the same page":   {route: list, answers: []aiventest.Answer{databases("defaultdb", "defaultdb")}, fails: "a page of it twice"},
		"a database, and Aiven is down":   {route: list, answers: []aiventest.Answer{aiventest.Refused(503, "try later")}, fails: "try later"},
		"a database that may not be read": {route: list, answers: []aiventest.Answer{aiventest.Refused(403, "no")}, fails: "no"},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(aiventest.Object{"users": nil, "databases": nil}))
			a.On(tc.route, tc.answers...)
			env := controllers.Env{Client: a.Client()}
			var o controllers.Observation
			var err error
			if tc.route == one {
				o, err = User.New(env).Observe(t.Context(), user())
			} else {
				o, err = Database.New(env).Observe(t.Context(), database())
			}
			if tc.fails != "" {
				require.ErrorContains(t, err, tc.fails)
				assert.False(t, fault.Is(err, fault.NotFound))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
		})
	}
}
