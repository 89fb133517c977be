package clickhouse

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// ClickHouse refuses the whole of a REVOKE that names a user or role which is gone by then: the others must not keep their grants
// for that.
func TestADeletionRevokesFromThoseThatAreLeft(t *testing.T) {
	const (
		ofBoth  = "REVOKE SELECT ON `db`.* FROM `app`, `other`"
		ofApp   = "REVOKE SELECT ON `db`.* FROM `app`"
		ofOther = "REVOKE SELECT ON `db`.* FROM `other`"
		roles   = "REVOKE `gone`, `team` FROM `app`"
		gone    = "REVOKE `gone` FROM `app`"
		team    = "REVOKE `team` FROM `app`"
	)
	missing := aiventest.Refused(400, "Code: 192. There is no user or role")
	for name, tc := range map[string]struct {
		obj        v1alpha1.ClickhouseGrants
		rows       map[string][][]any
		answers    map[string]aiventest.Answer
		statements []string
	}{
		"a user": {
			obj: v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{{
				Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}, {User: "other"}}, Privileges: []string{"SELECT"}, Database: "db",
			}}},
			rows: map[string][][]any{"grants": {
				{"app", nil, "SELECT", "db", nil, nil, 0, 0}, {"other", nil, "SELECT", "db", nil, nil, 0, 0},
			}},
			answers:    map[string]aiventest.Answer{ofBoth: missing, ofApp: missing},
			statements: []string{ofBoth, ofApp, ofOther},
		},
		"a role": {
			obj: v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{
				Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Roles: []string{"gone", "team"},
			}}},
			rows:       map[string][][]any{"role_grants": {{"app", nil, "gone", 0}, {"app", nil, "team", 0}}},
			answers:    map[string]aiventest.Answer{roles: missing, gone: missing},
			statements: []string{roles, gone, team},
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf(nil, nil)
			for table, rows := range tc.rows {
				x.rows[table] = rows
			}
			obj.Spec.ClickhouseGrants, x.answers = tc.obj, tc.answers
			hasGranted(obj, &tc.obj)
			obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
			require.NoError(t, Grant.New(x.env()).Delete(t.Context(), obj))
			assert.Equal(t, tc.statements, x.statements)
		})
	}
}

// An object may have found a privilege, and be content, in the moment before another one revokes it.
func TestARevokeEnqueuesTheObjectsThatShareTheUser(t *testing.T) {
	x := newTables(t)
	x.has("SELECT", "db", nil)
	x.has("INSERT", "db", nil)
	clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: x, WatchInterval: time.Minute, ReadLag: lag})
	client, err := clients.ForToken("a-token")
	require.NoError(t, err)
	sibling := Grant.ReadsItems(grantOf([]string{"SELECT"}, nil))
	var enqueued atomic.Bool
	clients.OnChange(func(change aiven.Change) {
		for _, key := range change.Items {
			if slices.Contains(sibling, aiven.Item{List: change.List, Key: key}) {
				enqueued.Store(true)
			}
		}
	})
	env := x.env()
	env.Client = client
	_, err = apply(t, env, grantOf([]string{"INSERT"}, []string{"SELECT", "INSERT"}))
	require.NoError(t, err)
	assert.Equal(t, []string{revokeSelect}, x.statements)
	assert.Eventually(t, enqueued.Load, 10*time.Second, time.Millisecond)
}

