package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/resource"
)

// granteesOf are the users and roles that an object grants or has granted something to.
func granteesOf(obj *v1alpha1.ClickhouseGrant) []string {
	var keys []string
	service := obj.Spec.Project + "/" + obj.Spec.ServiceName + "/"
	for _, grantee := range namedBy(obj).Grantees() {
		keys = append(keys, service+grantee.String())
	}
	return keys
}

// namedBy is everything that the spec and the status of an object name.
func namedBy(obj *v1alpha1.ClickhouseGrant) grants.Set {
	return grants.Granted(*grants.Intent(obj.Spec.ClickhouseGrants, obj.Status.State))
}

// neededBy are the users, roles and databases whose coming and going concerns an object, and what other objects revoke: that may
// be what this one has found a moment before.
func neededBy(obj *v1alpha1.ClickhouseGrant) []aiven.Item {
	var items []aiven.Item
	named := namedBy(obj)
	add := func(list string, names []string) {
		for _, name := range names {
			items = append(items, itemOf(&obj.Spec.ServiceDependant, list, name))
		}
	}
	var users []string
	roles := named.Granted()
	for _, grantee := range named.Grantees() { // whichever has the name: that both have it concerns the object, too
		users, roles = append(users, grantee.Name), append(roles, grantee.Name)
	}
	add(listOfUsers, users)
	add(listOfRoles, roles)
	add(listOfDatabases, named.Databases())
	for _, grantee := range named.Grantees() {
		items = append(items, itemOf(&obj.Spec.ServiceDependant, listOfGrants, revokedKey(grantee)))
	}
	if named.Nests() {
		items = append(items, itemOf(&obj.Spec.ServiceDependant, listOfGrants, revokedRoles))
	}
	return items
}

// revokedKey means all that is revoked from a user or role. No list has it.
func revokedKey(from grants.Grantee) string { return "revoked/" + from.String() }

// revokedRoles means every role that is revoked from a role: another one may be granted then that would have led back.
const revokedRoles = "revoked roles"

// needs are the names that actions depend on, by the lists that they are in.
type needs struct {
	users, roles, databases []string
	from                    []string // users that something is revoked from
}

func (n *needs) add(action grants.Action) {
	if action.Revoke && !action.Role {
		n.from = append(n.from, action.Name)
	}
	// The name of a grantee must not be in both lists.
	n.users, n.roles = append(n.users, action.Name), append(n.roles, action.Name)
	if action.Granted != "" {
		n.roles = append(n.roles, action.Granted)
	}
	if action.Database != "" && !action.Revoke {
		n.databases = append(n.databases, action.Database)
	}
}

// presence is which of some names are there.
type presence struct{ users, roles, databases map[string]bool }

// namesAge is how old the lists may be that say whom a statement is for: ClickHouse takes a user or a role, whichever has
// the name by then.
const namesAge = 10 * time.Second

