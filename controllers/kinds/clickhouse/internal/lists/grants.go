package lists

import (
	"context"
	"slices"
	"time"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/resource"
)

// grantRow is a row of system.grants.
type grantRow struct {
	User     *string `json:"user_name"`
	Role     *string `json:"role_name"`
	Access   string  `json:"access_type"`
	Database *string `json:"database"`
	Table    *string `json:"table"`
	Column   *string `json:"column"`
	Partial  int     `json:"is_partial_revoke"`
	Option   int     `json:"grant_option"`
}

// roleGrantRow is a row of system.role_grants.
type roleGrantRow struct {
	User    *string `json:"user_name"`
	Role    *string `json:"role_name"`
	Granted string  `json:"granted_role_name"`
	Option  int     `json:"with_admin_option"`
}

// granteeOf is whom a row is about.
func granteeOf(user, role *string) grants.Grantee {
	if user != nil {
		return grants.Grantee{Name: *user}
	}
	return grants.Grantee{Role: true, Name: value(role)}
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// ReadGrants returns what the users and roles have that an object is about. It reads no list that the object doesn't need, and
// each list by one call: of two, the second might never get its turn.
func ReadGrants(ctx context.Context, s resource.Scope, w grants.Wishes) (grants.Found, error) {
	found := grants.Found{Rows: map[grants.Grantee][]grants.Row{}, Roles: map[grants.Grantee]map[string]bool{}}
	both := grants.NewSet()
	both.Add(w.Wanted)
	both.Add(w.Granted)
	grantees := both.Grantees()
	keys := make([]string, 0, len(grantees))
	for _, grantee := range grantees {
		keys = append(keys, grantee.String())
	}
	if len(both.Memberships) > 0 {
		members := slices.Clone(keys)
		for _, role := range both.Granted() {
			members = append(members, roleMembers(role))
		}
		if w.Wanted.Nests() {
			members = nil // what any role has been granted may lead back
		}
		roles, err := readList(ctx, s, RoleGrants, func(ctx context.Context) (map[string]map[string]bool, error) {
			return selectRoleGrants(ctx, s)
		}, members)
		if err == nil {
			err = w.CheckCycles(roles)
		}
		if err != nil {
			return found, err
		}
		for _, grantee := range grantees {
			found.Roles[grantee] = roles[grantee.String()]
		}
	}
	if len(both.Privileges) == 0 {
		found.Tree = grants.NewTree(nil)
		return found, nil
	}
	rows, err := readList(ctx, s, Grants, func(ctx context.Context) (map[string][]grants.Row, error) {
		return selectGrants(ctx, s)
	}, keys)
	if err != nil {
		return found, err
	}
	for _, grantee := range grantees {
		found.Rows[grantee] = rows[grantee.String()]
	}
	found.Tree, err = Privileges(ctx, s)
	return found, err
}

// ReadAllGrants returns what all users and roles of a service have, by the keys of grants.Grantee: the rows of privileges, and
// the roles, with whether they may be granted on.
func ReadAllGrants(ctx context.Context, s resource.Scope) (rows map[string][]grants.Row, roles map[string]map[string]bool, err error) {
	if rows, err = selectGrants(ctx, s); err == nil {
		roles, err = selectRoleGrants(ctx, s)
	}
	return rows, roles, err
}

// selectGrants reads system.grants, by users and roles.
func selectGrants(ctx context.Context, s resource.Scope) (map[string][]grants.Row, error) {
	rows, err := selectFrom[grantRow](ctx, s, "grants", "user_name", "role_name", "access_type", "database", "table", "column",
		"is_partial_revoke", "grant_option")
	if err != nil || rows == nil {
		return nil, err
	}
	all := map[string][]grants.Row{}
	for _, row := range rows {
		if row.Database != nil && *row.Database == "" {
			continue // on something else than databases, such as a named collection
		}
		key := granteeOf(row.User, row.Role).String()
		all[key] = append(all[key], grants.Row{
			Access: row.Access, Partial: row.Partial != 0, Option: row.Option != 0,
			Scope: grants.Scope{Database: value(row.Database), Table: value(row.Table), Column: value(row.Column)},
		})
	}
	return all, nil
}

// selectRoleGrants reads system.role_grants, by users and roles: which roles they have, and whether with the option to grant
// them on.
func selectRoleGrants(ctx context.Context, s resource.Scope) (map[string]map[string]bool, error) {
	rows, err := selectFrom[roleGrantRow](ctx, s, "role_grants", "user_name", "role_name", "granted_role_name", "with_admin_option")
	if err != nil || rows == nil {
		return nil, err
	}
	all := map[string]map[string]bool{}
	for _, row := range rows {
		key := granteeOf(row.User, row.Role).String()
		if all[key] == nil {
			all[key] = map[string]bool{}
		}
		all[key][row.Granted] = row.Option != 0
	}
	return all, nil
}

// privilegesAge is how old the list of privileges may be: it changes with ClickHouse's version.
const privilegesAge = time.Hour

// knownPrivileges are those of a service.
type knownPrivileges struct {
	tree *grants.Tree
	read time.Time
}

// Privileges reads system.privileges once in a while, and once for all who ask at the same time.
func Privileges(ctx context.Context, s resource.Scope) (*grants.Tree, error) {
	service := aiven.ServiceKey{Project: s.Project, Service: s.ServiceName}
	if kept, there := s.Memory.Load(service); there && time.Since(kept.(knownPrivileges).read) < privilegesAge {
		return kept.(knownPrivileges).tree, nil
	}
	list := aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: listOfPrivileges}
	rows, err := aiven.List(ctx, s.Client, list, aiven.ListSource[[]grants.PrivilegeRow]{
		Read: func(ctx context.Context) ([]grants.PrivilegeRow, error) {
			return selectFrom[grants.PrivilegeRow](ctx, s, "privileges", "privilege", "aliases", "level", "parent_group")
		},
		Items: func([]grants.PrivilegeRow) map[string]any { return map[string]any{} }, // no object is one
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		s.Client.InvalidateList(list)
		return nil, fault.NotYet("ClickHouse returns no privileges")
	}
	tree := grants.NewTree(rows)
	s.Memory.Store(service, knownPrivileges{tree, time.Now()})
	return tree, nil
}
