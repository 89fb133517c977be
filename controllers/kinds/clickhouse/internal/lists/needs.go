package lists

import (
	"context"
	"slices"
	"time"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/resource"
)

// NeededBy are the users, roles and databases whose coming and going concerns an object that names them, and what other objects
// revoke: that may be what this one has found a moment before.
func NeededBy(d *v1alpha1.ServiceDependant, named grants.Set) []aiven.Item {
	var items []aiven.Item
	add := func(list string, names []string) {
		for _, name := range names {
			items = append(items, Item(d, list, name))
		}
	}
	var users []string
	roles := named.Granted()
	for _, grantee := range named.Grantees() { // whichever has the name: that both have it concerns the object, too
		users, roles = append(users, grantee.Name), append(roles, grantee.Name)
	}
	add(Users, users)
	add(Roles, roles)
	add(Databases, named.Databases())
	for _, grantee := range named.Grantees() {
		items = append(items, Item(d, Grants, revokedKey(grantee)))
	}
	if named.Nests() {
		items = append(items, Item(d, Grants, revokedRoles))
	}
	return items
}

// revokedKey means all that is revoked from a user or role. No list has it.
func revokedKey(from grants.Grantee) string { return "revoked/" + from.String() }

// revokedRoles means every role that is revoked from a role: another one may be granted then that would have led back.
const revokedRoles = "revoked roles"

// namesAge is how old the lists may be that say whom a statement is for: ClickHouse takes a user or a role, whichever has
// the name by then.
const namesAge = 10 * time.Second

// ReadPresence returns which of some names are there.
func ReadPresence(ctx context.Context, s resource.Scope, n grants.Needs) (grants.Presence, error) {
	there := grants.Presence{Databases: map[string]bool{"default": true, SystemDatabase: true}}
	key := aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: Users}
	s.Client.RefreshList(key, namesAge)
	users, err := ReadUsers(ctx, s, n.Users...)
	if err != nil {
		return there, err
	}
	key.Operation = Roles
	gone := func(name string) bool { _, there := users[name]; return !there }
	if slices.ContainsFunc(n.From, gone) {
		s.Client.RefreshList(key, namesAge)
	}
	roles, err := ReadRoles(ctx, s, n.Roles...)
	twin := func(name string) bool { _, there := roles[name]; return there && !gone(name) }
	if err == nil && slices.ContainsFunc(n.Users, twin) { // refuses the object: one that was renamed since doesn't
		s.Client.RefreshList(key, namesAge)
		roles, err = ReadRoles(ctx, s, n.Roles...)
	}
	if err != nil {
		return there, err
	}
	there.Users, there.Roles = keysOf(users), keysOf(roles)
	wanted := slices.ContainsFunc(n.Databases, func(name string) bool { return !there.Databases[name] })
	if !wanted {
		return there, nil
	}
	databases, err := ReadDatabases(ctx, s, n.Databases...)
	for name, database := range databases {
		there.Databases[name] = database.State != avnclickhouse.DatabaseStateTypePendingRemoval
	}
	return there, err
}

func keysOf[V any](list map[string]V) map[string]bool {
	keys := make(map[string]bool, len(list))
	for name := range list {
		keys[name] = true
	}
	return keys
}
