package grants

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Work is what users and roles have, and what is to be done about it.
type Work struct {
	There   Found
	Present bool // something of what the object is about is there
	Before  bool // the object has granted something before: that all of it is gone is a difference
	Actions []Action
	Whole   []Action // what makes all of the spec, whatever is there
	Waiting []Action // what can't be granted yet
	Waits   []string // for users, roles and databases that aren't there
	Twins   []Action // actions of a deletion on a user or role of a name that another has
	Unseen  bool     // one of them isn't there, but what it was granted is
	Record  *v1alpha1.ClickhouseGrants

	partial bool // something that was granted isn't there
}

// WorkFor compares what is there with what is wished. What the actions depend on isn't checked yet: see CheckNeeds.
func WorkFor(there Found, w Wishes, spec v1alpha1.ClickhouseGrants) *Work {
	return &Work{
		There:   there,
		Actions: Plan(there, w), Record: Record(there, w, spec),
		Whole:   Plan(Found{Tree: there.Tree}, Wishes{Wanted: w.Wanted}),
		partial: len(Plan(there, Wishes{Wanted: w.Granted})) > 0,
		Present: w.Wanted.Empty() || there.Present(w.Wanted) || there.Present(w.Granted),
	}
}

// Partial reports whether a GRANT may be on its way.
func (g *Work) Partial() bool { return g.partial }

// Needs are the names that the actions depend on.
func (g *Work) Needs() Needs {
	var names Needs
	for _, action := range g.Actions {
		names.add(action)
	}
	return names
}

// CheckKnown refuses what is no privilege of the service: it would be a part of a statement.
func CheckKnown(tree *Tree, wanted Set) error {
	for p, path := range wanted.Privileges {
		if !tree.Knows(p.Access) {
			return fault.InvalidSpec(path+".privileges", fmt.Sprintf("ClickHouse has no privilege %s. List those "+
				"that it has with: SELECT privilege FROM system.privileges", p.Access))
		}
	}
	return nil
}

// CheckTwins refuses to revoke from a role what ClickHouse would revoke from the user of its name, and from what isn't there.
func (g *Work) CheckTwins() error {
	if g.Unseen {
		return deletion.ErrPending
	}
	for _, action := range g.Twins {
		if action.Role {
			return &deletion.BlockedError{Reason: fmt.Sprintf("%s: %q is both a user and a role of the service: ClickHouse would revoke "+
				"from the user what the role has. Rename or drop one of them", Statement{Action: action}.Field(), action.Name)}
		}
	}
	return nil
}

// CheckNeeds drops what can't be granted yet, and refuses names that mean a user and a role: ClickHouse would take the user. A
// deletion goes on with them.
func (g *Work) CheckNeeds(there Presence, deleting bool) error {
	for _, action := range g.Actions {
		switch exists, twin := there.grantee(action); {
		case twin && deleting:
			g.Twins, g.Unseen = append(g.Twins, action), g.Unseen || !exists
		case twin && exists:
			return fault.InvalidSpec(cmp.Or(action.Path, "spec"), fmt.Sprintf(
				"%q is both a user and a role of the service: ClickHouse has one name for both. Rename one of them", action.Name))
		}
	}
	g.Actions = slices.DeleteFunc(g.Actions, func(action Action) bool {
		if action.Revoke && deleting {
			return false
		}
		missing := there.lacks(action)
		for _, what := range missing {
			if !slices.Contains(g.Waits, what) {
				g.Waits = append(g.Waits, what)
			}
		}
		if len(missing) > 0 {
			g.Waiting = append(g.Waiting, action)
		}
		return len(missing) > 0
	})
	return nil
}

// State waits for what is missing, once everything else is done.
func State(found *Work) status.Remote {
	remote := status.Remote{Exists: found.Present, Active: len(found.Waits) == 0}
	switch {
	case len(found.Actions) > 0:
		remote.Exists, remote.Active = found.Present || found.Before, true // the differences are what matters
	case found.Present && len(found.Waits) > 0:
		remote.Lacks = found.awaited()
	case len(found.Waits) > 0:
		remote.Message = found.awaited()
	default:
		remote.Exists = true
	}
	return remote
}

// Diff names statements.
func (g *Work) Diff() plan.Diff { return diffOf(g.Actions) }

// Later names the statements that wait for what isn't there.
func (g *Work) Later() plan.Diff { return diffOf(g.Waiting) }

// RevokesLater reports whether a REVOKE waits.
func (g *Work) RevokesLater() bool {
	return slices.ContainsFunc(g.Waiting, func(action Action) bool { return action.Revoke })
}

func diffOf(actions []Action) plan.Diff {
	var diff plan.Diff
	for _, statement := range Statements(actions) {
		switch path := statement.Field(); {
		case statement.Revoke:
			diff.Add(path, nil, statement)
		default:
			diff.Add(path, statement, nil)
		}
	}
	return diff
}

func (g *Work) awaited() string {
	return "Waiting for " + fault.Few(g.Waits, fault.ListLimit) + ". Create what is missing, or correct spec.privilegeGrants or spec.roleGrants"
}
