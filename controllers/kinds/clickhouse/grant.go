package clickhouse

import (
	"context"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/grants"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhousegrants,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhousegrants/status,verbs=patch

// Grant grants privileges and roles. Objects may overlap: what one grants, another may grant, too.
var Grant = resource.Definition[*v1alpha1.ClickhouseGrant, grants.Work]{
	Object: &v1alpha1.ClickhouseGrant{}, IsRule: true,
	Place:    resource.InService("clickhouse"),
	Identity: controllers.NoIdentity[*v1alpha1.ClickhouseGrant],
	// The key means all that the object has granted, which is no item of its own.
	Item: func(obj *v1alpha1.ClickhouseGrant) aiven.Item {
		list := lists.Grants
		if len(namedBy(obj).Privileges) == 0 {
			list = lists.RoleGrants
		}
		return lists.Item(&obj.Spec.ServiceDependant, list, "object/"+string(obj.UID))
	},
	ReadsItems: func(obj *v1alpha1.ClickhouseGrant) []aiven.Item {
		return lists.NeededBy(&obj.Spec.ServiceDependant, namedBy(obj))
	},
	Shares:         granteesOf,
	LookupOnDelete: true,
	Find:           findGranted,
	State:          grants.State,
	Diff: func(_ resource.Scope, _ *v1alpha1.ClickhouseGrant, found *grants.Work) controllers.Diff {
		return found.Diff()
	},
	Later: func(found *grants.Work) controllers.Diff { return found.Later() },
	Intent: func(obj *v1alpha1.ClickhouseGrant, _ *grants.Work) {
		obj.SetGranted(grants.Intent(obj.Spec.ClickhouseGrants, grantedBy(obj)))
	},
	Create: func(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (*grants.Work, error) {
		found, err := findGranted(ctx, s, obj)
		if err != nil {
			return nil, err
		}
		return changeGrants(ctx, s, obj, found)
	},
	Update: func(
		ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant, found *grants.Work, diff controllers.Diff,
	) (*grants.Work, error) {
		if len(diff) == 0 {
			found.Actions = found.Whole
		}
		return changeGrants(ctx, s, obj, found)
	},
	Delete: deleteGranted,
}.Kind()

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
	return grants.Granted(*grants.Intent(obj.Spec.ClickhouseGrants, obj.Granted()))
}

// grantedBy is what the status says that the object has granted; nil for one that owns nothing: it has observed that at most.
func grantedBy(obj *v1alpha1.ClickhouseGrant) *v1alpha1.ClickhouseGrants {
	if !ownership.Owns(obj) {
		return nil
	}
	return obj.Granted()
}

// findGranted reads the users again for a deletion from one of two of a name: a REVOKE from a user that has gone meanwhile would
// hit the role. The other lists are read again where one of them isn't there: not for each deletion, as all share them, and the
// reads of one would take the turns of the next.
func findGranted(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (*grants.Work, error) {
	found, err := readGranted(ctx, s, obj)
	if err != nil || found == nil || len(found.Twins) == 0 {
		return found, err
	}
	s.Client.InvalidateList(lists.Key(&obj.Spec.ServiceDependant, lists.Users))
	found, err = readGranted(ctx, s, obj)
	if err != nil || found == nil || !found.Unseen {
		return found, err
	}
	for _, list := range []string{lists.Roles, lists.Grants, lists.RoleGrants} {
		s.Client.InvalidateList(lists.Key(&obj.Spec.ServiceDependant, list))
	}
	return readGranted(ctx, s, obj)
}

// readGranted records what was granted once there is nothing to do any more. What an object only observes it hasn't granted.
func readGranted(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseGrant) (*grants.Work, error) {
	wishes, err := wishesOf(ctx, s, obj)
	if err != nil {
		return nil, err
	}
	there, err := lists.ReadGrants(ctx, s, wishes)
	if err != nil {
		return nil, err
	}
	if err := grants.CheckKnown(there.Tree, wishes.Wanted); err != nil {
		return nil, err
	}
	found := grants.WorkFor(there, wishes, obj.Spec.ClickhouseGrants)
	found.Before = grantedBy(obj) != nil && status.SeenBefore(obj) // ClickHouse drops what a user or role was granted with it
	deleting := !obj.DeletionTimestamp.IsZero()
	if len(found.Actions) > 0 {
		present, err := lists.ReadPresence(ctx, s, found.Needs())
		if err != nil {
			return nil, err
		}
		if err := found.CheckNeeds(present, deleting); err != nil {
			return nil, err
		}
	}
	switch {
	case len(found.Actions) > 0:
	case deleting:
		return nil, nil
	case s.ObservesOnly:
	case len(found.Waits) == 0, obj.Granted() != nil && !found.RevokesLater(): // what was revoked may be granted by others later
		obj.SetGranted(found.Record)
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
	if granted := grantedBy(obj); granted != nil {
		w.Granted = grants.Granted(*granted) // what can't be read was refused by ClickHouse, too
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
			w.Others.AddCommon(other.Spec.ClickhouseGrants, other.Granted())
		}
	}
	return w, w.CheckCycles(nil)
}
