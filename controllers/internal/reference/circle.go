package reference

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Objects of one kind may refer to each other in a circle. None of them would ever be ready, and where all are, a change of
// one would go round for ever.

// within reports whether the referrers of a guard are of the kind of its targets.
func (g Guard) within() bool { return g.Declaration.Kind == g.Lister.Kind }

// above maps each object that leads to another one, directly or by further references, to the next object on its way there.
func (g Guard) above(ctx context.Context, to types.NamespacedName) (map[types.NamespacedName]types.NamespacedName, error) {
	next := map[types.NamespacedName]types.NamespacedName{}
	for waiting := []types.NamespacedName{to}; len(waiting) > 0; waiting = waiting[1:] {
		found, err := g.Lister.List(ctx, client.MatchingFields{g.Declaration.IndexKey(): waiting[0].String()})
		if err != nil {
			return nil, err
		}
		for _, referrer := range found {
			name := client.ObjectKeyFromObject(referrer)
			if _, known := next[name]; !known {
				next[name] = waiting[0]
				waiting = append(waiting, name)
			}
		}
	}
	return next, nil
}

// circle returns the names from an object by one of its targets back to itself; nil if that target doesn't lead back.
func (g Guards) circle(ctx context.Context, d Declaration, from, target types.NamespacedName) ([]string, error) {
	at := slices.IndexFunc(g, func(guard Guard) bool { return guard.within() && guard.Declaration.Name == d.Name })
	if at < 0 {
		return nil, nil
	}
	next, err := g[at].above(ctx, from)
	if _, leadsBack := next[target]; err != nil || !leadsBack {
		return nil, err
	}
	chain := []string{from.String()}
	for name := target; name != from; name = next[name] {
		chain = append(chain, name.String())
	}
	return append(chain, from.String()), nil
}

// refuseCircle completes the outcome of a target that leads back to its referrer, and reports whether it does.
func (r Resolver) refuseCircle(ctx context.Context, d Declaration, referrer client.Object, o *Outcome) bool {
	if !referrer.GetDeletionTimestamp().IsZero() {
		return false
	}
	chain, err := r.Guards.circle(ctx, d, client.ObjectKeyFromObject(referrer), o.NamespacedName)
	switch {
	case err != nil:
		o.readFailed(err)
	case chain != nil:
		o.Err = fault.InvalidSpec(d.Field, "the references go in a circle: "+strings.Join(chain, " -> ")+". Remove one of them")
		o.conclude(Invalid, condition.ReasonInvalidSpec, o.Err.Error())
	}
	return o.State != ""
}

// releases reports whether a referrer that is being deleted doesn't hold back the deletion of its target, because the target
// leads back to it: one of them has to go first.
func (g Guard) releases(ctx context.Context, referrer, target client.Object) (bool, error) {
	if referrer.GetDeletionTimestamp().IsZero() || !g.within() {
		return false, nil
	}
	next, err := g.above(ctx, client.ObjectKeyFromObject(referrer))
	_, leadsBack := next[client.ObjectKeyFromObject(target)]
	return leadsBack, err
}
