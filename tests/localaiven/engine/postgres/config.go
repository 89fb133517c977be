package postgres

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aero-operator/aero/tests/localaiven/process"
)

const (
	// superuser is the role the engine works as; Aiven's has the same name, and
	// there, too, no other can log in as it.
	superuser = "postgres"
	// identities names the map from users of the operating system to roles.
	identities = "engine"
)

// layout is what lies where in the data directory of a service.
type layout struct {
	// data is PostgreSQL's own folder; config, tls and pools are the engine's.
	data, config, tls, pools string
	// socket is the folder of the Unix socket, which only the account can enter.
	socket string
	// log is the file of PostgreSQL's messages.
	log string
}

func newLayout(dir, socket string) layout {
	return layout{
		data:   filepath.Join(dir, "data"),
		config: filepath.Join(dir, "config"),
		tls:    filepath.Join(dir, "tls"),
		pools:  filepath.Join(dir, "pools"),
		socket: socket,
		log:    filepath.Join(dir, "postgres.log"),
	}
}

func (l layout) conf() string  { return filepath.Join(l.config, "postgresql.conf") }
func (l layout) hba() string   { return filepath.Join(l.config, "pg_hba.conf") }
func (l layout) ident() string { return filepath.Join(l.config, "pg_ident.conf") }
func (l layout) cert() string  { return filepath.Join(l.tls, "server.crt") }
func (l layout) key() string   { return filepath.Join(l.tls, "server.key") }

// authority is the file of the project's CA, which a replica verifies its source with.
func (l layout) authority() string { return filepath.Join(l.tls, "ca.crt") }

// standby is the file that makes a server a replica.
func (l layout) standby() string { return filepath.Join(l.data, "standby.signal") }

// serverConfig is postgresql.conf for a small server whose data needn't survive
// a crash of the machine: dozens of them share one laptop. More settings come last.
func serverConfig(l layout, title string, more [][2]string) string {
	settings := [][2]string{
		{"cluster_name", title},
		{"listen_addresses", strings.Join(process.Addresses(), ",")},
		{"unix_socket_directories", l.socket},
		{"unix_socket_permissions", "0700"},
		{"hba_file", l.hba()},
		{"ident_file", l.ident()},
		{"ssl", "on"},
		{"ssl_cert_file", l.cert()},
		{"ssl_key_file", l.key()},
		{"password_encryption", "scram-sha-256"},
		{"max_connections", "100"},
		{"shared_buffers", "16MB"},
		// Segments in files, since /dev/shm is tiny in containers.
		{"dynamic_shared_memory_type", "mmap"},
		{"fsync", "off"},
		{"synchronous_commit", "off"},
		// Needed to copy a replica that runs.
		{"full_page_writes", "on"},
		{"wal_level", "replica"},
		{"max_wal_senders", "10"},
		{"max_replication_slots", "10"},
		// A replica is back soon after its source.
		{"wal_retrieve_retry_interval", "200ms"},
		// All of it, for forks: a service of tests writes some megabytes.
		{"wal_keep_size", "1TB"},
		{"min_wal_size", "2MB"},
		{"max_wal_size", "64MB"},
		{"autovacuum", "off"},
		{"max_logical_replication_workers", "0"},
		{"max_parallel_workers", "0"},
		{"jit", "off"},
		// A failed statement may hold a secret of its author.
		{"log_min_error_statement", "panic"},
		{"lc_messages", "C"},
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
	}
	var conf strings.Builder
	for _, setting := range append(settings, more...) {
		fmt.Fprintf(&conf, "%s = %s\n", setting[0], settingValue(setting[1]))
	}
	return conf.String()
}

func settingValue(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(value) + "'"
}

// accessRules is pg_hba.conf. TCP is for roles with a password and over TLS
// only. The superuser comes through the private socket, as the account that
// runs the server or this process; PgBouncer brings its clients the same way.
func accessRules() string {
	return strings.Join([]string{
		"local   all " + superuser + " peer map=" + identities,
		"local   all all scram-sha-256",
		"hostssl all " + superuser + " all reject",
		"hostssl replication " + replicator + " all scram-sha-256",
		"hostssl all " + replicator + " all reject",
		"hostssl all all all scram-sha-256",
		"",
	}, "\n")
}

// identityMap is pg_ident.conf: it makes each of the system's users the superuser.
func identityMap(users ...string) string {
	var rules strings.Builder
	for _, name := range users {
		fmt.Fprintf(&rules, "%s \"%s\" %s\n", identities, name, superuser)
	}
	return rules.String()
}
