package clickhouse

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
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

// What a GRANT leads to is known, unless something cuts a hole into it.
func TestAGrantIsReadAgainWhereItsResultIsNotKnown(t *testing.T) {
	team := v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Roles: []string{"team"},
	}}}
	const grantTeam = "GRANT `team` TO `app`"
	drop := func(t *testing.T, env controllers.Env, x *tables) {
		x.On(userDelete, aiventest.OK(nil))
		require.NoError(t, User.New(env).Delete(t.Context(), clickhouseUser("app")))
	}
	for name, tc := range map[string]struct {
		spec    v1alpha1.ClickhouseGrants
		prepare func(*tables)
		between func(*testing.T, controllers.Env, *tables)
		first   string
		selects int
	}{
		"a privilege":                  {spec: onDatabase("SELECT"), first: grantSelect, selects: 1},
		"a role":                       {spec: team, first: grantTeam, selects: 1},
		"a privilege with a hole":      {spec: onDatabase("SELECT"), prepare: hole, first: grantSelect, selects: 2},
		"a privilege, whose user goes": {spec: onDatabase("SELECT"), between: drop, first: grantSelect, selects: 2},
		"a role, whose user goes":      {spec: team, between: drop, first: grantTeam, selects: 2},
	} {
		t.Run(name, func(t *testing.T) {
			x, obj, sibling := newTables(t), grantOf(nil, nil), grantOf(nil, nil)
			if tc.prepare != nil {
				tc.prepare(x)
			}
			obj.Spec.ClickhouseGrants, sibling.Spec.ClickhouseGrants, sibling.UID = tc.spec, tc.spec, "sibling"
			env := x.env()
			_, err := apply(t, env, obj)
			require.NoError(t, err)
			if tc.between != nil {
				tc.between(t, env, x)
			}
			_, err = Grant.New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			o, err := Grant.New(env).Observe(t.Context(), sibling)
			require.NoError(t, err)
			assert.Equal(t, tc.selects == 1, o.Remote.Exists, "what is read hasn't changed")
			assert.Equal(t, []string{tc.first}, x.statements)
			assert.Equal(t, tc.selects, x.selects["grants"]+x.selects["role_grants"])
		})
	}
}

// hole is a partial revoke below what the user app has.
func hole(x *tables) {
	x.rows["grants"] = append(x.rows["grants"], []any{"app", nil, "SELECT", "db", "t", nil, 1, 0})
}

func TestGrantsThatAreAppliedAtOnceShareTheListOfPrivileges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTables(t)
		x.hold = make(chan struct{})
		env := x.env()
		var objects sync.WaitGroup
		for range 8 {
			objects.Go(func() {
				_, err := lists.Privileges(t.Context(), resource.Scope{Env: env, Project: aiventest.Project, ServiceName: "my-ch"})
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		close(x.hold)
		objects.Wait()
		assert.Equal(t, map[string]int{"privileges": 1}, x.selects)
	})
}

// A new role makes the grants be read again; two GRANTs are made meanwhile, and the object is deleted within a minute.
func TestADeletionRevokesEveryGrantThatAReadHasMissed(t *testing.T) {
	both := v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{
		{Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Privileges: []string{"SELECT"}, Database: "db"},
		{Grantees: []v1alpha1.ClickhouseGrantee{{User: "app"}}, Privileges: []string{"SELECT"}, Database: "default"},
	}}
	synctest.Test(t, func(t *testing.T) {
		x, obj := newTables(t), grantOf(nil, nil)
		obj.Spec.ClickhouseGrants = both
		x.On(services, aiventest.OK(aiventest.Object{"services": []any{clickhouseFields(nil)}}))
		env := x.env()
		c := Grant.New(env)
		_, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)

		scope := resource.Scope{Env: env, Project: aiventest.Project, ServiceName: "my-ch"}
		lists.RecordNewRole(scope, "team")
		x.hold = make(chan struct{})
		var early sync.WaitGroup
		early.Go(func() {
			w, err := wishesOf(t.Context(), scope, toTeam())
			assert.NoError(t, err)
			_, err = lists.ReadGrants(t.Context(), scope, w)
			assert.NoError(t, err)
		})
		synctest.Wait()
		_, err = c.Create(t.Context(), obj)
		require.NoError(t, err)
		require.Len(t, x.statements, 2)
		close(x.hold)
		early.Wait()
		x.hold = nil
		x.has("SELECT", "db", nil)
		x.has("SELECT", "default", nil)

		<-time.After(10 * time.Second)
		x.statements = nil
		obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		require.NoError(t, Grant.New(env).Delete(t.Context(), obj))
		slices.Sort(x.statements)
		assert.Equal(t, []string{"REVOKE SELECT ON `db`.* FROM `app`", "REVOKE SELECT ON `default`.* FROM `app`"}, x.statements)
	})
}

// toTeam grants to a role.
func toTeam() *v1alpha1.ClickhouseGrant {
	obj := grantOf(nil, nil)
	obj.UID = "of-team"
	obj.Spec.ClickhouseGrants = v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{{
		Grantees: []v1alpha1.ClickhouseGrantee{{Role: "team"}}, Privileges: []string{"SELECT"}, Database: "db",
	}}}
	return obj
}
