// Package clickhousesql is the part of ClickHouse that Aiven's API and its clients see through SQL: users, roles, grants
// and the system tables that show them; and tables, as far as it takes to see that grants are enforced.
//
// A query goes from text to tokens (lexer.go) to a [Statement] (parser.go, parsegrant.go, parsetable.go, parseselect.go),
// which a [Catalog] executes for a [Session]. What may be granted is a tree (privileges.go), and what one user or role has
// been granted are kept in privilege sets: they know partial revokes and grant options, and show themselves as ClickHouse
// would. Errors have ClickHouse's codes.
package clickhousesql
