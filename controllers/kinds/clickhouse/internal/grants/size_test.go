package grants

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// An object of any size that the API server accepts is evaluated in a time that doesn't hold up the others.
func TestManyGrantsTakeLittleTime(t *testing.T) {
	const many = 3000
	var spec v1alpha1.ClickhouseGrants
	var rows []Row
	for i := range many {
		table := fmt.Sprintf("t%d", i)
		spec.PrivilegeGrants = append(spec.PrivilegeGrants, v1alpha1.ClickhousePrivilegeGrant{
			Grantees: []grantee{{User: "app"}}, Privileges: []string{"SELECT"}, Database: "db", Table: table,
		})
		rows = append(rows, Row{Access: "SELECT", Scope: Scope{"db", table, ""}})
	}
	before := v1alpha1.ClickhouseGrants{PrivilegeGrants: append([]v1alpha1.ClickhousePrivilegeGrant{}, spec.PrivilegeGrants...)}
	for i := range before.PrivilegeGrants {
		before.PrivilegeGrants[i].Database = "earlier"
	}
	wanted, _ := Of(spec)
	granted := Granted(before)
	w := Wishes{Wanted: wanted, Granted: granted, Others: NewSet()}
	f := Found{Tree: someTree(), Rows: map[Grantee][]Row{app: rows}}
	for name, do := range map[string]func(){
		"intent":     func() { Intent(spec, &before) },
		"plan":       func() { Plan(f, w) },
		"first plan": func() { Plan(Found{Tree: f.Tree}, w) },
		"present":    func() { f.Present(granted) },
		"record":     func() { Record(f, w, spec) },
		"statements": func() { Statements(Plan(Found{Tree: f.Tree}, w)) },
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			do()
			t.Log(time.Since(start))
			assert.Less(t, time.Since(start), 2*time.Second)
		})
	}
}

// A spec of a few lines names millions of grants. One object must not exhaust the memory of the operator.
func TestASpecThatMultipliesIsRefused(t *testing.T) {
	names := func(prefix string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("%s%d", prefix, i))
		}
		return list
	}
	var all []grantee
	for _, name := range names("u", 300) {
		all = append(all, grantee{User: name})
	}
	for name, spec := range map[string]v1alpha1.ClickhouseGrants{
		"privileges": {PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{{
			Grantees: all, Privileges: names("P", 100), Database: "db", Table: "t", Columns: names("c", 100),
		}}},
		"roles": {RoleGrants: []v1alpha1.ClickhouseRoleGrant{{Grantees: all, Roles: names("r", 1000)}}},
	} {
		t.Run(name, func(t *testing.T) {
			wanted, err := Of(spec)
			assert.ErrorContains(t, err, "Use several objects, or grant to a role")
			assert.LessOrEqual(t, len(wanted.Privileges)+len(wanted.Memberships), most)
			left := Granted(spec)
			assert.LessOrEqual(t, len(left.Privileges)+len(left.Memberships), mostGranted)
		})
	}
}
