package connect

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const password = `p"a's\s`

// details are those of a Secret, with the prefix X_.
func details(keys map[string]string) *Details {
	d := &Details{Secret: "s", Prefix: "X_", Data: map[string][]byte{}}
	for key, value := range keys {
		d.Data["X_"+key] = []byte(value)
	}
	return d
}

func full() *Details {
	return details(map[string]string{
		"HOST": "db.example.com", "PORT": "1234", "USER": "avnadmin", "PASSWORD": password, "DATABASE": "defaultdb",
		"CA_CERT": "CA", "ACCESS_CERT": "CERT", "ACCESS_KEY": "KEY",
	})
}

// installs puts programs in front of a PATH without any others.
func installs(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	t.Setenv("PATH", dir)
}

func sessionOf(t *testing.T, kind string, d *Details) *Session {
	t.Helper()
	client, known := ForKind(kind)
	require.True(t, known)
	s, err := client.Session(t.Context(), d, "/folder")
	require.NoError(t, err)
	return s
}

func TestTheCommandsOfTheClients(t *testing.T) {
	pool, of := full(), full()
	pool.Data["X_NAME"] = []byte("orders-pool")
	of.Database = "orders"
	user := full()
	user.Data["X_USERNAME"] = []byte("orders-app")
	delete(user.Data, "X_DATABASE")
	for name, tc := range map[string]struct {
		kind     string
		details  *Details
		programs map[string]string
		command  string
		env      map[string]string
	}{
		"psql":               {"PostgreSQL", full(), map[string]string{"psql": ""}, "psql", map[string]string{"PGDATABASE": "defaultdb", "PGUSER": "avnadmin", "PGSSLMODE": "verify-full"}},
		"psql of a pool":     {"ConnectionPool", pool, map[string]string{"psql": ""}, "psql", map[string]string{"PGDATABASE": "orders-pool"}},
		"psql of a database": {"PostgreSQL", of, map[string]string{"psql": ""}, "psql", map[string]string{"PGDATABASE": "orders"}},
		"psql of a user":     {"PostgreSQL", user, map[string]string{"psql": ""}, "psql", map[string]string{"PGDATABASE": "defaultdb", "PGUSER": "orders-app"}},
		"mysql": {
			"MySQL", full(), map[string]string{"mysql": "echo mysql Ver 8"},
			"mysql --no-defaults --ssl-mode=VERIFY_IDENTITY --ssl-ca=/folder/ca.pem --host=db.example.com --port=1234 --user=avnadmin --database=defaultdb",
			map[string]string{"MYSQL_PWD": password},
		},
		"MariaDB's mysql": {
			"MySQL", full(), map[string]string{"mysql": "echo mysql from 11.8-MariaDB"},
			"mysql --no-defaults --ssl-verify-server-cert --ssl-ca=/folder/ca.pem --host=db.example.com --port=1234 --user=avnadmin --database=defaultdb", nil,
		},
		"valkey-cli": {
			"Valkey", full(), map[string]string{"valkey-cli": "", "redis-cli": ""},
			"valkey-cli -h db.example.com -p 1234 --user avnadmin --tls --sni db.example.com", map[string]string{"REDISCLI_AUTH": password},
		},
		"redis-cli": {
			"Valkey", full(), map[string]string{"redis-cli": ""}, "redis-cli -h db.example.com -p 1234 --user avnadmin --tls --sni db.example.com", nil,
		},
		"kcat": {"Kafka", full(), map[string]string{"kcat": ""}, "kcat -F /folder/kcat.conf", nil},
	} {
		t.Run(name, func(t *testing.T) {
			installs(t, tc.programs)
			s := sessionOf(t, tc.kind, tc.details)
			described := s.Describe(nil)
			lines := strings.Split(strings.TrimSpace(described), "\n")
			assert.Equal(t, tc.command, lines[len(lines)-1])
			for name, value := range tc.env {
				assert.Equal(t, value, s.Env[name], name)
				assert.Contains(t, described, name)
			}
			for _, secret := range []string{password, "KEY\n", "CERT\n"} {
				assert.NotContains(t, described, secret)
				assert.NotContains(t, s.Args, secret)
			}
		})
	}
}

func TestExtraArgumentsAreQuotedWhereTheyArePrinted(t *testing.T) {
	assert.Equal(t, "psql -c 'SELECT '\\''1'\\''' ''\n", (&Session{Program: "psql"}).Describe([]string{"-c", "SELECT '1'", ""}))
}

