package grants

import (
	"slices"
	"strings"
)

// Statement is a GRANT or REVOKE. Its actions differ in their privileges, columns, roles and grantees only.
type Statement struct {
	Action  // the first
	actions []Action
	To      []Grantee
}

// Statements puts actions together that one statement can make, in their order.
func Statements(actions []Action) []Statement {
	var statements []Statement
	for _, action := range actions {
		at := slices.IndexFunc(statements, func(s Statement) bool { return s.Grantee == action.Grantee && s.alike(action) })
		if at < 0 {
			at = len(statements)
			statements = append(statements, Statement{Action: action, To: []Grantee{action.Grantee}})
		}
		statements[at].actions = append(statements[at].actions, action)
	}
	return merge(statements)
}

// alike reports whether a statement can make an action, too. Nothing that is granted again overtakes its REVOKE: a path has
// what is missing only.
func (s Statement) alike(a Action) bool {
	return s.Revoke == a.Revoke && s.Option == a.Option && s.Database == a.Database && s.Table == a.Table &&
		(s.Access == "") == (a.Access == "") && (s.Path == "") == (a.Path == "")
}

// merge makes one statement of those that do the same for several users and roles.
func merge(statements []Statement) []Statement {
	var merged []Statement
	for _, s := range statements {
		at := slices.IndexFunc(merged, func(m Statement) bool { return m.alike(s.Action) && m.what(plain) == s.what(plain) })
		if at < 0 {
			merged = append(merged, s)
			continue
		}
		merged[at].To = append(merged[at].To, s.To...)
	}
	return merged
}

func plain(name string) string { return name }

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
