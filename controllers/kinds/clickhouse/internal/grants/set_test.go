package grants

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

type (
	privilegeGrant = v1alpha1.ClickhousePrivilegeGrant
	grantee        = v1alpha1.ClickhouseGrantee
)

// to is a grant to the user app on db.*, with some fields changed.
func to(change func(*privilegeGrant)) v1alpha1.ClickhouseGrants {
	g := privilegeGrant{Grantees: []grantee{{User: "app"}}, Privileges: []string{"SELECT"}, Database: "db"}
	change(&g)
	return v1alpha1.ClickhouseGrants{PrivilegeGrants: []privilegeGrant{g}}
}

func privileges(texts ...string) func(*privilegeGrant) {
	return func(g *privilegeGrant) { g.Privileges = texts }
}

func TestASpecIsReadPrivilegeByPrivilege(t *testing.T) {
	for name, tc := range map[string]struct {
		spec v1alpha1.ClickhouseGrants
		want []string
	}{
		"a database":             {to(privileges("SELECT")), []string{"GRANT SELECT ON db.* TO app"}},
		"letters and blanks":     {to(privileges(" alter  Update ")), []string{"GRANT ALTER UPDATE ON db.* TO app"}},
		"all databases":          {to(func(g *privilegeGrant) { g.Database = "*" }), []string{"GRANT SELECT ON *.* TO app"}},
		"a table":                {to(func(g *privilegeGrant) { g.Table = "t" }), []string{"GRANT SELECT ON db.t TO app"}},
		"all tables":             {to(func(g *privilegeGrant) { g.Table = "*" }), []string{"GRANT SELECT ON db.* TO app"}},
		"the databases of Aiven": {to(func(g *privilegeGrant) { g.Database = "system" }), []string{"GRANT SELECT ON system.* TO app"}},
		"the option":             {to(func(g *privilegeGrant) { g.WithGrantOption = ptr.To(true) }), []string{"GRANT SELECT ON db.* TO app WITH GRANT OPTION"}},
		"columns of every privilege": {to(func(g *privilegeGrant) {
			g.Privileges, g.Table, g.Columns = []string{"insert", "ALTER UPDATE"}, "t", []string{"a", "b"}
		}), []string{"GRANT ALTER UPDATE(a, b), INSERT(a, b) ON db.t TO app"}},
		"columns in parentheses": {to(func(g *privilegeGrant) { g.Privileges, g.Table = []string{"SELECT (a, `b c`)"}, "t" }), []string{"GRANT SELECT(a, b c) ON db.t TO app"}},
		"nothing":                {to(privileges()), nil},
		"a role": {
			v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{Grantees: []grantee{{Role: "app"}}, Roles: []string{"b", "a"}, WithAdminOption: ptr.To(true)}}},
			[]string{"GRANT a, b TO app WITH ADMIN OPTION"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Of(tc.spec)
			require.NoError(t, err)
			assert.Equal(t, tc.want, planned(Found{Tree: someTree()}, Wishes{Wanted: s}))
		})
	}
}

func TestAUserWhoIsARoleWasGrantedWhatTheUserHas(t *testing.T) {
	had := Granted(to(func(g *privilegeGrant) { g.Grantees = []grantee{{User: "app", Role: "team"}} }))
	assert.Equal(t, []string{"GRANT SELECT ON db.* TO app"}, planned(Found{Tree: someTree()}, Wishes{Wanted: had}), "it is revoked with the object")
}

func TestWhatCannotBeRightIsRefusedByItsField(t *testing.T) {
	for name, tc := range map[string]struct {
		spec  v1alpha1.ClickhouseGrants
		field string
	}{
		"SQL as a privilege":         {to(privileges("INSERT", "SELECT ON *.* TO evil; --")), "spec.privilegeGrants[0].privileges[1]"},
		"SQL behind columns":         {to(privileges("SELECT(a) ON db.t TO evil")), "spec.privilegeGrants[0].privileges[0]"},
		"SQL in columns":             {to(func(g *privilegeGrant) { g.Privileges, g.Table = []string{"SELECT(a, `b)"}, "t" }), "spec.privilegeGrants[0].privileges[0]"},
		"a comment":                  {to(privileges("SELECT/**/")), "spec.privilegeGrants[0].privileges[0]"},
		"an empty privilege":         {to(privileges("")), "spec.privilegeGrants[0].privileges[0]"},
		"no grantee":                 {to(func(g *privilegeGrant) { g.Grantees = []grantee{{User: "app"}, {}} }), "spec.privilegeGrants[0].grantees[1]"},
		"a user of Aiven's":          {to(func(g *privilegeGrant) { g.Grantees = []grantee{{User: "avnadmin"}} }), "spec.privilegeGrants[0].grantees[0].user"},
		"no database":                {to(func(g *privilegeGrant) { g.Database = "" }), "spec.privilegeGrants[0].database"},
		"the information schema":     {to(func(g *privilegeGrant) { g.Database = "INFORMATION_SCHEMA" }), "spec.privilegeGrants[0].database"},
		"a table of all databases":   {to(func(g *privilegeGrant) { g.Database, g.Table = "*", "t" }), "spec.privilegeGrants[0].table"},
		"columns of no table":        {to(privileges("SELECT(a)")), "spec.privilegeGrants[0].privileges[0]"},
		"columns of all tables":      {to(func(g *privilegeGrant) { g.Table, g.Columns = "*", []string{"a"} }), "spec.privilegeGrants[0].privileges[0]"},
		"columns twice":              {to(func(g *privilegeGrant) { g.Privileges, g.Table, g.Columns = []string{"SELECT(a)"}, "t", []string{"b"} }), "spec.privilegeGrants[0].privileges[0]"},
		"a column without a name":    {to(func(g *privilegeGrant) { g.Table, g.Columns = "t", []string{""} }), "spec.privilegeGrants[0].columns[0]"},
		"a user who is a role":       {to(func(g *privilegeGrant) { g.Grantees = []grantee{{User: "app", Role: "team"}} }), "spec.privilegeGrants[0].grantees[0]"},
		"a role without a name":      {v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{Grantees: []grantee{{User: "app"}}, Roles: []string{"a", ""}}}}, "spec.roleGrants[0].roles[1]"},
		"a role for a user of Aiven": {v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{Grantees: []grantee{{User: "aiven"}}, Roles: []string{"a"}}}}, "spec.roleGrants[0].grantees[0].user"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Of(tc.spec)
			require.ErrorContains(t, err, tc.field+": ")
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
		})
	}
}

