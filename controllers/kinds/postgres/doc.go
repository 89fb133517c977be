// Package postgres holds the kinds of Aiven for PostgreSQL.
package postgres
