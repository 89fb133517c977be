package grants

import "iter"

// Scope is what a privilege is granted on. Empty parts are all: the zero value is *.*.
type Scope struct{ Database, Table, Column string }

func (s Scope) level() level {
	switch {
	case s.Column != "":
		return onColumn
	case s.Table != "":
		return onTable
	case s.Database != "":
		return onDatabase
	default:
		return onAll
	}
}

// above is the next wider scope.
func (s Scope) above() Scope {
	switch s.level() {
	case onColumn:
		return Scope{Database: s.Database, Table: s.Table}
	case onTable:
		return Scope{Database: s.Database}
	default:
		return Scope{}
	}
}

// around are the wider scopes, the next one first.
func (s Scope) around() iter.Seq[Scope] {
	return func(yield func(Scope) bool) {
		for s != (Scope{}) {
			if s = s.above(); !yield(s) {
				return
			}
		}
	}
}

type place struct {
	leaf *node
	Scope
}

// layer has the places where privileges begin (true), and where a partial revoke cuts them (false).
type layer struct {
	at map[place]bool
	// below has what is strictly inside a place: a user with a privilege on a thousand tables may lose it on each.
	below map[place]map[Scope]bool
}

func newLayer() layer { return layer{map[place]bool{}, map[place]map[Scope]bool{}} }

// has is what holds at a place, whatever is cut inside.
func (l layer) has(leaf *node, at Scope) bool {
	for {
		if begins, ok := l.at[place{leaf, at}]; ok {
			return begins
		}
		if at == (Scope{}) {
			return false
		}
		at = at.above()
	}
}

// inside are the scopes strictly inside one where something begins or is cut.
func (l layer) inside(leaf *node, at Scope, begins bool) []Scope {
	var scopes []Scope
	for scope, set := range l.below[place{leaf, at}] {
		if set == begins {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// covers reports whether all of a scope has it.
func (l layer) covers(leaf *node, at Scope) bool {
	return l.has(leaf, at) && len(l.inside(leaf, at, false)) == 0
}

// touches reports whether some of a scope has it.
func (l layer) touches(leaf *node, at Scope) bool {
	return l.has(leaf, at) || len(l.inside(leaf, at, true)) > 0
}

// set is what GRANT and REVOKE do: they replace what was said about the parts of the scope.
func (l layer) set(leaf *node, at Scope, begins bool) {
	for scope := range l.below[place{leaf, at}] {
		l.drop(leaf, scope)
	}
	l.drop(leaf, at)
	if l.has(leaf, at) == begins {
		return
	}
	l.at[place{leaf, at}] = begins
	for above := range at.around() {
		p := place{leaf, above}
		if l.below[p] == nil {
			l.below[p] = map[Scope]bool{}
		}
		l.below[p][at] = begins
	}
}

func (l layer) drop(leaf *node, at Scope) {
	delete(l.at, place{leaf, at})
	for above := range at.around() {
		delete(l.below[place{leaf, above}], at)
	}
}

// held is what one user or role has been granted itself: privileges, and the option to grant them on.
type held struct{ have, option layer }

func newHeld() *held { return &held{newLayer(), newLayer()} }

func (h *held) grant(leaf *node, at Scope, option bool) {
	h.have.set(leaf, at, true)
	if option {
		h.option.set(leaf, at, true)
	}
}

func (h *held) revoke(leaf *node, at Scope, optionOnly bool) {
	h.option.set(leaf, at, false)
	if !optionOnly {
		h.have.set(leaf, at, false)
	}
}

func (h *held) covers(leaf *node, at Scope, option bool) bool {
	return h.have.covers(leaf, at) && (!option || h.option.covers(leaf, at))
}

// Row is a row of system.grants about one user or role.
type Row struct {
	Access string
	Scope
	Partial, Option bool
}

// heldBy reads the rows of one user or role, which are in the order of their scopes: wide before narrow.
func (t *Tree) heldBy(rows []Row) *held {
	h := newHeld()
	for at := onAll; at <= onColumn; at++ {
		for _, row := range rows {
			if row.level() != at {
				continue
			}
			for _, leaf := range t.leaves(row.Access, row.Scope) {
				switch {
				case row.Partial:
					h.revoke(leaf, row.Scope, row.Option)
				default:
					h.grant(leaf, row.Scope, row.Option)
				}
			}
		}
	}
	return h
}
