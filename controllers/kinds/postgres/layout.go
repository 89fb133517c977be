package postgres

import "github.com/aero-operator/aero/controllers/internal/connection"

// layout has the keys of a PostgreSQL client: those that carry the prefix of the Secret, and those that libpq reads from the
// environment.
func layout() connection.Layout {
	return connection.Layout{
		Prefixed: map[string]connection.Value{
			"HOST":         connection.Host,
			"PORT":         connection.Port,
			"DATABASE":     connection.Database,
			"USER":         connection.User,
			"PASSWORD":     connection.Password,
			"SSLMODE":      connection.TLSMode,
			"DATABASE_URI": connection.URI,
			"CA_CERT":      connection.CACert,
		},
		Legacy: map[string]connection.Value{
			"PGHOST":       connection.Host,
			"PGPORT":       connection.Port,
			"PGDATABASE":   connection.Database,
			"PGUSER":       connection.User,
			"PGPASSWORD":   connection.Password,
			"PGSSLMODE":    connection.TLSMode,
			"DATABASE_URI": connection.URI,
		},
	}
}