func (n *needs) read(ctx context.Context, s resource.Scope) (presence, error) {
	there := presence{databases: map[string]bool{"default": true, systemDatabase: true}}
	key := aiven.ListKey{Project: s.Project, Service: s.ServiceName, Operation: listOfUsers}
	s.Client.RefreshList(key, namesAge)
	users, err := listUsers(ctx, s, n.users...)
	if err != nil {
		return there, err
	}
	gone := func(name string) bool { _, there := users[name]; return !there }
	if slices.ContainsFunc(n.from, gone) {
		key.Operation = listOfRoles
		s.Client.RefreshList(key, namesAge)
	}
	roles, err := listRoles(ctx, s, n.roles...)
	if err != nil {
		return there, err
	}
	there.users, there.roles = keysOf(users), keysOf(roles)
	wanted := slices.ContainsFunc(n.databases, func(name string) bool { return !there.databases[name] })
	if !wanted {
		return there, nil
	}
	databases, err := listDatabases(ctx, s, n.databases...)
	for name, database := range databases {
		there.databases[name] = database.State != avnclickhouse.DatabaseStateTypePendingRemoval
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

// grantee reports whether the user or role of an action is there, and whether a role or user of its name is.
func (p presence) grantee(action grants.Action) (exists, twin bool) {
	if action.Role {
		return p.roles[action.Name], p.users[action.Name]
	}
	return p.users[action.Name], p.roles[action.Name]
}

// lacks names what an action has to wait for. A REVOKE waits if ClickHouse would take another of the name: what is gone has lost
// its grants, or will be shown.
func (p presence) lacks(action grants.Action) []string {
	var missing []string
	exists, twin := p.grantee(action)
	if !exists && (twin || !action.Revoke) {
		kind := "user "
		if action.Role {
			kind = "role "
		}
		missing = append(missing, kind+action.Name)
	}
	if action.Revoke {
		return missing
	}
	if action.Granted != "" && !p.roles[action.Granted] {
		missing = append(missing, "role "+action.Granted)
	}
	if action.Database != "" && !p.databases[action.Database] {
		missing = append(missing, "database "+action.Database)
	}
	return missing
}

func (g *granted) awaited() string {
	return "Waiting for " + strings.Join(g.waits, ", ") + ". Create what is missing, or correct spec.privilegeGrants or spec.roleGrants"
}

// findGranted reads the users again for a deletion from one of two of a name: a REVOKE from a user that has gone meanwhile would
// hit the role. The other lists are read again where one of them isn't there: not for each deletion, as all share them, and the
// reads of one would take the turns of the next.
func findGranted(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (*granted, error) {
	found, err := readGranted(ctx, s, obj)
	if err != nil || found == nil || len(found.twins) == 0 {
		return found, err
	}
	s.Client.InvalidateList(listKey(&obj.Spec.ServiceDependant, listOfUsers))
	found, err = readGranted(ctx, s, obj)
	if err != nil || found == nil || !found.unseen {
		return found, err
	}
	for _, list := range []string{listOfRoles, listOfGrants, listOfRoleGrants} {
		s.Client.InvalidateList(listKey(&obj.Spec.ServiceDependant, list))
	}
	return readGranted(ctx, s, obj)
}

// pathOf is where in the spec a statement comes from. What is revoked is in no spec any longer.
func pathOf(s grants.Statement) string {
	if s.Access == "" {
		return cmp.Or(s.Path, "spec.roleGrants")
	}
	return cmp.Or(s.Path, "spec.privilegeGrants")
}

// checkTwins refuses to revoke from a role what ClickHouse would revoke from the user of its name, and from what isn't there.
func (g *granted) checkTwins() error {
	if g.unseen {
		return deletion.ErrPending
	}
	for _, action := range g.twins {
		if action.Role {
			return &deletion.BlockedError{Reason: fmt.Sprintf("%s: %q is both a user and a role of the service: ClickHouse would revoke "+
				"from the user what the role has. Rename or drop one of them", pathOf(grants.Statement{Action: action}), action.Name)}
		}
	}
	return nil
}

// checkNeeds drops what can't be granted yet, and refuses names that mean a user and a role: ClickHouse would take the user. A
// deletion goes on with them.
func (g *granted) checkNeeds(ctx context.Context, s resource.Scope, deleting bool) error {
	if len(g.actions) == 0 {
		return nil
	}
	var names needs
	for _, action := range g.actions {
		names.add(action)
	}
	there, err := names.read(ctx, s)
	if err != nil {
		return err
	}
	for _, action := range g.actions {
		switch exists, twin := there.grantee(action); {
		case twin && deleting:
			g.twins, g.unseen = append(g.twins, action), g.unseen || !exists
		case twin && exists:
			return fault.InvalidSpec(cmp.Or(action.Path, "spec"), fmt.Sprintf(
				"%q is both a user and a role of the service: ClickHouse has one name for both. Rename one of them", action.Name))
		}
	}
	g.actions = slices.DeleteFunc(g.actions, func(action grants.Action) bool {
		if action.Revoke && deleting {
			return false
		}
		missing := there.lacks(action)
		for _, what := range missing {
			if !slices.Contains(g.waits, what) {
				g.waits = append(g.waits, what)
			}
		}
		return len(missing) > 0
	})
	return nil
}