// ClickHouse takes the user where a name is that of a role, too. A role of the name that comes later doesn't hold up a deletion,
// and nothing is revoked from the user in place of the role.
func TestADeletionOfGrantsToOneOfTwoOfAName(t *testing.T) {
	toRole := v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{Role: "app"}}, Privileges: []string{"SELECT"}, Database: "db",
	}}}
	ofTeam := v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{Role: "app"}}, Roles: []string{"team"},
	}}}
	remedy := `"app" is both a user and a role of the service: ClickHouse would revoke from the user what the role has. Rename or drop one of them`
	for name, tc := range map[string]struct {
		granted    v1alpha1.ClickhouseGrants
		change     func(*tables) // what happens before the second read
		statements []string
		blocked    string
	}{
		"the user":                           {granted: onDatabase("SELECT"), statements: []string{revokeSelect}},
		"the user, which is gone by then":    {granted: onDatabase("SELECT"), change: func(x *tables) { x.users = nil; x.rows["grants"] = x.rows["grants"][1:] }},
		"the role":                           {granted: toRole, blocked: "spec.privilegeGrants: " + remedy},
		"the role, and the user has gone":    {granted: toRole, change: func(x *tables) { x.users = nil }, statements: []string{revokeSelect}},
		"the role, which is a member of one": {granted: ofTeam, blocked: "spec.roleGrants: " + remedy},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj := newTables(t), grantOf(nil, nil)
			x.has("SELECT", "db", nil)
			x.rows["roles"] = [][]any{{"team"}, {"app"}}
			x.rows["grants"] = append(x.rows["grants"], []any{nil, "app", "SELECT", "db", nil, nil, 0, 0})
			x.rows["role_grants"] = [][]any{{nil, "app", "team", 0}}
			obj.Spec.ClickhouseGrants = tc.granted
			hasGranted(obj, &tc.granted)
			x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
			env := x.env()
			if tc.change != nil {
				obj.DeletionTimestamp = nil
				_, err := Grant.New(env).Observe(t.Context(), obj) // now the caches have it
				require.NoError(t, err)
				scope := resource.Scope{Env: env, Project: obj.Spec.Project, ServiceName: obj.Spec.ServiceName}
				_, err = lists.ReadPresence(t.Context(), scope, grants.Needs{Users: []string{"app"}, Roles: []string{"app"}})
				require.NoError(t, err)
				tc.change(x)
			}
			obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			err := Grant.New(env).Delete(t.Context(), obj)
			var blocked *deletion.BlockedError
			if tc.blocked != "" {
				require.ErrorAs(t, err, &blocked)
				assert.Equal(t, tc.blocked, blocked.Reason)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tc.statements, x.statements)
		})
	}
}

// A user and a role of the name of a grantee do, whichever it is.
func TestWhatAGrantNamesEnqueuesIt(t *testing.T) {
	obj, service := grantOf([]string{"SELECT"}, nil), dependsOn()
	obj.Spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Grantees: []v1alpha1.ClickhouseGrantee{{Role: "readers"}}, Roles: []string{"team"}}}
	former := onDatabase("SELECT")
	former.PrivilegeGrants[0].Database = "former"
	former.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Roles: []string{"before"}}}
	hasGranted(obj, &former)
	for list, names := range map[string][]string{
		lists.Users:     {"app", "readers"},
		lists.Roles:     {"app", "readers", "team", "before"},
		lists.Databases: {"db", "former"},
	} {
		for _, name := range names {
			assert.Contains(t, Grant.ReadsItems(obj), lists.Item(&service, list, name))
		}
	}
}

// Until a read shows that the grants have gone with the user, they can't be revoked: ClickHouse would take the role of the name.
func TestNothingIsRevokedFromARoleInPlaceOfAUserWhoHasGone(t *testing.T) {
	x, obj := newTables(t), grantOf(nil, []string{"SELECT"})
	x.users, x.rows["roles"] = []string{"other"}, [][]any{{"app"}}
	x.has("SELECT", "db", nil)
	o, err := apply(t, x.env(), obj)
	require.NoError(t, err)
	assert.Equal(t, "Waiting for user app. Create what is missing, or correct spec.privilegeGrants or spec.roleGrants", o.Remote.Lacks)
	assert.Empty(t, x.statements)
	assert.Equal(t, onDatabase("SELECT"), *obj.Granted(), "what was granted isn't forgotten")

	x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
	assert.Equal(t, deletion.ErrPending, revokeAll(t, x.env(), obj))
	assert.Empty(t, x.statements)
	x.rows["grants"] = [][]any{}
	require.NoError(t, revokeAll(t, x.env(), obj))
	assert.Empty(t, x.statements)
}

