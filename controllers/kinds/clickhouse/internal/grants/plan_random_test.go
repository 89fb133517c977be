package grants

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// carriedOut is what a user has after some actions.
func (t *Tree) carriedOut(h *held, actions []Action) *held {
	after := t.heldBy(h.rows())
	for _, a := range actions {
		for _, leaf := range t.leaves(a.Access, a.Scope) {
			if a.Revoke {
				after.revoke(leaf, a.Scope, a.Option)
			} else {
				after.grant(leaf, a.Scope, a.Option)
			}
		}
	}
	return after
}

// rows are those of what a user has: the reverse of heldBy.
func (h *held) rows() []Row {
	var rows []Row
	for p, begins := range h.have.at {
		rows = append(rows, Row{p.leaf.name, p.Scope, !begins, begins && h.option.at[p]})
	}
	for p, begins := range h.option.at {
		if _, shown := h.have.at[p]; !shown {
			rows = append(rows, Row{p.leaf.name, p.Scope, !begins, true})
		}
	}
	return rows
}

// shown are the privileges of a set as set reads them.
func shown(s Set) (texts []string) {
	for p := range s.Privileges {
		texts = append(texts, p.Access+" ON "+p.object(plain)+"("+p.Column+")"+map[bool]string{true: "+"}[p.Option])
	}
	return texts
}

func pick(random *rand.Rand, texts []string, upTo int) []string {
	var picked []string
	for range random.IntN(upTo + 1) {
		picked = append(picked, texts[random.IntN(len(texts))])
	}
	return picked
}

// Whatever was granted, by the operator and by others: one pass leads to what is wanted, cuts no hole, leaves what others
// have granted, and there is nothing to do after it.
func TestOnePassLeadsToWhatIsWanted(t *testing.T) {
	var texts []string
	for _, access := range []string{"SELECT", "ALTER", "ALTER DELETE", "ALL"} {
		for _, on := range []string{"*.*", "db.*", "db.t", "db.t(a)", "db.u"} {
			texts = append(texts, access+" ON "+on, access+" ON "+on+"+")
		}
	}
	tree := someTree()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1)) // the same cases every time
		ours, foreign := set(pick(random, texts, 3)...), set(pick(random, texts, 2)...)
		w := Wishes{Wanted: set(pick(random, texts, 3)...), Granted: ours, Others: set(pick(random, texts, 2)...)}
		before := tree.all(ours, foreign, w.Others)[app]
		if before == nil {
			before = newHeld()
		}
		f := Found{Tree: tree, Rows: map[Grantee][]Row{app: before.rows()}}
		actions := Plan(f, w)
		after := tree.carriedOut(before, actions)
		says := fmt.Sprintf("seed %d: ours %v, foreign %v, wanted %v, others %v: %v", seed, shown(ours), shown(foreign), shown(w.Wanted),
			shown(w.Others), planned(f, w))
		for _, s := range []Set{w.Wanted, w.Others} {
			for p := range s.Privileges {
				for _, leaf := range tree.leaves(p.Access, p.Scope) {
					require.True(t, after.covers(leaf, p.Scope, p.Option), "%v of %s is there. %s", p, leaf.name, says)
				}
			}
		}
		for p, begins := range after.have.at {
			require.True(t, begins, "no hole is left in %v. %s", p, says)
		}
		leftovers(t, tree, w, foreign, after, says)
		requireSameRows(t, f, w, actions, says)
		w.Granted = w.Wanted // as it is recorded then
		require.Empty(t, planned(Found{Tree: tree, Rows: map[Grantee][]Row{app: after.rows()}}, w), "after %s", says)
	}
}

// leftovers are what was granted for the object, and no object wants: they are gone unless something wider, that isn't the
// object's, has them.
func leftovers(t *testing.T, tree *Tree, w Wishes, foreign Set, after *held, says string) {
	t.Helper()
	allowed := tree.all(w.Wanted, w.Others, foreign)[app]
	if allowed == nil {
		allowed = newHeld()
	}
	for p, begins := range after.have.at {
		if begins {
			require.True(t, allowed.have.touches(p.leaf, p.Scope), "%v of %s is left. %s", p.Scope, p.leaf.name, says)
		}
	}
}

// requireSameRows: where grants are added to the rows that were read, nothing is left to do.
func requireSameRows(t *testing.T, f Found, w Wishes, actions []Action, says string) {
	t.Helper()
	revokes := slices.ContainsFunc(actions, func(a Action) bool { return a.Revoke })
	if revokes || f.Cut(app) {
		return // they are read again
	}
	rows := f.Rows[app]
	for _, statement := range Statements(actions) {
		rows = statement.AddRows(rows)
	}
	require.Empty(t, planned(Found{Tree: f.Tree, Rows: map[Grantee][]Row{app: rows}}, w), "after rows were added. %s", says)
}
