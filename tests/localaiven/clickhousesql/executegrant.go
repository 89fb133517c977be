package clickhousesql

import (
	"slices"
	"strings"
)

func (g grant) run(r *run) (Result, *Error) {
	var to []*account
	for _, one := range g.to {
		if one.current {
			to = append(to, r.who)
			continue
		}
		a, err := r.account(one.name)
		if err != nil {
			return Result{}, err
		}
		to = append(to, a)
	}
	if g.roles != nil {
		return Result{}, g.changeRoles(r, to)
	}
	return Result{}, g.changePrivileges(r, to)
}

func (g grant) changeRoles(r *run, to []*account) *Error {
	roles, err := resolve(g.roles, r.role)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if !r.may("ROLE ADMIN", scope{}) && !slices.ContainsFunc(r.who.enabled(), func(a *account) bool { return a.roles[role] }) {
			return r.denied(quote(role.name) + " WITH ADMIN OPTION")
		}
	}
	for _, a := range to {
		for _, role := range roles {
			_, has := a.roles[role]
			switch {
			case g.revoke && !g.option:
				delete(a.roles, role)
			case g.revoke && has:
				a.roles[role] = false
			case !g.revoke:
				a.roles[role] = a.roles[role] || g.option
			}
		}
	}
	return nil
}

func (g grant) changePrivileges(r *run, to []*account) *Error {
	elements := slices.Clone(g.elements)
	for i, e := range elements {
		if e.current {
			elements[i].on.database = r.session.Database
		}
		if err := elements[i].grantable(); err != nil && !g.revoke {
			return err
		}
	}
	if err := r.mayGrant(elements); err != nil {
		return err
	}
	for _, a := range to {
		if g.revoke {
			a.revoke(elements, g.option)
		} else {
			a.grant(elements, g.option)
		}
	}
	return nil
}

var levelNames = map[level]string{levelDatabase: "database", levelTable: "table", levelColumn: "column"}

// grantable refuses privileges on something smaller than they are about.
func (e element) grantable() *Error {
	for i, p := range e.privileges {
		for _, at := range e.scopes(i) {
			if p != none && len(p.on(at.level())) == 0 {
				return Errorf(CodeInvalidGrant, "%s cannot be granted on the %s level", p.name, levelNames[at.level()])
			}
		}
	}
	return nil
}

// mayGrant refuses who can't hand on all of this.
func (r *run) mayGrant(elements []element) *Error {
	var missing []string
	accounts := r.who.enabled()
	each(elements, func(leaf *privilege, at scope) {
		if !slices.ContainsFunc(accounts, func(a *account) bool { return a.option.covers(leaf, at) }) {
			missing = append(missing, Privilege{AccessType: leaf.name, Column: at.column}.what()+" ON "+at.object())
		}
	})
	if missing != nil {
		return r.denied(strings.Join(missing, ", ") + " WITH GRANT OPTION")
	}
	return nil
}

// what is the privilege with its column.
func (p Privilege) what() string {
	if p.Column == "" {
		return p.AccessType
	}
	return p.AccessType + "(" + quote(p.Column) + ")"
}

// object is what follows ON.
func (s scope) object() string {
	part := func(name string) string {
		if name == "" {
			return "*"
		}
		return quote(name)
	}
	return part(s.database) + "." + part(s.table)
}

func quoted(names []string) string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		out = append(out, quote(name))
	}
	return strings.Join(out, ", ")
}

func (s showGrants) run(r *run) (Result, *Error) {
	if s.names == nil {
		return Result{[]Column{{"GRANTS", typeString}}, r.who.statements()}, nil
	}
	accounts, err := resolve(s.names, r.account)
	if err != nil {
		return Result{}, err
	}
	out := Result{Columns: []Column{{"GRANTS FOR " + quoted(s.names), typeString}}}
	for _, a := range accounts {
		if !slices.Contains(r.who.enabled(), a) {
			if err := r.need("SHOW USERS", "SHOW ROLES"); err != nil {
				return Result{}, err
			}
		}
		out.Rows = append(out.Rows, a.statements()...)
	}
	return out, nil
}

// statements are what would grant an account what it has.
func (a *account) statements() [][]any {
	var out [][]any
	var last string
	var what []string
	var frame func(string) string
	flush := func() {
		if what != nil {
			out = append(out, []any{frame(strings.Join(what, ", "))})
		}
	}
	for _, p := range a.list() {
		framed := func(what string) string { return p.statement(what, a.name) }
		if key := framed(""); key != last {
			flush()
			last, what, frame = key, nil, framed
		}
		what = append(what, p.what())
	}
	flush()
	for _, option := range []bool{false, true} {
		var names []string
		for _, role := range a.granted() {
			if a.roles[role] == option {
				names = append(names, role.name)
			}
		}
		if names != nil {
			out = append(out, []any{"GRANT " + quoted(names) + " TO " + quote(a.name) + map[bool]string{true: " WITH ADMIN OPTION"}[option]})
		}
	}
	return out
}

// statement is a GRANT, or a REVOKE of a part, for what is granted on the privilege's scope.
func (p Privilege) statement(what, name string) string {
	on := " ON " + scope{p.Database, p.Table, ""}.object()
	switch {
	case p.PartialRevoke && p.GrantOption:
		return "REVOKE GRANT OPTION FOR " + what + on + " FROM " + quote(name)
	case p.PartialRevoke:
		return "REVOKE " + what + on + " FROM " + quote(name)
	case p.GrantOption:
		return "GRANT " + what + on + " TO " + quote(name) + " WITH GRANT OPTION"
	}
	return "GRANT " + what + on + " TO " + quote(name)
}