func TestAnotherObjectWantsWhatItsSpecAsksForAndItsStatusHas(t *testing.T) {
	role := func(option bool, names ...string) v1alpha1.ClickhouseGrants {
		return v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{{Grantees: []grantee{{User: "app"}}, Roles: names, WithAdminOption: &option}}}
	}
	option := func(g *privilegeGrant) { g.WithGrantOption = ptr.To(true) }
	for name, tc := range map[string]struct {
		spec    v1alpha1.ClickhouseGrants
		granted *v1alpha1.ClickhouseGrants
		want    Set
	}{
		"named, never granted":      {to(privileges("SELECT")), nil, set()},
		"named, another granted":    {to(privileges("SELECT")), ptr.To(to(privileges("INSERT"))), set()},
		"granted, no longer named":  {to(privileges()), ptr.To(to(privileges("SELECT"))), set()},
		"both":                      {to(privileges("SELECT", "INSERT")), ptr.To(to(privileges("select"))), set("SELECT ON db.*")},
		"the option isn't granted":  {to(option), ptr.To(to(privileges("SELECT"))), set("SELECT ON db.*")},
		"the option isn't named":    {to(privileges("SELECT")), ptr.To(to(option)), set("SELECT ON db.*")},
		"both with the option":      {to(option), ptr.To(to(option)), set("SELECT ON db.*+")},
		"a role":                    {role(false, "a", "b"), ptr.To(role(false, "b", "c")), set("b")},
		"a role without the option": {role(true, "a"), ptr.To(role(false, "a")), set("a")},
		"a role with the option":    {role(true, "a"), ptr.To(role(true, "a")), set("a+")},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSet()
			s.AddCommon(tc.spec, tc.granted)
			assert.ElementsMatch(t, shown(tc.want), shown(s))
			assert.ElementsMatch(t, sortedMemberships(tc.want.Memberships), sortedMemberships(s.Memberships))
		})
	}
}

func TestTheIntentIsWhatWasGrantedAndWhatIsGoingToBe(t *testing.T) {
	spec := to(privileges("SELECT"))
	assert.Equal(t, &spec, Intent(spec, nil))
	assert.Equal(t, &spec, Intent(spec, &spec))
	before := to(privileges("INSERT"))
	before.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Grantees: []grantee{{User: "app"}}, Roles: []string{"team"}}}
	both := Intent(spec, &before)
	assert.Equal(t, slices.Concat(spec.PrivilegeGrants, before.PrivilegeGrants), both.PrivilegeGrants)
	assert.Equal(t, before.RoleGrants, both.RoleGrants)
	assert.Len(t, spec.PrivilegeGrants, 1)

	more := to(privileges("SELECT", "INSERT"))
	assert.Equal(t, &more, Intent(spec, &more), "less than was granted is written only once it is revoked")
	other := to(privileges("INSERT", "SELECT"))
	assert.Equal(t, &more, Intent(other, &more), "as is another order")
}

// What is left because another object wants it is remembered: nothing else would revoke it.
func TestTheRecordIsTheSpecAndWhatOthersKeep(t *testing.T) {
	f := Found{Tree: someTree()}
	spec := to(privileges("INSERT"))
	wanted, err := Of(spec)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		granted, others Set
		want            []string // besides the spec
	}{
		"nothing else was granted": {set("INSERT ON db.*"), set("SELECT ON db.*"), nil},
		"no object wants it":       {set("SELECT ON db.*", "team"), set(), nil},
		"another object wants it":  {set("SELECT ON db.t(a)+", "SELECT ON *.*", "team+"), set("SELECT ON db.t", "SELECT ON *.*", "team"), []string{"SELECT ON *.*()", "SELECT ON db.t(a)+"}},
		"a part of it":             {set("ALTER ON db.*"), set("ALTER DELETE ON *.*"), []string{"ALTER ON db.*()"}},
		"the spec covers it":       {set("INSERT ON db.t"), set("INSERT ON db.t"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := Wishes{Wanted: wanted, Granted: tc.granted, Others: tc.others}
			record := Record(f, w, spec)
			assert.Equal(t, spec.PrivilegeGrants[0], record.PrivilegeGrants[0])
			record.PrivilegeGrants = record.PrivilegeGrants[1:]
			left, err := Of(*record)
			require.NoError(t, err)
			assert.ElementsMatch(t, tc.want, shown(left))
			assert.Equal(t, len(tc.granted.Memberships) > 0 && len(tc.others.Memberships) > 0, len(left.Memberships) > 0)
		})
	}
}
