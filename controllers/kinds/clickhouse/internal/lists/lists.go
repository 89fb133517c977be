package lists

import (
	"context"
	"maps"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/resource"
)

// The lists of a service, by the operation that reads them. Those that ClickHouse itself has are read by SELECT.
const (
	Users            = "ServiceClickHouseUserList"
	Databases        = "ServiceClickHouseDatabaseList"
	Roles            = "ServiceClickHouseQuery system.roles"
	Grants           = "ServiceClickHouseQuery system.grants"
	RoleGrants       = "ServiceClickHouseQuery system.role_grants"
	listOfPrivileges = "ServiceClickHouseQuery system.privileges"
)

// User is a user as Aiven lists it. It has its password in the answer to its creation only, and where it was reset.
type User struct {
	Name, UUID string
	Required   bool // Aiven needs it: it can't be deleted
	Password   string
}

// IsPrimary reports whether the user is the service's own, whose password the service shows.
func (u User) IsPrimary() bool { return u.Name == aiven.PrimaryUser }

// UsedByAiven reports whether Aiven itself uses the user.
func (u User) UsedByAiven() bool { return u.Required || u.IsPrimary() }

// listed is the user as a list has it, without the password. It reports false for one that has no id yet.
func (u User) listed() (User, bool) {
	u.Password = ""
	return u, u.UUID != ""
}

// Database is a database as Aiven lists it.
type Database struct {
	Name     string
	Required bool // Aiven needs it: it can't be deleted
	State    avnclickhouse.DatabaseStateType
}

// Role is a row of system.roles.
type Role struct {
	Name string `json:"name"`
}

// Key is a list of a service.
func Key(d *v1alpha1.ServiceDependant, list string) aiven.ListKey {
	return aiven.ListKey{Project: d.Project, Service: d.ServiceName, Operation: list}
}

// Item is the item of one of the lists of users, databases and roles.
func Item(d *v1alpha1.ServiceDependant, list, name string) aiven.Item {
	return aiven.Item{List: Key(d, list), Key: name}
}

// ReadUsers returns the users of a service by name. It reflects our writes to the users that are named.
func ReadUsers(ctx context.Context, s resource.Scope, names ...string) (map[string]User, error) {
	return readList(ctx, s, Users, func(ctx context.Context) (map[string]User, error) {
		users, err := s.Client.API().ServiceClickHouseUserList(ctx, s.Project, s.ServiceName)
		return byName(users, func(u avnclickhouse.UserOut) (string, User) {
			return u.Name, User{Name: u.Name, UUID: u.Uuid, Required: u.Required}
		}), err
	}, names)
}

// NameOf is the name of the user with an id; empty if there is none.
func NameOf(users map[string]User, id string) string {
	for name, user := range users {
		if id != "" && user.UUID == id {
			return name
		}
	}
	return ""
}

// ReadDatabases returns the databases of a service by name. It reflects our writes to the databases that are named.
func ReadDatabases(ctx context.Context, s resource.Scope, names ...string) (map[string]Database, error) {
	return readList(ctx, s, Databases, func(ctx context.Context) (map[string]Database, error) {
		databases, err := s.Client.API().ServiceClickHouseDatabaseList(ctx, s.Project, s.ServiceName)
		return byName(databases, func(d avnclickhouse.DatabaseOut) (string, Database) {
			return d.Name, Database{Name: d.Name, Required: d.Required, State: d.State}
		}), err
	}, names)
}

// ReadRoles returns the roles of a service by name. It reflects our writes to the roles that are named.
func ReadRoles(ctx context.Context, s resource.Scope, names ...string) (map[string]Role, error) {
	return readList(ctx, s, Roles, func(ctx context.Context) (map[string]Role, error) {
		roles, err := selectFrom[Role](ctx, s, "roles", "name")
		return byName(roles, func(r Role) (string, Role) { return r.Name, r }), err
	}, names)
}

