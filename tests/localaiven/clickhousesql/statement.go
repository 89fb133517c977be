package clickhousesql

// Statement is one query that was understood. Execute it with a [Catalog].
type Statement interface {
	run(*run) (Result, *Error)
}

type createRole struct {
	names                  []string
	ifNotExists, orReplace bool
}

type dropRole struct {
	names    []string
	ifExists bool
}

type showCreateRole struct{ names []string }

// showGrants is of the current user where it has no names.
type showGrants struct{ names []string }

// grant is a GRANT, or a REVOKE. It has either elements or roles.
type grant struct {
	revoke   bool
	elements []element
	roles    []string
	to       []grantee
	option   bool // with the option to hand it on; for REVOKE, nothing but that option
}

// grantee is a user or a role, or who asks.
type grantee struct {
	name    string
	current bool
}

type createTable struct {
	name        tableName
	ifNotExists bool
	columns     []Column
}

type dropTable struct {
	name     tableName
	ifExists bool
}

// insert is into all columns where it names none.
type insert struct {
	into    tableName
	columns []string
	rows    [][]any
}

type selection struct {
	distinct bool
	items    []item
	from     *tableName // nil for one row without columns
	where    expression // nil for all
	order    []ordering
	limit    *uint64
	offset   uint64
}

type tableName struct{ database, name string }

// item is a column of a result; one without an expression is all columns of the table.
type item struct {
	expression
	name string
}

type ordering struct {
	expression
	descending bool
}
