package clickhousesql

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The types of columns.
const (
	typeString         = "String"
	typeNullableString = "Nullable(String)"
	typeUInt8          = "UInt8"
	typeUInt64         = "UInt64"
	typeUUID           = "UUID"
	typeStrings        = "Array(String)"
	typeLevel          = "Nullable(Enum8('GLOBAL' = 0, 'DATABASE' = 1, 'TABLE' = 2, 'COLUMN' = 3))"
)

// accessTypes is the type of the column that names a privilege.
var accessTypes = sync.OnceValue(func() string {
	var values []string
	for _, p := range known().all {
		values = append(values, fmt.Sprintf("'%s' = %d", p.name, p.number))
	}
	return "Enum16(" + strings.Join(values, ", ") + ")"
})

// systemTables are those of the database system that are simulated.
var systemTables = map[string]func(*run) (Result, *Error){
	"databases": (*run).databasesTable, "grants": (*run).grantsTable, "one": (*run).oneTable,
	"privileges": (*run).privilegesTable, "role_grants": (*run).roleGrantsTable, "roles": (*run).rolesTable, "users": (*run).usersTable,
}

// table reads one. Its own rows are in the order of names.
func (r *run) table(name tableName) (Result, *Error) {
	_, at, err := r.place(name)
	if err != nil {
		return Result{}, err
	}
	if at >= 0 {
		return Result{r.tables[at].columns, r.tables[at].rows}, nil
	}
	read, ok := systemTables[name.name]
	if name.database != systemDatabase || !ok {
		return Result{}, unknownTable(name)
	}
	return read(r)
}

// readable asks for SELECT on a system table, or for the privileges that imply it.
func (r *run) readable(table string, implied ...string) *Error {
	if r.may("SELECT", scope{database: systemDatabase, table: table}) {
		return nil
	}
	return r.need(implied...)
}

func sorted(accounts []*account) []*account {
	return slices.SortedFunc(slices.Values(accounts), byName)
}

func (r *run) oneTable() (Result, *Error) {
	return Result{[]Column{{"dummy", typeUInt8}}, [][]any{{uint64(0)}}}, nil
}

func (r *run) usersTable() (Result, *Error) {
	out := Result{Columns: []Column{
		{"name", typeString}, {"id", typeUUID}, {"storage", typeString}, {"default_roles_all", typeUInt8},
	}}
	for _, u := range sorted(r.users) {
		out.Rows = append(out.Rows, []any{u.name, u.id, "replicated", uint64(1)})
	}
	return out, r.readable("users", "SHOW USERS")
}

func (r *run) rolesTable() (Result, *Error) {
	out := Result{Columns: []Column{{"name", typeString}, {"id", typeUUID}, {"storage", typeString}}}
	for _, role := range sorted(r.roles) {
		out.Rows = append(out.Rows, []any{role.name, role.id, "replicated"})
	}
	return out, r.readable("roles", "SHOW ROLES")
}

// databasesTable shows those that the caller has any privilege in.
func (r *run) databasesTable() (Result, *Error) {
	out := Result{Columns: []Column{
		{"name", typeString}, {"engine", typeString}, {"data_path", typeString}, {"metadata_path", typeString},
		{"uuid", typeUUID}, {"engine_full", typeString}, {"comment", typeString},
	}}
	const noID = "00000000-0000-0000-0000-000000000000"
	line := func(name, engine, id string) {
		if slices.Contains(builtin, name) || r.sees(name) {
			out.Rows = append(out.Rows, []any{name, engine, "", "", id, engine, ""})
		}
	}
	for _, name := range builtin {
		line(name, map[bool]string{true: "Atomic", false: "Memory"}[name == systemDatabase], noID)
	}
	for _, d := range r.present() {
		line(d.name, "Replicated", d.id)
	}
	slices.SortFunc(out.Rows, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return out, nil
}

// sees reports whether the caller has any privilege in the database: it implies to see it.
func (r *run) sees(name string) bool {
	return slices.ContainsFunc(r.who.enabled(), func(a *account) bool {
		return slices.ContainsFunc(known().named["ALL"].on(levelDatabase), func(leaf *privilege) bool {
			return a.have.touches(leaf, scope{database: name})
		})
	})
}

// both calls f for users and then roles, with their names as columns have them.
func (r *run) both(f func(a *account, user, role any)) {
	for _, u := range sorted(r.users) {
		f(u, u.name, nil)
	}
	for _, role := range sorted(r.roles) {
		f(role, nil, role.name)
	}
}

func (r *run) grantsTable() (Result, *Error) {
	out := Result{Columns: []Column{
		{"user_name", typeNullableString}, {"role_name", typeNullableString}, {"access_type", accessTypes()},
		{"database", typeNullableString}, {"table", typeNullableString}, {"column", typeNullableString},
		{"is_partial_revoke", typeUInt8}, {"grant_option", typeUInt8},
	}}
	r.both(func(a *account, user, role any) {
		for _, p := range a.list() {
			out.Rows = append(out.Rows, []any{
				user, role, p.AccessType, orNull(p.Database), orNull(p.Table), orNull(p.Column),
				asNumber(p.PartialRevoke), asNumber(p.GrantOption),
			})
		}
	})
	return out, r.readable("grants", "SHOW USERS", "SHOW ROLES")
}

// levels are the names of levels.
var levels = []string{"GLOBAL", "DATABASE", "TABLE", "COLUMN"}

// privilegesTable lists all privileges with their groups. A group has no level, and the one at the top no group.
func (r *run) privilegesTable() (Result, *Error) {
	out := Result{Columns: []Column{
		{"privilege", accessTypes()}, {"aliases", typeStrings}, {"level", typeLevel}, {"parent_group", "Nullable(" + accessTypes() + ")"},
	}}
	groups := map[*privilege]any{}
	for _, p := range known().all {
		for _, below := range p.below {
			groups[below] = p.name
		}
		var at any
		if len(p.below) == 0 {
			at = levels[p.level]
		}
		out.Rows = append(out.Rows, []any{p.name, append([]string{}, p.aliases...), at, groups[p]})
	}
	return out, nil
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (r *run) roleGrantsTable() (Result, *Error) {
	out := Result{Columns: []Column{
		{"user_name", typeNullableString}, {"role_name", typeNullableString}, {"granted_role_name", typeString},
		{"granted_role_id", typeUUID}, {"granted_role_is_default", typeUInt8}, {"with_admin_option", typeUInt8},
	}}
	r.both(func(a *account, user, role any) {
		for _, granted := range a.granted() {
			out.Rows = append(out.Rows, []any{user, role, granted.name, granted.id, uint64(1), asNumber(a.roles[granted])})
		}
	})
	return out, r.readable("role_grants", "SHOW USERS", "SHOW ROLES")
}
