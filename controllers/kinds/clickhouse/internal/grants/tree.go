package grants

import (
	"regexp"
	"slices"
	"strings"
)

// PrivilegeRow is a row of system.privileges.
type PrivilegeRow struct {
	Privilege string   `json:"privilege"`
	Aliases   []string `json:"aliases"`
	Level     *string  `json:"level"`
	Group     *string  `json:"parent_group"`
}

// Tree has the privileges that a service knows.
type Tree struct {
	nodes map[string]*node // by name and alias, in upper case
	roots []*node
}

// node is a privilege. A group has no level, and its leaves are those of the privileges below it.
type node struct {
	name   string
	level  level
	below  []*node
	leaves []*node
}

// level is the smallest thing that a privilege can be granted on.
type level int

const (
	onAll level = iota
	onDatabase
	onTable
	onColumn
)

// levels are ClickHouse's, as far as they are about databases. Others, such as USER_NAME, can't be narrowed by those.
func levels(name string) level {
	switch name {
	case "DATABASE":
		return onDatabase
	case "TABLE", "VIEW", "DICTIONARY":
		return onTable
	case "COLUMN":
		return onColumn
	default:
		return onAll
	}
}

// word is what the name of a privilege may be. Names are parts of statements.
var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_ ]*$`)

// NewTree makes a tree of all rows of system.privileges.
func NewTree(rows []PrivilegeRow) *Tree {
	t := &Tree{nodes: map[string]*node{}}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r PrivilegeRow) bool { return !word.MatchString(r.Privilege) })
	for _, row := range rows {
		n := &node{name: row.Privilege}
		if row.Level != nil {
			n.level, n.leaves = levels(*row.Level), []*node{n}
		}
		for _, name := range append(slices.Clone(row.Aliases), row.Privilege) {
			t.nodes[strings.ToUpper(name)] = n
		}
	}
	for _, row := range rows {
		n := t.nodes[strings.ToUpper(row.Privilege)]
		var group *node
		if row.Group != nil {
			group = t.nodes[strings.ToUpper(*row.Group)]
		}
		if group == nil || group == n {
			t.roots = append(t.roots, n)
			continue
		}
		group.below = append(group.below, n)
	}
	for _, root := range t.roots {
		root.collect()
	}
	return t
}

// collect fills in the leaves of a group. It starts at a root, so a circle of groups is never entered.
func (n *node) collect() []*node {
	for _, below := range n.below {
		n.leaves = append(n.leaves, below.collect()...)
	}
	return n.leaves
}

// Knows reports whether there is a privilege of this name.
func (t *Tree) Knows(name string) bool { return t.nodes[strings.ToUpper(name)] != nil }

// leaves are those of a privilege that can be granted on a scope.
func (t *Tree) leaves(name string, at Scope) []*node {
	n := t.nodes[strings.ToUpper(name)]
	if n == nil {
		return nil
	}
	return n.on(at)
}

func (n *node) on(at Scope) []*node {
	return slices.DeleteFunc(slices.Clone(n.leaves), func(leaf *node) bool { return leaf.level < at.level() })
}

// compact names the fewest privileges that have some leaves on a scope, and no others.
func (t *Tree) compact(at Scope, leaves map[*node]bool) []string {
	var names []string
	var visit func(*node)
	visit = func(n *node) {
		on := n.on(at)
		switch {
		case !slices.ContainsFunc(on, func(leaf *node) bool { return leaves[leaf] }):
		case !slices.ContainsFunc(on, func(leaf *node) bool { return !leaves[leaf] }):
			names = append(names, n.name)
		default:
			for _, below := range n.below {
				visit(below)
			}
		}
	}
	for _, root := range t.roots {
		visit(root)
	}
	return names
}