// readList reads a list that objects share.
func readList[V any](
	ctx context.Context, s resource.Scope, list string, read func(context.Context) (map[string]V, error), names []string,
) (map[string]V, error) {
	key := aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: list}
	return aiven.List(ctx, s.Client, key, aiven.ListSource[map[string]V]{Read: read, Items: asItems[V], With: withWritten[V]}, names...)
}

// withWritten is a list with what was written: a *V, what makes a new V of the one before, or nil for what doesn't exist.
func withWritten[V any](list map[string]V, written map[string]any) (map[string]V, bool) {
	after := maps.Clone(list)
	for name, item := range written {
		switch item := item.(type) {
		case nil:
			delete(after, name)
		case *V:
			after[name] = *item
		case func(V) V:
			after[name] = item(after[name])
		default:
			return nil, false
		}
		if made, ok := any(after[name]).(interface{ listed() (V, bool) }); ok && item != nil {
			shown, complete := made.listed()
			if after[name] = shown; !complete {
				return nil, false
			}
		}
	}
	return after, true
}

// asItems indexes a list by the keys that it has.
func asItems[V any](list map[string]V) map[string]any {
	if list == nil {
		return nil
	}
	items := make(map[string]any, len(list))
	for name, value := range list {
		items[name] = value
	}
	return items
}

// byName keeps the difference between no list and an empty one.
func byName[A, V any](all []A, convert func(A) (string, V)) map[string]V {
	if all == nil {
		return nil
	}
	index := make(map[string]V, len(all))
	for _, element := range all {
		name, value := convert(element)
		index[name] = value
	}
	return index
}

// roleMembers is an item of the list of granted roles: all that have a role.
func roleMembers(role string) string { return "members/" + role }

// RecordNewUser notes that a user who was just created has no grants: ClickHouse drops them together with the user who had
// the name before.
func RecordNewUser(s resource.Scope, name string, start aiven.WriteStart) {
	for _, list := range []string{Grants, RoleGrants} {
		key := aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: list}
		s.Client.RecordListChange(key, grants.Grantee{Name: name}.String(), start, nil)
	}
}

// RecordNewRole makes the grants to a role, and of it, be read again: the role may have been there.
func RecordNewRole(s resource.Scope, name string) {
	grantee := grants.Grantee{Role: true, Name: name}.String()
	for list, items := range map[string][]string{Grants: {grantee}, RoleGrants: {grantee, roleMembers(name)}} {
		for _, item := range items {
			s.Client.RecordListWrite(aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: list}, item, true)
		}
	}
}

// RecordStatement notes what users and roles have by a GRANT, for all objects that share them. After everything else their grants
// are read again, at once after a REVOKE: what it cuts, and what a GRANT does to a hole, is for ClickHouse to say. A statement that
// wasn't sent changes nothing: what was read still holds for the next attempt.
func RecordStatement(s resource.Scope, there grants.Found, statement grants.Statement, start aiven.WriteStart, err error) {
	if fault.NotSent(err) {
		return
	}
	key := aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: Grants}
	revoked, change := key, any(statement.AddRows)
	if statement.Access == "" {
		key.Operation, change = RoleGrants, statement.AddRoles
	}
	for _, grantee := range statement.To {
		if err == nil && !statement.Revoke && !there.Cut(grantee) {
			s.Client.RecordListChange(key, grantee.String(), start, change)
			continue
		}
		s.Client.RecordListWrite(key, grantee.String(), aiven.MayHaveApplied(err))
		if statement.Revoke {
			s.Client.RecordListWrite(revoked, revokedKey(grantee), aiven.MayHaveApplied(err))
		}
		if statement.Revoke && statement.Access == "" && grantee.Role {
			s.Client.RecordListWrite(revoked, revokedRoles, aiven.MayHaveApplied(err))
		}
	}
}

// InvalidateGrants makes the grants of a service be read again. ClickHouse drops them together with a user or role.
func InvalidateGrants(s resource.Scope) {
	for _, list := range []string{Grants, RoleGrants} {
		s.Client.ForgetListResults(aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: list})
	}
}
