package inventory

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
)

func TestRowsOfSystemTablesBecomeGrants(t *testing.T) {
	yes := true
	app, role := []v1alpha1.ClickhouseGrantee{{User: "app"}}, []v1alpha1.ClickhouseGrantee{{Role: "app"}}
	on := func(database, table, column string) grants.Scope {
		return grants.Scope{Database: database, Table: table, Column: column}
	}
	for name, tc := range map[string]struct {
		to    grants.Grantee
		rows  []grants.Row
		roles map[string]bool
		want  Granted
	}{
		"nothing": {to: grants.Grantee{Name: "app"}, want: Granted{To: "user/app"}},
		"privileges of one place are together": {
			to:   grants.Grantee{Name: "app"},
			rows: []grants.Row{{Access: "SELECT", Scope: on("db", "", "")}, {Access: "INSERT", Scope: on("db", "", "")}, {Access: "SELECT", Scope: on("", "", ""), Option: true}},
			want: Granted{To: "user/app", ClickhouseGrants: v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{
				{Grantees: app, Privileges: []string{"SELECT"}, Database: "*", WithGrantOption: &yes},
				{Grantees: app, Privileges: []string{"INSERT", "SELECT"}, Database: "db"},
			}}},
		},
		"columns of a table": {
			to:   grants.Grantee{Role: true, Name: "app"},
			rows: []grants.Row{{Access: "SELECT", Scope: on("db", "t", "b")}, {Access: "SELECT", Scope: on("db", "t", "a")}, {Access: "INSERT", Scope: on("db", "t", "a")}},
			want: Granted{To: "role/app", ClickhouseGrants: v1alpha1.ClickhouseGrants{PrivilegeGrants: []v1alpha1.ClickhousePrivilegeGrant{
				{Grantees: role, Privileges: []string{"INSERT"}, Database: "db", Table: "t", Columns: []string{"a"}},
				{Grantees: role, Privileges: []string{"SELECT"}, Database: "db", Table: "t", Columns: []string{"a", "b"}},
			}}},
		},
		"roles, with and without the option": {
			to: grants.Grantee{Name: "app"}, roles: map[string]bool{"b": false, "a": false, "admin": true},
			want: Granted{To: "user/app", ClickhouseGrants: v1alpha1.ClickhouseGrants{RoleGrants: []v1alpha1.ClickhouseRoleGrant{
				{Grantees: app, Roles: []string{"a", "b"}}, {Grantees: app, Roles: []string{"admin"}, WithAdminOption: &yes},
			}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, Of(tc.to, tc.rows, tc.roles))
		})
	}
	assert.True(t, Of(grants.Grantee{Name: "app"}, []grants.Row{{Access: "SELECT", Partial: true}}, nil).Cut)
}
