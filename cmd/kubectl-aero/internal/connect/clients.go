package connect

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Client is a program for one type of service.
type Client struct {
	// Programs do the same; the first one that is installed is started.
	Programs []string
	// Kinds are those whose Secrets it connects with.
	Kinds []string
	// Install names what brings one of the programs.
	Install string
	prepare func(ctx context.Context, s *Session, d *Details) error
}

// defaultDatabase is made by Aiven with each service.
const defaultDatabase = "defaultdb"

var clients = []Client{
	{
		Programs: []string{"psql"}, Kinds: []string{"PostgreSQL", "ConnectionPool"},
		Install: "the package postgresql-client of Debian and Ubuntu, postgresql of Fedora, or libpq of Homebrew", prepare: psql,
	},
	{
		Programs: []string{"mysql", "mariadb"}, Kinds: []string{"MySQL"},
		Install: "the package default-mysql-client of Debian, mysql-client of Ubuntu, mysql of Fedora, or mysql-client of Homebrew", prepare: mysql,
	},
	{
		Programs: []string{"valkey-cli", "redis-cli"}, Kinds: []string{"Valkey"},
		Install: "the package valkey-tools or redis-tools of Debian and Ubuntu, or valkey of Fedora and Homebrew", prepare: valkey,
	},
	{
		Programs: []string{"kcat"}, Kinds: []string{"Kafka"},
		Install: "the package kcat of Debian, Ubuntu and Homebrew", prepare: kcat,
	},
}

// ForKind returns the client for the service of a kind, or for a pool.
func ForKind(kind string) (Client, bool) {
	return find(func(c Client) bool { return slices.Contains(c.Kinds, kind) })
}

// Named returns the client that a program is one of, and makes it the only one.
func Named(program string) (Client, bool) {
	c, found := find(func(c Client) bool { return slices.Contains(c.Programs, program) })
	c.Programs = []string{program}
	return c, found
}

func find(is func(Client) bool) (Client, bool) {
	if i := slices.IndexFunc(clients, is); i >= 0 {
		return clients[i], true
	}
	return Client{}, false
}

// Programs are all that can be named.
func Programs() (all []string) {
	for _, c := range clients {
		all = append(all, c.Programs...)
	}
	return all
}

// Session prepares a session of an installed program, whose files will be in a folder.
func (c *Client) Session(ctx context.Context, d *Details, folder string) (*Session, error) {
	program, err := c.installed()
	if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	s := &Session{Program: program, Env: map[string]string{}, Folder: folder}
	if err := c.prepare(ctx, s, d); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Client) installed() (string, error) {
	for _, program := range c.Programs {
		if _, err := exec.LookPath(program); err == nil {
			return program, nil
		}
	}
	return "", fmt.Errorf("%s isn't installed: install %s", strings.Join(c.Programs, " or "), c.Install)
}

// psql reads all of its settings from the environment.
func psql(_ context.Context, s *Session, d *Details) error {
	values, err := d.required("HOST", "PORT", "PASSWORD", "CA_CERT")
	if err != nil {
		return err
	}
	s.Drops = []string{"PG"}
	s.Env = map[string]string{
		"PGHOST": values["HOST"], "PGPORT": values["PORT"], "PGUSER": d.user(), "PGPASSWORD": values["PASSWORD"],
		// The name of a pool is what PgBouncer takes for a database.
		"PGDATABASE": cmp.Or(d.Database, d.optional("NAME"), d.optional("DATABASE"), defaultDatabase),
		"PGSSLMODE":  "verify-full", "PGSSLROOTCERT": s.file("ca.pem", values["CA_CERT"]),
	}
	return nil
}

// mysql reads no option files, whose password would count more than the environment's. MySQL's client reads its file of logins in spite of
// --no-defaults, so it gets the name of one that doesn't exist.
func mysql(ctx context.Context, s *Session, d *Details) error {
	values, err := d.required("HOST", "PORT", "PASSWORD", "CA_CERT")
	if err != nil {
		return err
	}
	s.Drops = []string{"MYSQL_", "LIBMYSQL_", "MARIADB_"}
	s.Env = map[string]string{"MYSQL_PWD": values["PASSWORD"], "MYSQL_TEST_LOGIN_FILE": s.Folder + "/no-logins"}
	s.Args = []string{
		"--no-defaults", verification(ctx, s.Program), "--ssl-ca=" + s.file("ca.pem", values["CA_CERT"]),
		"--host=" + values["HOST"], "--port=" + values["PORT"], "--user=" + d.user(),
		"--database=" + cmp.Or(d.Database, d.optional("DATABASE"), defaultDatabase),
	}
	return nil
}

// verification is the option that checks the certificate and the name of the server. The clients of MySQL and MariaDB, both of which may
// be called mysql, have different ones.
func verification(ctx context.Context, program string) string {
	version, _ := exec.CommandContext(ctx, program, "--version").Output()
	if strings.Contains(string(version), "MariaDB") {
		return "--ssl-verify-server-cert"
	}
	return "--ssl-mode=VERIFY_IDENTITY"
}

// valkey checks the certificate with the authorities of the system: Aiven's certificate for Valkey isn't of the project's CA.
func valkey(_ context.Context, s *Session, d *Details) error {
	values, err := d.required("HOST", "PORT", "PASSWORD")
	if err != nil {
		return err
	}
	s.Drops = []string{"REDISCLI_", "VALKEYCLI_"}
	s.Env = map[string]string{"REDISCLI_AUTH": values["PASSWORD"]}
	s.Args = []string{"-h", values["HOST"], "-p", values["PORT"], "--user", cmp.Or(d.user(), "default"), "--tls", "--sni", values["HOST"]}
	return nil
}

// kcat reads a file, with the certificate and the key beside it.
func kcat(_ context.Context, s *Session, d *Details) error {
	values, err := d.required("HOST", "PORT", "CA_CERT", "ACCESS_CERT", "ACCESS_KEY")
	if err != nil {
		return err
	}
	s.Drops = []string{"KCAT_", "KAFKACAT_"}
	config := strings.Join([]string{
		"bootstrap.servers=" + address(values), "security.protocol=ssl", "ssl.endpoint.identification.algorithm=https",
		"ssl.ca.location=" + s.file("ca.pem", values["CA_CERT"]),
		"ssl.certificate.location=" + s.file("access.cert", values["ACCESS_CERT"]),
		"ssl.key.location=" + s.file("access.key", values["ACCESS_KEY"]),
	}, "\n") + "\n"
	s.Args = []string{"-F", s.file("kcat.conf", config)}
	return nil
}
