// Package postgres holds the kinds for Aiven for PostgreSQL.
package postgres