// A GRANT whose answer was lost may be made after what another one has granted is revoked.
func TestADeletionWaitsForAGrantThatMayBeOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, obj := newTables(t), grantOf([]string{"SELECT"}, nil)
		obj.Spec.ClickhouseGrants.PrivilegeGrants = append(obj.Spec.ClickhouseGrants.PrivilegeGrants, v1alpha1.ClickhousePrivilegeGrant{
			Grantees: []v1alpha1.ClickhouseGrantee{{User: "other"}}, Privileges: []string{"INSERT"}, Database: "db",
		})
		const grantOther, revokeOther = "GRANT INSERT ON `db`.* TO `other`", "REVOKE INSERT ON `db`.* FROM `other`"
		x.answers[grantOther] = aiventest.Refused(502, "oops")
		env := x.env()
		_, err := apply(t, env, obj)
		require.Error(t, err)
		assert.ElementsMatch(t, []string{grantSelect, grantOther}, x.statements)
		x.statements = nil
		x.has("SELECT", "db", nil)
		require.ErrorContains(t, revokeAll(t, env, obj), deletion.WritePending().Error())
		assert.Empty(t, x.statements)
		<-time.After(lag)
		x.rows["grants"] = append(x.rows["grants"], []any{"other", nil, "INSERT", "db", nil, nil, 0, 0})
		require.NoError(t, revokeAll(t, env, obj))
		assert.ElementsMatch(t, []string{revokeSelect, revokeOther}, x.statements)
	})
}

// Statements name users and roles alike, and ClickHouse takes what has the name by then: what was read before others made the
// user or role says nothing about it.
func TestNoStatementIsMadeByListsThatAreOlderThanAUserOrRole(t *testing.T) {
	toRole := func(obj *v1alpha1.ClickhouseGrant) {
		obj.Spec.PrivilegeGrants[0].Grantees = []v1alpha1.ClickhouseGrantee{{Role: "team"}}
	}
	userOfTeam := func(x *tables) { x.users = append(x.users, "team") }
	for name, tc := range map[string]struct {
		spec, granted []string
		prepare       func(*v1alpha1.ClickhouseGrant)
		there         []any // a row of system.grants
		change        func(*tables)
		deleted       bool
		want          string
	}{
		"a role's grants are deleted": {
			spec: []string{"SELECT"}, granted: []string{"SELECT"}, prepare: toRole, there: []any{nil, "team", "SELECT", "db", nil, nil, 0, 0},
			change: userOfTeam, deleted: true, want: "both a user and a role",
		},
		"a role's grants are revoked": {
			spec: []string{"INSERT"}, granted: []string{"SELECT"}, prepare: toRole, there: []any{nil, "team", "SELECT", "db", nil, nil, 0, 0},
			change: userOfTeam, want: "both a user and a role",
		},
		"a role is granted something": {spec: []string{"SELECT"}, prepare: toRole, change: userOfTeam, want: "both a user and a role"},
		"a user's grants are deleted, who is a role by now": {
			spec: []string{"SELECT"}, granted: []string{"SELECT"}, there: []any{"app", nil, "SELECT", "db", nil, nil, 0, 0},
			change: func(x *tables) { x.users, x.rows["roles"] = []string{"other"}, [][]any{{"app"}} }, deleted: true,
			want: deletion.ErrPending.Error(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, obj := newTables(t), grantOf(tc.spec, tc.granted)
				if tc.prepare != nil {
					tc.prepare(obj)
					if granted := obj.Granted(); granted != nil {
						granted.PrivilegeGrants[0].Grantees = obj.Spec.PrivilegeGrants[0].Grantees
						hasGranted(obj, granted)
					}
				}
				if tc.there != nil {
					x.rows["grants"] = append(x.rows["grants"], tc.there)
				}
				x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
				env := x.fewTurns(100) // whose lists are served for an hour
				scope := resource.Scope{Env: env, Project: obj.Spec.Project, ServiceName: obj.Spec.ServiceName}
				_, err := lists.ReadPresence(t.Context(), scope, grants.Needs{Users: []string{"app"}, Roles: []string{"app"}})
				require.NoError(t, err)
				<-time.After(time.Minute)
				tc.change(x)
				if tc.deleted {
					err = revokeAll(t, env, obj)
				} else {
					_, err = apply(t, env, obj)
				}
				require.ErrorContains(t, err, tc.want)
				assert.Empty(t, x.statements)
			})
		})
	}
}

// What has refused the object is read again: it may be mended, and the list of roles says otherwise for long.
func TestARoleThatHadTheNameOfAUserIsSeenToBeGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, obj := newTables(t), grantOf([]string{"SELECT"}, nil)
		x.rows["roles"] = append(x.rows["roles"], []any{"app"})
		x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
		env := x.env()
		_, err := apply(t, env, obj)
		require.ErrorContains(t, err, "both a user and a role")
		<-time.After(11 * time.Second)
		x.rows["roles"] = x.rows["roles"][:1]
		_, err = apply(t, env, obj)
		require.NoError(t, err)
		assert.Equal(t, []string{grantSelect}, x.statements)
	})
}
