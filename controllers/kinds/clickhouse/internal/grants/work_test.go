package grants

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func names(all ...string) map[string]bool {
	there := map[string]bool{}
	for _, name := range all {
		there[name] = true
	}
	return there
}

// toDo is the work for app: SELECT on db and the role team are wanted, and INSERT on db was granted before.
func toDo(rows ...string) *Work {
	there := Found{Tree: someTree(), Rows: map[Grantee][]Row{app: rowsOf(rows...)}, Roles: map[Grantee]map[string]bool{}}
	wishes := Wishes{Wanted: set("SELECT ON db.*", "team"), Granted: set("INSERT ON db.*"), Others: NewSet()}
	return WorkFor(there, wishes, v1alpha1.ClickhouseGrants{})
}

func TestWorkWaitsForWhatIsNotThere(t *testing.T) {
	const remedy = ". Create what is missing, or correct spec.privilegeGrants or spec.roleGrants"
	all := Presence{Users: names("app"), Roles: names("team"), Databases: names("db")}
	for name, tc := range map[string]struct {
		rows    []string
		there   Presence
		actions int
		waits   []string
		state   status.Remote
	}{
		"everything is there": {nil, all, 2, nil, status.Remote{Active: true}},
		"no database":         {nil, Presence{Users: names("app"), Roles: names("team")}, 1, []string{"database db"}, status.Remote{Active: true}},
		"no role":             {nil, Presence{Users: names("app"), Databases: names("db")}, 1, []string{"role team"}, status.Remote{Active: true}},
		"no user": {
			nil, Presence{Roles: names("team"), Databases: names("db")}, 0, []string{"user app"},
			status.Remote{Message: "Waiting for user app" + remedy},
		},
		"a part is granted, and the role isn't there": {
			[]string{"SELECT ON db.*"}, Presence{Users: names("app"), Databases: names("db")}, 0, []string{"role team"},
			status.Remote{Exists: true, Lacks: "Waiting for role team" + remedy},
		},
		"a REVOKE from a user that is gone": {
			[]string{"SELECT ON db.*", "INSERT ON db.*"}, Presence{Roles: names("team")}, 1, []string{"user app"},
			status.Remote{Exists: true, Active: true},
		},
		"a REVOKE that a role of the name would get": {
			[]string{"SELECT ON db.*", "INSERT ON db.*"}, Presence{Roles: names("team", "app")}, 0, []string{"user app"},
			status.Remote{Exists: true, Lacks: "Waiting for user app" + remedy},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := toDo(tc.rows...)
			require.NoError(t, w.CheckNeeds(tc.there, false))
			assert.Len(t, w.Actions, tc.actions)
			assert.Equal(t, tc.waits, w.Waits)
			assert.Equal(t, tc.state, State(w))
		})
	}
}

func TestNamesThatMeanAUserAndARoleAreRefused(t *testing.T) {
	both := Presence{Users: names("app"), Roles: names("app", "team"), Databases: names("db")}
	assert.Equal(t, fault.Invalid, fault.Of(toDo().CheckNeeds(both, false)).Class)

	toRole := func() *Work {
		w := &Work{Actions: []Action{{Grantee: Grantee{Role: true, Name: "app"}, Revoke: true, Access: "SELECT", Scope: Scope{Database: "db"}}}}
		assert.Equal(t, Needs{Users: []string{"app"}, Roles: []string{"app"}}, w.Needs())
		return w
	}
	w := toRole()
	require.NoError(t, w.CheckNeeds(both, true), "a deletion goes on")
	assert.Equal(t, w.Actions, w.Twins)
	var blocked *deletion.BlockedError
	require.ErrorAs(t, w.CheckTwins(), &blocked)
	assert.Contains(t, blocked.Reason, `spec.privilegeGrants: "app" is both a user and a role of the service`)

	w = toRole()
	require.NoError(t, w.CheckNeeds(Presence{Users: names("app")}, true))
	assert.True(t, w.Unseen)
	assert.ErrorIs(t, w.CheckTwins(), deletion.ErrPending)
}

func TestWorkNamesStatementsAndTheirFields(t *testing.T) {
	w := toDo("INSERT ON db.*")
	assert.False(t, w.Partial())
	assert.True(t, w.Present)
	assert.Equal(t, []v1alpha1.DriftEntry{
		{Path: "spec", Wanted: "GRANT SELECT ON db.* TO app"},
		{Path: "spec.privilegeGrants", Found: "REVOKE INSERT ON db.* FROM app"},
		{Path: "spec", Wanted: "GRANT team TO app"},
	}, w.Diff().Entries())
	assert.True(t, toDo().Partial(), "what was granted isn't there")
	assert.NoError(t, CheckKnown(someTree(), set("SELECT ON *.*")))
	assert.ErrorContains(t, CheckKnown(someTree(), set("SELCT ON *.*")), "spec.privileges: ClickHouse has no privilege SELCT")
}
