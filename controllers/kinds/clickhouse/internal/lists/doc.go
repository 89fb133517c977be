// Package lists reads what a ClickHouse service has, by lists that all objects of the service share, and records in them what objects
// write. Some lists are Aiven's, and others are SELECTs from ClickHouse's system tables.
//
//	lists.go   users, databases and roles, and what a write changes in a list
//	grants.go  grants and privileges
//	needs.go   the names that grants depend on
//	query.go   statements, and rows of system tables
package lists
