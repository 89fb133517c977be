package grants

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Found is what users and roles have, as far as an object is about them.
type Found struct {
	Tree  *Tree
	Rows  map[Grantee][]Row           // of system.grants
	Roles map[Grantee]map[string]bool // of system.role_grants: whether with the option to grant the role on
}

// Cut reports whether a partial revoke cuts a hole into what a user or role has.
func (f Found) Cut(who Grantee) bool {
	return slices.ContainsFunc(f.Rows[who], func(row Row) bool { return row.Partial })
}

// Wishes are what decides about a change.
type Wishes struct {
	Wanted  Set // by the object
	Granted Set // by the operator for the object: nothing else is revoked
	Others  Set // wanted by other objects, and granted by the operator for them
}

// Action is one change of one user or role.
type Action struct {
	Grantee
	Revoke bool
	Option bool   // a GRANT with the option to grant on, or a REVOKE of nothing else
	Access string // empty for a role
	Scope
	Granted string // role
	Path    string // in the spec, of what is missing
}

// planner makes a plan on what there will be after each action.
type planner struct {
	Found
	Wishes
	after   map[Grantee]*held
	kept    map[Grantee]*held // what an object wants
	actions []Action
}

// Plan lists the actions that make what is found what is wanted; none if it is. They are in an order in which no client loses
// what it is to keep, as far as ClickHouse has one.
func Plan(f Found, w Wishes) []Action {
	p := &planner{Found: f, Wishes: w, after: map[Grantee]*held{}, kept: f.Tree.all(w.Wanted, w.Others)}
	p.grantMissing()
	p.revokeSurplus()
	p.memberships()
	return p.actions
}

// all is what sets add up to, by users and roles.
func (t *Tree) all(sets ...Set) map[Grantee]*held {
	sum := map[Grantee]*held{}
	for _, set := range sets {
		for p := range set.Privileges {
			for _, leaf := range t.leaves(p.Access, p.Scope) {
				heldOf(sum, p.Grantee, newHeld).grant(leaf, p.Scope, p.Option)
			}
		}
	}
	return sum
}

func heldOf(all map[Grantee]*held, who Grantee, first func() *held) *held {
	if all[who] == nil {
		all[who] = first()
	}
	return all[who]
}

func (p *planner) of(who Grantee) *held {
	return heldOf(p.after, who, func() *held { return p.Tree.heldBy(p.Rows[who]) })
}

func (p *planner) keptOf(who Grantee) *held { return heldOf(p.kept, who, newHeld) }

// grantMissing grants what isn't covered. What can't be granted on its scope is tried, too: ClickHouse says so.
func (p *planner) grantMissing() {
	for _, wanted := range sorted(p.Wanted.Privileges) {
		h, leaves := p.of(wanted.Grantee), p.Tree.leaves(wanted.Access, wanted.Scope)
		missing := func(leaf *node) bool { return !h.covers(leaf, wanted.Scope, wanted.Option) }
		if len(leaves) > 0 && !slices.ContainsFunc(leaves, missing) {
			continue
		}
		for _, leaf := range leaves {
			h.grant(leaf, wanted.Scope, wanted.Option)
		}
		p.actions = append(p.actions, Action{
			Grantee: wanted.Grantee, Option: wanted.Option, Access: wanted.Access, Scope: wanted.Scope,
			Path: p.Wanted.Privileges[wanted],
		})
	}
}

// target is where leaves are revoked, or granted again.
type target struct {
	Grantee
	Scope
	option bool
}

func (t target) String() string { return t.Grantee.String() + " " + t.Scope.key() }

// revokeSurplus revokes what was granted for the object and no object wants. Where a wider grant covers it, there is nothing to
// revoke: a REVOKE would cut a hole into the wider one.
func (p *planner) revokeSurplus() {
	surplus := map[target]map[*node]bool{}
	for _, granted := range sorted(p.Granted.Privileges) {
		h, kept := p.of(granted.Grantee), p.keptOf(granted.Grantee)
		for _, leaf := range p.Tree.leaves(granted.Access, granted.Scope) {
			at := place{leaf, granted.Scope}
			switch {
			case h.have.at[at] && !kept.have.has(leaf, granted.Scope):
				mark(surplus, target{granted.Grantee, granted.Scope, false}, leaf)
			case h.option.at[at] && granted.Option && !kept.option.has(leaf, granted.Scope):
				mark(surplus, target{granted.Grantee, granted.Scope, true}, leaf)
			}
		}
	}
	again := map[target]map[*node]bool{}
	for _, t := range slices.SortedFunc(maps.Keys(surplus), compareTargets) {
		h := p.of(t.Grantee)
		for leaf := range surplus[t] {
			p.cut(again, surplus, h, t, leaf)
			h.revoke(leaf, t.Scope, t.option)
		}
		p.act(Action{Grantee: t.Grantee, Revoke: true, Option: t.option, Scope: t.Scope}, surplus[t])
	}
	for _, t := range slices.SortedFunc(maps.Keys(again), compareTargets) {
		p.act(Action{Grantee: t.Grantee, Option: t.option, Scope: t.Scope}, again[t])
	}
}

