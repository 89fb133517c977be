package clickhousesql

import (
	"cmp"
	"slices"
)

// table is one that clients made.
type table struct {
	database string // by its id: another one may get the name later
	name     string
	columns  []Column
	rows     [][]any // never changed in place
}

// place finds the database that a name is in, and the table, whose index is -1 where there is none.
func (r *run) place(name tableName) (database string, at int, err *Error) {
	i := r.index(name.database)
	switch {
	case i < 0 && slices.Contains(builtin, name.database):
		return "", -1, nil
	case i < 0:
		return "", -1, unknownDatabase(name.database)
	}
	database = r.databases[i].id
	return database, slices.IndexFunc(r.tables, func(t table) bool { return t.database == database && t.name == name.name }), nil
}

// in is a name with the database that it is in.
func (t tableName) in(session Session) tableName {
	return tableName{cmp.Or(t.database, session.Database), t.name}
}

func (t tableName) scope() scope { return scope{database: t.database, table: t.name} }

func unknownTable(name tableName) *Error {
	return Errorf(CodeUnknownTable, "Unknown table expression identifier '%s'", name)
}

// needOn refuses who hasn't a privilege on a table.
func (r *run) needOn(privilege string, name tableName) *Error {
	if !r.may(privilege, name.scope()) {
		return r.denied(privilege + " ON " + name.scope().object())
	}
	return nil
}

// needColumns refuses who hasn't a privilege on each of these columns.
func (r *run) needColumns(privilege string, name tableName, columns []string) *Error {
	at := name.scope()
	for _, at.column = range columns {
		if !r.may(privilege, at) {
			return r.denied(privilege + "(" + quoted(columns) + ") ON " + at.object())
		}
	}
	return nil
}

func (s createTable) run(r *run) (Result, *Error) {
	name := s.name.in(r.session)
	if err := r.needOn("CREATE TABLE", name); err != nil {
		return Result{}, err
	}
	database, at, err := r.place(name)
	switch {
	case err != nil:
		return Result{}, err
	case database == "":
		return Result{}, r.denied("CREATE TABLE ON " + name.scope().object())
	case at >= 0 && s.ifNotExists:
		return Result{}, nil
	case at >= 0:
		return Result{}, Errorf(CodeTableExists, "Table %s already exists", name)
	}
	r.tables = append(r.tables, table{database: database, name: name.name, columns: s.columns})
	return Result{}, nil
}

func (s dropTable) run(r *run) (Result, *Error) {
	name := s.name.in(r.session)
	if err := r.needOn("DROP TABLE", name); err != nil {
		return Result{}, err
	}
	_, at, err := r.place(name)
	switch {
	case err != nil:
		return Result{}, err
	case at >= 0:
		r.tables = slices.Delete(r.tables, at, at+1)
	case !s.ifExists:
		return Result{}, unknownTable(name)
	}
	return Result{}, nil
}

func (s insert) run(r *run) (Result, *Error) {
	name := s.into.in(r.session)
	_, at, err := r.place(name)
	if err != nil {
		return Result{}, err
	}
	if at < 0 {
		return Result{}, unknownTable(name)
	}
	into := &r.tables[at]
	columns := s.columns
	if columns == nil {
		columns = into.names()
	}
	if err := r.needColumns("INSERT", name, columns); err != nil {
		return Result{}, err
	}
	var rows [][]any
	for _, values := range s.rows {
		row, err := into.row(columns, values)
		if err != nil {
			return Result{}, err
		}
		rows = append(rows, row)
	}
	into.rows = slices.Concat(into.rows, rows)
	return Result{}, nil
}

func (t *table) names() []string {
	var out []string
	for _, c := range t.columns {
		out = append(out, c.Name)
	}
	return out
}

// row has the values of an INSERT in the table's order, and empty ones where it names none.
func (t *table) row(columns []string, values []any) ([]any, *Error) {
	if len(values) != len(columns) {
		return nil, Errorf(CodeSyntaxError, "Cannot parse expression: %d values for %d columns", len(values), len(columns))
	}
	row := make([]any, len(t.columns))
	for i, c := range t.columns {
		row[i] = c.empty()
	}
	for i, name := range columns {
		at := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == name })
		if at < 0 {
			return nil, Errorf(CodeNoSuchColumn, "No such column %s in table %s", name, quote(t.name))
		}
		if !t.columns[at].holds(values[i]) {
			return nil, Errorf(CodeTypeMismatch, "Cannot convert a value to type %s of column %s", t.columns[at].Type, name)
		}
		row[at] = values[i]
	}
	return row, nil
}

func (c Column) empty() any {
	if c.Type == typeString {
		return ""
	}
	return uint64(0)
}

func (c Column) holds(value any) bool {
	switch v := value.(type) {
	case string:
		return c.Type == typeString
	case uint64:
		return c.Type == typeUInt64 || c.Type == typeUInt8 && v <= 1<<8-1
	}
	return false
}

// mayRead refuses who may not read all columns that a selection is about. Who names none needs any.
func (s *selection) mayRead(r *run, name tableName, of []Column) *Error {
	used, all := map[string]bool{}, slices.ContainsFunc(s.items, func(i item) bool { return i.expression == nil })
	for _, e := range s.conditions() {
		namesIn(e, used)
	}
	for _, i := range s.items {
		namesIn(i.expression, used)
	}
	var columns []string
	for _, c := range of {
		if all || used[c.Name] {
			columns = append(columns, c.Name)
		}
	}
	if columns != nil {
		return r.needColumns("SELECT", name, columns)
	}
	for _, c := range of {
		if r.needColumns("SELECT", name, []string{c.Name}) == nil {
			return nil
		}
	}
	return r.denied("SELECT for at least one column on " + name.scope().object())
}

// namesIn adds the columns that an expression is about.
func namesIn(e expression, used map[string]bool) {
	switch e := e.(type) {
	case column:
		used[e.name] = true
	case comparison:
		namesIn(e.left, used)
		namesIn(e.right, used)
	case logic:
		namesIn(e.left, used)
		namesIn(e.right, used)
	case like:
		namesIn(e.left, used)
		namesIn(e.pattern, used)
	case in:
		namesIn(e.left, used)
		for _, one := range e.of {
			namesIn(one, used)
		}
	case isNull:
		namesIn(e.of, used)
	case not:
		namesIn(e.of, used)
	}
}
