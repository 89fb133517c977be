// Package inventory lists all that a ClickHouse service has and that a kind manages. Only package export imports it: an object reads
// no more than what it is about.
package inventory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// Contents are the names of what a service has, sorted, without what Aiven makes.
type Contents struct {
	Databases, Users, Roles []string
	Grants                  []Granted
	BuiltIn                 []BuiltIn // what Aiven makes
}

// BuiltIn is something that Aiven makes, and the kind that would manage it.
type BuiltIn struct{ Kind, What, Name string }

// Granted is what one user or role has.
type Granted struct {
	To string // user/name or role/name
	v1alpha1.ClickhouseGrants
	// Cut is set where a part of a privilege was revoked.
	Cut bool
}

// Read lists what a service has. It makes five calls.
func Read(ctx context.Context, client *aiven.Client, project, service string) (*Contents, error) {
	s := resource.Scope{Env: controllers.Env{Client: client, Memory: &sync.Map{}}, Project: project, ServiceName: service}
	databases, err := lists.ReadDatabases(ctx, s)
	users, usersErr := lists.ReadUsers(ctx, s)
	roles, rolesErr := lists.ReadRoles(ctx, s)
	rows, memberships, grantsErr := lists.ReadAllGrants(ctx, s)
	if err := cmp.Or(err, usersErr, rolesErr, grantsErr); err != nil {
		return nil, err
	}
	found := &Contents{}
	for _, name := range slices.Sorted(maps.Keys(databases)) {
		if databases[name].Required {
			found.BuiltIn = append(found.BuiltIn, BuiltIn{"ClickhouseDatabase", "database", name})
		} else {
			found.Databases = append(found.Databases, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		if users[name].UsedByAiven() {
			found.BuiltIn = append(found.BuiltIn, BuiltIn{"ClickhouseUser", "user", name})
		} else {
			found.Users = append(found.Users, name)
		}
	}
	found.Roles = slices.Sorted(maps.Keys(roles))
	for _, to := range grantees(found) {
		if granted := Of(to, rows[to.String()], memberships[to.String()]); len(granted.PrivilegeGrants)+len(granted.RoleGrants) > 0 {
			found.Grants = append(found.Grants, granted)
		}
	}
	return found, nil
}

// grantees are users and roles, but for those of Aiven. A role with the name of a user can't be granted anything.
func grantees(found *Contents) []grants.Grantee {
	var all []grants.Grantee
	for _, name := range found.Users {
		all = append(all, grants.Grantee{Name: name})
	}
	for _, name := range found.Roles {
		if !slices.Contains(found.Users, name) {
			all = append(all, grants.Grantee{Role: true, Name: name})
		}
	}
	return all
}

// place is what a privilege is on, with or without the option to grant it on.
type place struct {
	grants.Scope
	option bool
}

// Of is what the rows of ClickHouse's system tables mean for one user or role.
func Of(to grants.Grantee, rows []grants.Row, roles map[string]bool) Granted {
	granted, privileges := Granted{To: to.String()}, map[place]map[string]bool{}
	columns := map[place]map[string][]string{} // of privileges on columns, by table and privilege
	who := []v1alpha1.ClickhouseGrantee{{User: to.Name}}
	if to.Role {
		who = []v1alpha1.ClickhouseGrantee{{Role: to.Name}}
	}
	for _, row := range rows {
		granted.Cut = granted.Cut || row.Partial
		at := place{row.Scope, row.Option}
		if row.Column != "" {
			at.Column = ""
			if columns[at] == nil {
				columns[at] = map[string][]string{}
			}
			columns[at][row.Access] = append(columns[at][row.Access], row.Column)
			continue
		}
		if privileges[at] == nil {
			privileges[at] = map[string]bool{}
		}
		privileges[at][row.Access] = true
	}
	for _, at := range slices.SortedFunc(maps.Keys(privileges), before) {
		granted.add(who, at, slices.Sorted(maps.Keys(privileges[at])), nil)
	}
	for _, at := range slices.SortedFunc(maps.Keys(columns), before) {
		for _, access := range slices.Sorted(maps.Keys(columns[at])) {
			granted.add(who, at, []string{access}, slices.Sorted(slices.Values(columns[at][access])))
		}
	}
	for _, option := range []bool{false, true} {
		var names []string
		for _, role := range slices.Sorted(maps.Keys(roles)) {
			if roles[role] == option {
				names = append(names, role)
			}
		}
		if len(names) > 0 {
			granted.RoleGrants = append(granted.RoleGrants, v1alpha1.ClickhouseRoleGrant{Grantees: who, Roles: names, WithAdminOption: set(option)})
		}
	}
	return granted
}

func (g *Granted) add(who []v1alpha1.ClickhouseGrantee, at place, privileges, columns []string) {
	g.PrivilegeGrants = append(g.PrivilegeGrants, v1alpha1.ClickhousePrivilegeGrant{
		Grantees: who, Privileges: privileges, Database: cmp.Or(at.Database, "*"), Table: at.Table, Columns: columns, WithGrantOption: set(at.option),
	})
}

func before(a, b place) int {
	return cmp.Or(cmp.Compare(a.Database, b.Database), cmp.Compare(a.Table, b.Table), compareFlags(a.option, b.option))
}

func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// set is nil for a flag that is false, as by default.
func set(flag bool) *bool {
	if !flag {
		return nil
	}
	return &flag
}