func mark(all map[target]map[*node]bool, t target, leaf *node) {
	if all[t] == nil {
		all[t] = map[*node]bool{}
	}
	all[t][leaf] = true
}

// cut notes what a REVOKE takes away inside its scope and has to be granted again: what an object wants, and what was
// granted at the console.
func (p *planner) cut(again, surplus map[target]map[*node]bool, before *held, t target, leaf *node) {
	kept := p.keptOf(t.Grantee)
	var scopes []Scope
	for _, l := range []layer{kept.have, kept.option, before.have, before.option} {
		scopes = append(scopes, l.inside(leaf, t.Scope, true)...)
	}
	for _, at := range scopes {
		wanted, wantedOption := kept.have.has(leaf, at), kept.option.has(leaf, at)
		foreign := !surplus[target{t.Grantee, at, false}][leaf]
		foreignOption := before.option.at[place{leaf, at}] && foreign && !surplus[target{t.Grantee, at, true}][leaf]
		option := before.option.covers(leaf, at) && (wantedOption || foreignOption)
		have := before.have.covers(leaf, at) && (wanted || foreign && before.have.at[place{leaf, at}])
		if option || have && !t.option {
			mark(again, target{t.Grantee, at, option}, leaf)
		}
	}
}

// act makes an action of each privilege that some leaves add up to.
func (p *planner) act(a Action, leaves map[*node]bool) {
	for _, a.Access = range p.Tree.compact(a.Scope, leaves) {
		p.actions = append(p.actions, a)
	}
}

func (p *planner) memberships() {
	for _, wanted := range sortedMemberships(p.Wanted.Memberships) {
		option, there := p.Roles[wanted.Grantee][wanted.Granted]
		if !there || wanted.Option && !option {
			p.actions = append(p.actions, Action{
				Grantee: wanted.Grantee, Option: wanted.Option, Granted: wanted.Granted, Path: p.Wanted.Memberships[wanted],
			})
		}
	}
	for _, granted := range sortedMemberships(p.Granted.Memberships) {
		option, there := p.Roles[granted.Grantee][granted.Granted]
		plain, withOption := granted, granted
		plain.Option, withOption.Option = false, true
		keepsOption := p.wants(withOption)
		switch keeps := keepsOption || p.wants(plain); {
		case there && !keeps:
			p.actions = append(p.actions, Action{Grantee: granted.Grantee, Revoke: true, Granted: granted.Granted})
		case there && option && granted.Option && !keepsOption:
			p.actions = append(p.actions, Action{Grantee: granted.Grantee, Revoke: true, Option: true, Granted: granted.Granted})
		}
	}
}

func (p *planner) wants(m Membership) bool {
	_, wanted := p.Wanted.Memberships[m]
	_, other := p.Others.Memberships[m]
	return wanted || other
}

// Present reports whether anything of a set is there, be it granted by whomever.
func (f Found) Present(s Set) bool {
	all := map[Grantee]*held{}
	for wanted := range s.Privileges {
		h := heldOf(all, wanted.Grantee, func() *held { return f.Tree.heldBy(f.Rows[wanted.Grantee]) })
		for _, leaf := range f.Tree.leaves(wanted.Access, wanted.Scope) {
			if h.have.touches(leaf, wanted.Scope) {
				return true
			}
		}
	}
	for wanted := range s.Memberships {
		if _, there := f.Roles[wanted.Grantee][wanted.Granted]; there {
			return true
		}
	}
	return false
}

func (s Scope) key() string { return s.Database + "\x00" + s.Table + "\x00" + s.Column }

func compareTargets(a, b target) int {
	if c := strings.Compare(a.String(), b.String()); c != 0 || a.option == b.option {
		return c
	}
	if a.option {
		return 1
	}
	return -1
}

// sorted is the order of statements, which is always the same.
func sorted(privileges map[Privilege]string) []Privilege {
	return slices.SortedFunc(maps.Keys(privileges), func(a, b Privilege) int {
		return cmp.Or(strings.Compare(a.Grantee.String(), b.Grantee.String()), strings.Compare(a.key(), b.key()),
			strings.Compare(a.Access, b.Access), compareOptions(a.Option, b.Option))
	})
}

func sortedMemberships(memberships map[Membership]string) []Membership {
	return slices.SortedFunc(maps.Keys(memberships), func(a, b Membership) int {
		return cmp.Or(strings.Compare(a.Grantee.String(), b.Grantee.String()), strings.Compare(a.Granted, b.Granted),
			compareOptions(a.Option, b.Option))
	})
}

// compareOptions has a grant with the option first: the same one without it is covered then.
func compareOptions(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}
