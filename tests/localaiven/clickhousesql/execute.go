package clickhousesql

import (
	"cmp"
	"slices"
)

// run is one execution of a statement. It holds the catalog's lock.
type run struct {
	*Catalog
	session Session
	who     *account
}

// Execute runs a query.
func (c *Catalog) Execute(session Session, query string) (Result, *Error) {
	session.Database = cmp.Or(session.Database, DefaultDatabase)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &run{c, session, find(c.users, session.User)}
	switch {
	case r.who == nil:
		return Result{}, Errorf(CodeUnknownUser, "There is no user %s in user directories", quoteAlways(session.User))
	case !c.has(session.Database):
		return Result{}, unknownDatabase(session.Database)
	}
	statement, err := Parse(query)
	if err != nil {
		return Result{}, err
	}
	if !reads(statement) {
		defer c.remember()
	}
	return statement.run(r)
}

func unknownDatabase(name string) *Error {
	return Errorf(CodeUnknownDatabase, "Database %s does not exist", quote(name))
}

func byName(a, b *account) int { return cmp.Compare(a.name, b.name) }

// enabled are an account and its roles, and theirs.
func (a *account) enabled() []*account {
	out := []*account{a}
	for i := 0; i < len(out); i++ {
		for role := range out[i].roles {
			if !slices.Contains(out, role) {
				out = append(out, role)
			}
		}
	}
	return out
}

// may reports whether the caller has all of a privilege on a scope, itself or by a role.
func (r *run) may(name string, at scope) bool {
	accounts := r.who.enabled()
	return !slices.ContainsFunc(named(name).leaves, func(leaf *privilege) bool {
		return !slices.ContainsFunc(accounts, func(a *account) bool { return a.have.covers(leaf, at) })
	})
}

// need refuses who hasn't a privilege on everything.
func (r *run) need(privileges ...string) *Error {
	for _, p := range privileges {
		if !r.may(p, scope{}) {
			return r.denied(p + " ON *.*")
		}
	}
	return nil
}

func (r *run) denied(grant string) *Error {
	return Errorf(CodeAccessDenied, "%s: Not enough privileges. To execute this query, it's necessary to have the grant %s",
		r.session.User, grant)
}

// role finds a role.
func (r *run) role(name string) (*account, *Error) {
	if role := find(r.roles, name); role != nil {
		return role, nil
	}
	return nil, unknownRole(name)
}

// account finds a user or else a role, as ClickHouse does, which says of an unknown one that there is no such role.
func (r *run) account(name string) (*account, *Error) {
	if user := find(r.users, name); user != nil {
		return user, nil
	}
	return r.role(name)
}

// resolve finds something for each name.
func resolve(names []string, one func(string) (*account, *Error)) ([]*account, *Error) {
	var out []*account
	for _, name := range names {
		a, err := one(name)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func (s createRole) run(r *run) (Result, *Error) {
	if err := r.need("CREATE ROLE"); err != nil {
		return Result{}, err
	}
	if s.orReplace {
		if err := r.need("DROP ROLE"); err != nil {
			return Result{}, err
		}
	}
	for i, name := range s.names {
		if !s.ifNotExists && (find(r.roles, name) != nil && !s.orReplace || slices.Contains(s.names[:i], name)) {
			return Result{}, Errorf(CodeAccessExists, "role %s: cannot insert because role %[1]s already exists in replicated", quoteAlways(name))
		}
	}
	for _, name := range s.names {
		role := find(r.roles, name)
		switch {
		case role == nil:
			r.roles = append(r.roles, newAccount(name))
		case s.orReplace:
			role.privilegeSet, role.roles = newPrivilegeSet(), map[*account]bool{}
		}
	}
	return Result{}, nil
}

func (s dropRole) run(r *run) (Result, *Error) {
	if err := r.need("DROP ROLE"); err != nil {
		return Result{}, err
	}
	for _, name := range s.names {
		if _, err := r.role(name); err != nil && !s.ifExists {
			return Result{}, err
		}
	}
	for _, name := range s.names {
		role := find(r.roles, name)
		r.roles = slices.DeleteFunc(r.roles, func(other *account) bool { return other == role })
		for _, a := range slices.Concat(r.users, r.roles) {
			delete(a.roles, role)
		}
	}
	return Result{}, nil
}

func (s showCreateRole) run(r *run) (Result, *Error) {
	if err := r.need("SHOW ROLES"); err != nil {
		return Result{}, err
	}
	roles, err := resolve(s.names, r.role)
	out := Result{Columns: []Column{{"CREATE ROLE " + quoted(s.names), typeString}}}
	for _, role := range roles {
		out.Rows = append(out.Rows, []any{"CREATE ROLE " + quote(role.name)})
	}
	return out, err
}
