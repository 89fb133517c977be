package clickhousesql

import (
	"cmp"
	"maps"
	"slices"
)

// scope is what a privilege is granted on. Empty parts are wildcards: the zero scope is *.*.
type scope struct{ database, table, column string }

func (s scope) level() level {
	switch {
	case s.column != "":
		return levelColumn
	case s.table != "":
		return levelTable
	case s.database != "":
		return levelDatabase
	}
	return levelGlobal
}

// above is the next wider scope.
func (s scope) above() scope {
	switch s.level() {
	case levelColumn:
		return scope{database: s.database, table: s.table}
	case levelTable:
		return scope{database: s.database}
	}
	return scope{}
}

// within reports whether s is other, or a part of it.
func (s scope) within(other scope) bool {
	for s != other {
		if s == (scope{}) {
			return false
		}
		s = s.above()
	}
	return true
}

type entry struct {
	leaf *privilege
	scope
}

// layer holds where a set of privileges begins (true) and where it is interrupted by a partial revoke (false).
type layer map[entry]bool

// has says what holds at a scope, whatever is interrupted inside.
func (l layer) has(leaf *privilege, at scope) bool {
	for {
		if set, ok := l[entry{leaf, at}]; ok {
			return set
		}
		if at == (scope{}) {
			return false
		}
		at = at.above()
	}
}

// covers reports whether all of a scope has it.
func (l layer) covers(leaf *privilege, at scope) bool {
	for e, set := range l {
		if !set && e.leaf == leaf && e.within(at) {
			return false
		}
	}
	return l.has(leaf, at)
}

// touches reports whether some of a scope has it.
func (l layer) touches(leaf *privilege, at scope) bool {
	for e, set := range l {
		if set && e.leaf == leaf && e.within(at) {
			return true
		}
	}
	return l.has(leaf, at)
}

func (l layer) set(leaf *privilege, at scope, want bool) {
	maps.DeleteFunc(l, func(e entry, _ bool) bool { return e.leaf == leaf && e.within(at) })
	if l.has(leaf, at) != want {
		l[entry{leaf, at}] = want
	}
}

// privilegeSet is what one user or role has been granted itself: privileges, and the option to hand them on.
type privilegeSet struct{ have, option layer }

func newPrivilegeSet() privilegeSet { return privilegeSet{layer{}, layer{}} }

// element is a part of a GRANT or REVOKE: privileges on one scope, or on several columns.
type element struct {
	privileges []*privilege
	on         scope
	columns    [][]string // by privilege; none is all
	current    bool       // on is in the current database of who asks
}

// each calls f for every leaf on every scope of the elements.
func each(elements []element, f func(*privilege, scope)) {
	for _, e := range elements {
		for i, p := range e.privileges {
			for _, at := range e.scopes(i) {
				for _, leaf := range p.on(at.level()) {
					f(leaf, at)
				}
			}
		}
	}
}

func (e element) scopes(i int) []scope {
	if len(e.columns[i]) == 0 {
		return []scope{e.on}
	}
	var out []scope
	for _, column := range e.columns[i] {
		out = append(out, scope{e.on.database, e.on.table, column})
	}
	return out
}

func (r privilegeSet) grant(elements []element, withOption bool) {
	each(elements, func(leaf *privilege, at scope) {
		r.have.set(leaf, at, true)
		if withOption {
			r.option.set(leaf, at, true)
		}
	})
}

func (r privilegeSet) revoke(elements []element, optionOnly bool) {
	each(elements, func(leaf *privilege, at scope) {
		r.option.set(leaf, at, false)
		if !optionOnly {
			r.have.set(leaf, at, false)
		}
	})
}

// Privilege is one line of what a user or role has been granted. Empty parts of its scope are wildcards.
type Privilege struct {
	AccessType              string
	Database, Table, Column string
	PartialRevoke           bool
	GrantOption             bool
}

// kept says how a leaf stands at a scope; those of one kind are shown together.
type kept struct {
	scope
	partial, option bool
}

// list returns the privileges in ClickHouse's order: wide scopes first, grants before what is revoked in part.
func (r privilegeSet) list() []Privilege {
	groups := map[kept]map[*privilege]bool{}
	note := func(leaf *privilege, k kept) {
		if groups[k] == nil {
			groups[k] = map[*privilege]bool{}
		}
		groups[k][leaf] = true
	}
	for e, granted := range r.have {
		note(e.leaf, kept{e.scope, !granted, granted && r.option[e]})
	}
	for e, granted := range r.option {
		if _, shown := r.have[e]; !shown {
			note(e.leaf, kept{e.scope, !granted, true})
		}
	}
	var out []Privilege
	for _, k := range slices.SortedFunc(maps.Keys(groups), compareKept) {
		for _, p := range compact(groups[k]) {
			out = append(out, Privilege{p.name, k.database, k.table, k.column, k.partial, k.option})
		}
	}
	return out
}

func compareKept(a, b kept) int {
	return cmp.Or(
		cmp.Compare(a.database, b.database), cmp.Compare(a.table, b.table), cmp.Compare(a.column, b.column),
		compareBool(a.partial, b.partial), compareBool(a.option, b.option),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
