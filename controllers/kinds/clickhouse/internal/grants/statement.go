package grants

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Statement is a GRANT or REVOKE. Its actions differ in their privileges, columns, roles and grantees only.
type Statement struct {
	Action  // the first
	actions []Action
	To      []Grantee
}

// Field is where in the spec a statement comes from. What is revoked is in no spec any longer.
func (s Statement) Field() string {
	if s.Access == "" {
		return cmp.Or(s.Path, "spec.roleGrants")
	}
	return cmp.Or(s.Path, "spec.privilegeGrants")
}

// likeness is what is the same in all actions of a statement.
type likeness struct {
	revoke, option, role, missing bool
	database, table               string
}

func (a Action) likeness() likeness {
	return likeness{a.Revoke, a.Option, a.Access == "", a.Path != "", a.Database, a.Table}
}

// Statements puts actions together that one statement can make, in their order. Nothing that is granted again overtakes its
// REVOKE: a path has what is missing only.
func Statements(actions []Action) []Statement {
	type key struct {
		Grantee
		likeness
	}
	of := func(a Action) key { return key{a.Grantee, a.likeness()} }
	return merged(grouped(actions, of, func(s *Statement, a Action) {
		if s.To == nil {
			s.Action, s.To = a, []Grantee{a.Grantee}
		}
		s.actions = append(s.actions, a)
	}))
}

// merged makes one statement of those that do the same for several users and roles.
func merged(statements []Statement) []Statement {
	type key struct {
		likeness
		what string
	}
	of := func(s Statement) key { return key{s.likeness(), s.what(strconv.Quote)} }
	return grouped(statements, of, func(m *Statement, s Statement) {
		if m.To == nil {
			m.Action, m.actions = s.Action, s.actions
		}
		m.To = append(m.To, s.To...)
	})
}

// grouped makes statements of what has the same key, in the order in which the keys come first.
func grouped[T any, K comparable](all []T, key func(T) K, add func(*Statement, T)) []Statement {
	var statements []Statement
	at := map[K]int{}
	for _, one := range all {
		k := key(one)
		if _, known := at[k]; !known {
			at[k] = len(statements)
			statements = append(statements, Statement{})
		}
		add(&statements[at[k]], one)
	}
	return statements
}

// Parts are statements that do the same for one user or role each, and with one granted role each. There are none of a
// statement that is one already.
func (s Statement) Parts() []Statement {
	var parts []Statement
	for _, to := range s.To {
		if s.Access != "" {
			parts = append(parts, s.part(to, s.actions))
			continue
		}
		for _, action := range s.actions {
			parts = append(parts, s.part(to, []Action{action}))
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

func (s Statement) part(to Grantee, actions []Action) Statement {
	part := Statement{Action: actions[0], actions: actions, To: []Grantee{to}}
	part.Grantee = to
	return part
}

func plain(name string) string { return name }

// AddRows adds what a GRANT of privileges leads to, to the rows of a user or role.
func (s Statement) AddRows(rows []Row) []Row {
	rows = slices.Clone(rows)
	for _, a := range s.actions {
		rows = append(rows, Row{Access: a.Access, Scope: a.Scope, Option: a.Option})
	}
	return rows
}

// AddRoles adds what a GRANT of roles leads to, to the roles of a user or role: each with the option to grant it on, or without.
func (s Statement) AddRoles(roles map[string]bool) map[string]bool {
	after := map[string]bool{}
	maps.Copy(after, roles)
	for _, a := range s.actions {
		after[a.Granted] = after[a.Granted] || a.Option
	}
	return after
}

// SQL is the statement. Names are quoted; the names of privileges are ClickHouse's own, or words that it knows.
func (s Statement) SQL(quote func(string) string) string {
	to := make([]string, 0, len(s.To))
	for _, grantee := range s.To {
		to = append(to, quote(grantee.Name))
	}
	object, option := "", "GRANT OPTION"
	if s.Access == "" {
		option = "ADMIN OPTION"
	} else {
		object = " ON " + s.Scope.object(quote)
	}
	what := s.what(quote) + object
	names := strings.Join(to, ", ")
	switch {
	case s.Revoke && s.Option:
		return "REVOKE " + option + " FOR " + what + " FROM " + names
	case s.Revoke:
		return "REVOKE " + what + " FROM " + names
	case s.Option:
		return "GRANT " + what + " TO " + names + " WITH " + option
	default:
		return "GRANT " + what + " TO " + names
	}
}

// String is the statement as messages have it.
func (s Statement) String() string { return s.SQL(plain) }

// what are the privileges with their columns, or the roles.
func (s Statement) what(quote func(string) string) string {
	var names []string
	columns := map[string][]string{}
	for _, a := range s.actions {
		name := a.Access
		if name == "" {
			name = quote(a.Granted)
		}
		if a.Column != "" {
			name += "\x00" // with columns and without them are two
			columns[name] = append(columns[name], quote(a.Column))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if of := columns[name]; len(of) > 0 {
			names[i] = strings.TrimSuffix(name, "\x00") + "(" + strings.Join(of, ", ") + ")"
		}
	}
	return strings.Join(names, ", ")
}

func (s Scope) object(quote func(string) string) string {
	part := func(name string) string {
		if name == "" {
			return "*"
		}
		return quote(name)
	}
	return part(s.Database) + "." + part(s.Table)
}
