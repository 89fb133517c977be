package clickhouse

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
)

func role(name string) *v1alpha1.ClickhouseRole {
	obj := &v1alpha1.ClickhouseRole{ObjectMeta: meta("my-role")}
	obj.Spec.ServiceDependant, obj.Spec.Role = dependsOn(), name
	return obj
}

// roles is the answer to a SELECT of them.
func roles(names ...string) aiventest.Answer {
	data := make([][]any, 0, len(names))
	for _, name := range names {
		data = append(data, []any{name})
	}
	return rows([]string{"name"}, data...)
}

// statement is a call with SQL, as a request has it.
func statement(sql string) string { return queryRoute + ` {"database":"system","query":"` + sql + `"}` }

func TestRole(t *testing.T) {
	for name, tc := range map[string]struct {
		role   string
		before aiventest.Answer
		answer aiventest.Answer
		made   string // SQL, as JSON has it
		fails  fault.Class
	}{
		"there":                           {role: "reader", before: roles("other", "reader")},
		"created":                         {role: "reader", before: roles("other"), answer: applied(), made: "CREATE ROLE `reader`"},
		"created, as a case isn't a name": {role: "reader", before: roles("READER"), answer: applied(), made: "CREATE ROLE `reader`"},
		"with a backtick and an emoji":    {role: "a`🙂", before: roles(), answer: applied(), made: "CREATE ROLE `a\\\\`🙂`"},
		"with SQL for a name":             {role: `x\`, before: roles(), answer: applied(), made: "CREATE ROLE `x\\\\\\\\`"},
		"refused":                         {role: "reader", before: roles(), answer: aiventest.Refused(400, "Code: 497. DB::Exception: Not enough privileges"), made: "CREATE ROLE `reader`", fails: fault.Rejected},
		"made by another client since":    {role: "reader", before: roles(), answer: aiventest.Refused(400, "Code: 493. DB::Exception: role `reader`: cannot insert because role `reader` already exists"), made: "CREATE ROLE `reader`", fails: fault.Exists},
		"refused by a new service":        {role: "reader", before: roles(), answer: aiventest.Refused(503, "not yet"), made: "CREATE ROLE `reader`", fails: fault.NotReady},
		"not known, as the SELECT fails":  {role: "reader", before: aiventest.Refused(400, "Code: 497. DB::Exception: Not enough privileges"), fails: fault.Rejected},
		"not known, by another answer":    {role: "reader", before: aiventest.OK(nil), fails: fault.Unknown},
		"not known, without rows":         {role: "reader", before: aiventest.OK(aiventest.Object{"meta": []any{aiventest.Object{"name": "name"}}}), fails: fault.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(queryRoute, tc.before, tc.answer)
			o, err := settle(t.Context(), Role, a.Client(), role(tc.role))
			calls := []string{lookup, selectRoles}
			if tc.made != "" {
				calls = append(calls, statement(tc.made))
			}
			assert.Equal(t, calls, a.Calls())
			if tc.fails != "" {
				assert.Equal(t, tc.fails, fault.Of(err).Class, "%v", err)
				return
			}
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
		})
	}
}

// The list that showed no role is older than one that another client has made. It isn't the object's, and the next observation shows it.
func TestARoleThatAnotherClientHasMadeSinceTheListWasReadIsFound(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running())
	a.On(queryRoute, roles(), aiventest.Refused(400, "Code: 493. DB::Exception: role `reader` already exists"), roles("reader"))
	env, obj := controllers.Env{Client: moving(t, a).Client}, role("reader")
	c := Role.New(env)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	require.False(t, o.Remote.Exists)
	_, err = c.Create(t.Context(), obj)
	require.True(t, fault.Is(err, fault.Exists), "%v", err)
	o, err = c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Exists)
}

func TestRoleDelete(t *testing.T) {
	drop := statement("DROP ROLE IF EXISTS `reader`")
	for name, tc := range map[string]struct {
		before, answer aiventest.Answer
		calls          []string
		fails          fault.Class
	}{
		"dropped":     {before: roles("reader"), answer: applied(), calls: []string{lookup, selectRoles, drop}, fails: fault.None},
		"gone before": {before: roles(), calls: []string{lookup, selectRoles, lookup, selectRoles}, fails: fault.None},
		"gone meanwhile": {
			before: roles("reader"), answer: aiventest.Refused(400, "Code: 511. DB::Exception: There is no role `reader`"),
			calls: []string{lookup, selectRoles, drop, services}, fails: fault.None,
		},
		"refused": {
			before: roles("reader"), answer: aiventest.Refused(400, "Code: 497. DB::Exception: Not enough privileges"),
			calls: []string{lookup, selectRoles, drop, lookup}, fails: fault.Rejected, // it may be of another type by now
		},
		"not known": {before: aiventest.Refused(403, "no"), calls: []string{lookup, selectRoles}, fails: fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			answers := []aiventest.Answer{tc.before, tc.answer}
			if name == "gone before" {
				answers = answers[:1]
			}
			a.On(queryRoute, answers...)
			err := Role.New(controllers.Env{Client: moving(t, a).Client}).Delete(t.Context(), role("reader"))
			assert.Equal(t, tc.fails, fault.Of(err).Class, "%v", err)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

// A role and a user lose their grants when they go, and begin without any.
func TestGrantsAreReadAgainAfterWhatTheyAreGrantedToCameOrWent(t *testing.T) {
	for name, tc := range map[string]struct {
		before []aiventest.Answer
		do     func(*testing.T, *clock) error
	}{
		"a role comes": {[]aiventest.Answer{roles(), applied()}, func(t *testing.T, c *clock) error {
			_, err := settle(t.Context(), Role, c.Client, role("reader"))
			return err
		}},
		"a role goes": {[]aiventest.Answer{roles("reader"), applied()}, func(t *testing.T, c *clock) error {
			return Role.New(controllers.Env{Client: c.Client}).Delete(t.Context(), role("reader"))
		}},
		"a user comes": {nil, func(t *testing.T, c *clock) error {
			_, err := settle(t.Context(), User, c.Client, clickhouseUser("new"))
			return err
		}},
		"a user goes": {nil, func(t *testing.T, c *clock) error {
			return User.New(controllers.Env{Client: c.Client}).Delete(t.Context(), clickhouseUser("app"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(queryRoute, tc.before...)
			a.On(userList, users("app"))
			a.On(userCreate, madeUser("new", "password"))
			a.On(userDelete, aiventest.OK(nil))
			client, reads := moving(t, a), map[string]int{}
			read := func() {
				for _, list := range []string{lists.Grants, lists.RoleGrants} {
					spec := dependsOn()
					_, err := aiven.List(t.Context(), client.Client, lists.Key(&spec, list), aiven.ListSource[[]string]{
						Read:  func(context.Context) ([]string, error) { reads[list]++; return []string{}, nil },
						Items: aiven.IndexBy(func(s string) string { return s }),
					})
					require.NoError(t, err)
				}
			}
			read()
			read()
			require.NoError(t, tc.do(t, client))
			read()
			assert.Equal(t, map[string]int{lists.Grants: 2, lists.RoleGrants: 2}, reads)
		})
	}
}
