package clickhouse

import (
	"context"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhousegrants,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhousegrants/status,verbs=patch

// Grant grants privileges and roles. Objects may overlap: what one grants, another may grant, too.
var Grant = resource.Definition[*v1alpha1.ClickhouseGrant, granted]{
	Object: &v1alpha1.ClickhouseGrant{}, IsRule: true,
	Place:    resource.InService("clickhouse"),
	Identity: controllers.NoIdentity[*v1alpha1.ClickhouseGrant],
	// The key means all that the object has granted, which is no item of its own.
	Item: func(obj *v1alpha1.ClickhouseGrant) aiven.Item {
		list := listOfGrants
		if len(namedBy(obj).Privileges) == 0 {
			list = listOfRoleGrants
		}
		return itemOf(&obj.Spec.ServiceDependant, list, "object/"+string(obj.UID))
	},
	ReadsItems:     neededBy,
	Shares:         granteesOf,
	LookupOnDelete: true,
	Find:           findGranted,
	State:          grantedState,
	Diff:           diffGranted,
	Intent: func(obj *v1alpha1.ClickhouseGrant, _ *granted) {
		obj.Status.State = grants.Intent(obj.Spec.ClickhouseGrants, obj.Status.State)
	},
	Create: func(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (*granted, error) {
		found, err := findGranted(ctx, s, obj)
		if err != nil {
			return nil, err
		}
		return changeGrants(ctx, s, obj, found)
	},
	Update: func(
		ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant, found *granted, diff controllers.Diff,
	) (*granted, error) {
		if len(diff) == 0 {
			found.actions = found.whole
		}
		return changeGrants(ctx, s, obj, found)
	},
	Delete: deleteGranted,
}.Kind()

// granted is what users and roles have, and what is to be done about it.
type granted struct {
	there   grants.Found
	present bool // something of what the object is about is there
	actions []grants.Action
	whole   []grants.Action // what makes all of the spec, whatever is there
	waits   []string        // for users, roles and databases that aren't there
	twins   []grants.Action // actions of a deletion on a user or role of a name that another has
	unseen  bool            // one of them isn't there, but what it was granted is
	partial bool            // something that was granted isn't there
	record  *v1alpha1.ClickhouseGrants
}

// Partial reports whether a GRANT may be on its way.
func (g *granted) Partial() bool { return g.partial }

// readGranted records what was granted once there is nothing to do any more.
func readGranted(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (*granted, error) {
	wishes, err := wishesOf(ctx, s, obj)
	if err != nil {
		return nil, err
	}
	there, err := readGrants(ctx, s, wishes)
	if err != nil {
		return nil, err
	}
	if err := checkKnown(there.Tree, wishes.Wanted); err != nil {
		return nil, err
	}
	found := &granted{
		there:   there,
		actions: grants.Plan(there, wishes), record: grants.Record(there, wishes, obj.Spec.ClickhouseGrants),
		whole:   grants.Plan(grants.Found{Tree: there.Tree}, grants.Wishes{Wanted: wishes.Wanted}),
		partial: len(grants.Plan(there, grants.Wishes{Wanted: wishes.Granted})) > 0,
		present: wishes.Wanted.Empty() || there.Present(wishes.Wanted) || there.Present(wishes.Granted),
	}
	deleting := !obj.DeletionTimestamp.IsZero()
	if err := found.checkNeeds(ctx, s, deleting); err != nil {
		return nil, err
	}
	switch {
	case len(found.actions) > 0:
	case deleting:
		return nil, nil
	case len(found.waits) == 0:
		obj.Status.State = found.record
	}
	return found, nil
}

// wishesOf is what the object and its siblings want. An object that is being deleted wants nothing. Its spec counts as granted
// where the status was lost.
func wishesOf(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (grants.Wishes, error) {
	w := grants.Wishes{Wanted: grants.NewSet(), Granted: grants.NewSet(), Others: grants.NewSet()}
	wanted, err := grants.Of(obj.Spec.ClickhouseGrants)
	deleting := !obj.DeletionTimestamp.IsZero()
	if err != nil && !deleting {
		return w, err
	}
	if obj.Status.State != nil {
		w.Granted = grants.Granted(*obj.Status.State) // what can't be read was refused by ClickHouse, too
	} else if deleting {
		w.Granted = wanted
	}
	if !deleting {
		w.Wanted = wanted
	}
	siblings, err := s.Siblings(ctx)
	if err != nil {
		return w, err
	}
	for _, sibling := range siblings {
		if other := sibling.(*v1alpha1.ClickhouseGrant); other.DeletionTimestamp.IsZero() {
			w.Others.AddCommon(other.Spec.ClickhouseGrants, other.Status.State)
		}
	}
	return w, w.CheckCycles(nil)
}

// grantedState waits for what is missing, once everything else is done.
func grantedState(found *granted) status.Remote {
	remote := status.Remote{Exists: found.present, Active: len(found.waits) == 0}
	switch {
	case len(found.actions) > 0:
		remote.Active = true // the differences are what matters
	case found.present && len(found.waits) > 0:
		remote.Lacks = found.awaited()
	case len(found.waits) > 0:
		remote.Message = found.awaited()
	default:
		remote.Exists = true
	}
	return remote
}

// diffGranted names statements.
func diffGranted(_ resource.Scope, _ *v1alpha1.ClickhouseGrant, found *granted) controllers.Diff {
	var diff controllers.Diff
	for _, statement := range grants.Statements(found.actions) {
		switch path := pathOf(statement); {
		case statement.Revoke:
			diff.Add(path, "", statement)
		default:
			diff.Add(path, statement, "")
		}
	}
	return diff
}