func TestKcatVerifiesTheServerWithFilesOfTheCaller(t *testing.T) {
	installs(t, map[string]string{"kcat": ""})
	s := sessionOf(t, "Kafka", full())
	assert.Equal(t, `bootstrap.servers=db.example.com:1234
security.protocol=ssl
ssl.endpoint.identification.algorithm=https
ssl.ca.location=/folder/ca.pem
ssl.certificate.location=/folder/access.cert
ssl.key.location=/folder/access.key
`, s.Files["kcat.conf"])
	assert.Equal(t, "KEY", s.Files["access.key"])
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	installs(t, nil)
	client, _ := ForKind("PostgreSQL")
	_, err := client.Session(t.Context(), full(), "")
	require.EqualError(t, err, "psql isn't installed: install the package postgresql-client of Debian and Ubuntu, postgresql of Fedora, or libpq of Homebrew")

	installs(t, map[string]string{"psql": ""})
	d := full()
	delete(d.Data, "X_CA_CERT")
	_, err = client.Session(t.Context(), d, "")
	require.EqualError(t, err, "the Secret s has no X_CA_CERT")
}

func TestAClientCanBeNamed(t *testing.T) {
	installs(t, map[string]string{"valkey-cli": "", "redis-cli": ""})
	client, known := Named("redis-cli")
	require.True(t, known)
	s, err := client.Session(t.Context(), full(), "")
	require.NoError(t, err)
	assert.Equal(t, "redis-cli", s.Program)
	_, known = Named("bash")
	assert.False(t, known)
}

func TestASignalLeavesNoFile(t *testing.T) {
	for signal, script := range map[string]string{
		"an interrupt is the client's": "kill -INT $PPID",
		"a quit is the client's":       "kill -QUIT $PPID",
		"an end is the client's, too":  "kill -TERM $PPID; exec /bin/sleep 600",
	} {
		t.Run(signal, func(t *testing.T) {
			installs(t, map[string]string{"psql": script})
			var used string
			_ = InFolder(t.Context(), func(ctx context.Context, folder string) error {
				used = folder
				return (&Session{Program: "psql", Files: map[string]string{"key": "KEY"}, Folder: folder}).Run(ctx, genericiooptions.IOStreams{}, nil)
			})
			assert.NotEmpty(t, used)
			assert.NoDirExists(t, used)
		})
	}
}

func TestTheClientRunsWithFilesThatAreGoneAfterwards(t *testing.T) {
	installs(t, map[string]string{"psql": `
echo "args: $*"
echo "database: $PGDATABASE, service: $PGSERVICE, password: $PGPASSWORD"
echo "$PGSSLROOTCERT: $(/bin/cat "$PGSSLROOTCERT"), $(/usr/bin/stat -c %a "$PGSSLROOTCERT" "${PGSSLROOTCERT%/*}" | /usr/bin/tr '\n' ' ')"
exit 3`})
	t.Setenv("PGSERVICE", "another")
	var out bytes.Buffer
	var used string
	err := InFolder(t.Context(), func(ctx context.Context, folder string) error {
		used = folder
		client, _ := ForKind("PostgreSQL")
		s, err := client.Session(ctx, full(), folder)
		require.NoError(t, err)
		return s.Run(ctx, genericiooptions.IOStreams{Out: &out, ErrOut: &out}, []string{"-c", "SELECT 1"})
	})
	var failed *exec.ExitError
	require.True(t, errors.As(err, &failed))
	assert.Equal(t, 3, failed.ExitCode())
	assert.Equal(t, "args: -c SELECT 1\ndatabase: defaultdb, service: , password: "+password+"\n"+used+"/ca.pem: CA, 600 700 \n", out.String())
	assert.NoDirExists(t, used)
}

func TestMySQLReadsNothingOfItsCaller(t *testing.T) {
	installs(t, map[string]string{"mysql": `echo "${MARIADB_TLS_DISABLE_PEER_VERIFICATION-}${LIBMYSQL_PLUGINS-}${MYSQL_HOST-}"
test -n "$MYSQL_TEST_LOGIN_FILE" && test ! -e "$MYSQL_TEST_LOGIN_FILE"`})
	for _, variable := range []string{"MARIADB_TLS_DISABLE_PEER_VERIFICATION", "LIBMYSQL_PLUGINS", "MYSQL_HOST"} {
		t.Setenv(variable, "set")
	}
	t.Setenv("MYSQL_TEST_LOGIN_FILE", "/dev/null")
	var out bytes.Buffer
	require.NoError(t, InFolder(t.Context(), func(ctx context.Context, folder string) error {
		client, _ := ForKind("MySQL")
		s, err := client.Session(ctx, full(), folder)
		require.NoError(t, err)
		return s.Run(ctx, genericiooptions.IOStreams{Out: &out, ErrOut: &out}, nil)
	}))
	assert.Equal(t, "\n", out.String())
}
