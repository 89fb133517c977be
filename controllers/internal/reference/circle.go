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

// ways are the references on all ways to an object.
type ways struct {
	next map[types.NamespacedName]types.NamespacedName   // of each object that leads there, the next one on its way
	from map[types.NamespacedName][]types.NamespacedName // all references of these objects that are on a way
}

// waysTo reads each object that leads to another one, directly or by further references, once for each of these references.
func (g Guard) waysTo(ctx context.Context, to types.NamespacedName) (ways, error) {
	w := ways{next: map[types.NamespacedName]types.NamespacedName{}, from: map[types.NamespacedName][]types.NamespacedName{}}
	for waiting := []types.NamespacedName{to}; len(waiting) > 0; waiting = waiting[1:] {
		found, err := g.Lister.List(ctx, client.MatchingFields{g.Declaration.IndexKey(): waiting[0].String()})
		if err != nil {
			return ways{}, err
		}
		for _, referrer := range found {
			name := client.ObjectKeyFromObject(referrer)
			w.from[name] = append(w.from[name], waiting[0])
			if _, known := w.next[name]; !known {
				w.next[name] = waiting[0]
				waiting = append(waiting, name)
			}
		}
	}
	return w, nil
}

// reached are the objects on the ways that one of them leads to.
func (w ways) reached(from types.NamespacedName) map[types.NamespacedName]bool {
	reached := map[types.NamespacedName]bool{}
	for waiting := []types.NamespacedName{from}; len(waiting) > 0; waiting = waiting[1:] {
		for _, name := range w.from[waiting[0]] {
			if !reached[name] {
				reached[name] = true
				waiting = append(waiting, name)
			}
		}
	}
	return reached
}

// circles finds those of one referrer. What leads to it is read once for all of its targets.
type circles struct {
	guards Guards
	from   types.NamespacedName
	ways   map[string]ways // by the name of the declaration
}

func (r Resolver) circles(referrer client.Object) circles {
	return circles{guards: r.Guards, from: client.ObjectKeyFromObject(referrer), ways: map[string]ways{}}
}

// by returns the names from the referrer by one of its targets back to itself; nil if that target doesn't lead back.
func (c circles) by(ctx context.Context, d Declaration, target types.NamespacedName) ([]string, error) {
	at := slices.IndexFunc(c.guards, func(guard Guard) bool { return guard.within() && guard.Declaration.Name == d.Name })
	if at < 0 {
		return nil, nil
	}
	w, known := c.ways[d.Name]
	if !known {
		var err error
		if w, err = c.guards[at].waysTo(ctx, c.from); err != nil {
			return nil, err
		}
		c.ways[d.Name] = w
	}
	if _, leadsBack := w.next[target]; !leadsBack {
		return nil, nil
	}
	chain := []string{c.from.String()}
	for name := target; name != c.from; name = w.next[name] {
		chain = append(chain, name.String())
	}
	return append(chain, c.from.String()), nil
}

// refuse completes the outcome of a target that leads back to its referrer, and reports whether it does.
func (c circles) refuse(ctx context.Context, d Declaration, o *Outcome) bool {
	chain, err := c.by(ctx, d, o.NamespacedName)
	switch {
	case err != nil:
		o.readFailed(err)
	case chain != nil:
		o.Err = fault.InvalidSpec(d.Field, "the references go in a circle: "+strings.Join(chain, " -> ")+". Remove one of them")
		o.conclude(Invalid, condition.ReasonInvalidSpec, o.Err.Error())
	}
	return o.State != ""
}

// released reports which referrers that are being deleted don't hold back the deletion of their target, because the target
// leads back to them: one of them has to go first.
func (g Guard) released(ctx context.Context, referrers []client.Object, target client.Object) (map[types.NamespacedName]bool, error) {
	deleted := func(referrer client.Object) bool { return !referrer.GetDeletionTimestamp().IsZero() }
	if !g.within() || !slices.ContainsFunc(referrers, deleted) {
		return nil, nil
	}
	name := client.ObjectKeyFromObject(target)
	w, err := g.waysTo(ctx, name)
	if err != nil {
		return nil, err
	}
	released := map[types.NamespacedName]bool{}
	inCircle := w.reached(name)
	for _, referrer := range referrers {
		at := client.ObjectKeyFromObject(referrer)
		released[at] = deleted(referrer) && inCircle[at]
	}
	return released, nil
}
