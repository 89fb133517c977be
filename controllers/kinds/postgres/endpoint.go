package postgres

// endpoint is what a PostgreSQL client needs.
type endpoint struct{ host, port, database, user, password, mode, uri, ca string }

// prefixed are the keys that carry the prefix of the Secret.
func (e endpoint) prefixed() map[string]string {
	return map[string]string{
		"HOST":         e.host,
		"PORT":         e.port,
		"DATABASE":     e.database,
		"USER":         e.user,
		"PASSWORD":     e.password,
		"SSLMODE":      e.mode,
		"DATABASE_URI": e.uri,
		"CA_CERT":      e.ca,
	}
}

// legacy are the keys that libpq reads from the environment, without a prefix.
func (e endpoint) legacy() map[string]string {
	return map[string]string{
		"PGHOST":       e.host,
		"PGPORT":       e.port,
		"PGDATABASE":   e.database,
		"PGUSER":       e.user,
		"PGPASSWORD":   e.password,
		"PGSSLMODE":    e.mode,
		"DATABASE_URI": e.uri,
	}
}
