package postgres

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// Aiven's defaults of a connection pool.
	defaultPoolMode = "transaction"
	defaultPoolSize = 10
	// queryWait is how many seconds a client waits for a server connection. PgBouncer's two
	// minutes are long for a client that logs in to a pool whose database is gone.
	queryWait = 15
)

var poolName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

func withDefaults(pool engine.Pool) engine.Pool {
	if pool.Mode == "" {
		pool.Mode = defaultPoolMode
	}
	if pool.Size == 0 {
		pool.Size = defaultPoolSize
	}
	// Not needed, and a new one is no reason to reload.
	pool.Password = ""
	return pool
}

// check refuses what can't stand in PgBouncer's files.
func check(pool engine.Pool) error {
	names := []string{pool.Name, pool.Database}
	if pool.Username != "" {
		names = append(names, pool.Username)
	}
	for _, name := range names {
		if err := reserved(name); err != nil {
			return err
		}
	}
	// PgBouncer's file allows no more in a key.
	if !poolName.MatchString(pool.Name) {
		return fmt.Errorf("the name %q of a pool may have letters, digits, _, - and . only", pool.Name)
	}
	switch pool.Mode {
	case "session", "transaction", "statement":
	default:
		return fmt.Errorf("pool %s: there is no mode %q", pool.Name, pool.Mode)
	}
	if pool.Size < 0 {
		return fmt.Errorf("pool %s: a size of %d is no size", pool.Name, pool.Size)
	}
	return nil
}

func (b *bouncer) config() string { return filepath.Join(b.folder, "pgbouncer.ini") }
func (b *bouncer) rules() string  { return filepath.Join(b.folder, "hba.conf") }

// verifierQuery finds the verifier of a client's role. PgBouncer checks the
// client's password against it and, with what that login proves, logs in at the
// server: it needs no passwords of its own, and knows of new ones at once.
const verifierQuery = "SELECT rolname, rolpassword FROM pg_catalog.pg_authid WHERE rolname = $1 AND rolcanlogin AND NOT rolsuper"

// poolConfig is pgbouncer.ini with the pool as the only database.
func poolConfig(c *cluster, b *bouncer) string {
	pool := b.pool
	return fmt.Sprintf(`[databases]
%s = host=%s port=%d dbname=%s auth_user=%s pool_mode=%s pool_size=%d

[pgbouncer]
listen_addr = %s
listen_port = %d
unix_socket_dir =
auth_type = hba
auth_hba_file = %s
auth_query = %s
client_tls_sslmode = require
client_tls_cert_file = %s
client_tls_key_file = %s
server_tls_sslmode = disable
ignore_startup_parameters = extra_float_digits
max_client_conn = 500
query_wait_timeout = %d
server_login_retry = 1
log_connections = 0
log_disconnections = 0
log_stats = 0
`,
		pool.Name, literal(c.files.socket), c.Endpoint().Port, literal(pool.Database), superuser, pool.Mode, pool.Size,
		strings.Join(process.Addresses(), ","), b.port, b.rules(), verifierQuery, c.files.cert(), c.files.key(), queryWait)
}

// clientRules is PgBouncer's hba.conf: who may log in.
func clientRules(pool engine.Pool) string {
	user := "all"
	if pool.Username != "" {
		user = `"` + strings.ReplaceAll(pool.Username, `"`, `""`) + `"`
	}
	return "hostssl all " + user + " 0.0.0.0/0 scram-sha-256\n"
}
