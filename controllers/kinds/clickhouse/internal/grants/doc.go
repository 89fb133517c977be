// Package grants computes which statements make the grants of ClickHouse what objects ask for. It does no I/O.
//
// ClickHouse's own list of privileges is a tree, whose groups such as ALTER are nothing but their leaves. Whatever is
// granted is compared leaf by leaf: a privilege is there if it is granted itself, by a group, or on a wider scope, and if no
// partial revoke cuts a hole into it.
//
//	tree.go       the privileges, their groups, and the levels that they can be granted on
//	set.go        what a spec or a status asks for, privilege by privilege
//	roles.go      the roles that it asks for
//	cycle.go      roles that would have themselves
//	size.go       how much an object can ask for
//	held.go       what a user or role has been granted
//	plan.go       what is missing and what is to be revoked, without a gap where that is possible
//	statement.go  GRANT and REVOKE
//	record.go     what is kept in the status
//	work.go       all of it for one object: the differences, what it waits for, and what is refused
//	presence.go   the names that statements depend on, and which of them are there
package grants
