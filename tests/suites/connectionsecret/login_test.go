package connectionsecret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// The keys of each preset are all that a client of a real PostgreSQL needs.
func TestAnApplicationOfPostgreSQLLogsInWithEachPreset(t *testing.T) {
	t.Parallel()
	machine := postgres.New()
	if err := machine.Available(); err != nil {
		t.Skip("needs a real PostgreSQL: ", err)
	}
	w := world{testenv.New(t, testenv.Options{
		Kinds: []string{"PostgreSQL", "ServiceUser", "Database"}, Aiven: localaiven.Options{Engines: []engine.Engine{machine}},
	})}
	database := w.Example("database")
	w.Create(w.Example("postgresql"))
	w.Create(database)
	w.Wait(w.user("my-pg"), testenv.Ready())
	w.Wait(database, testenv.Ready())
	dsn := func(data map[string]string, keys ...string) string {
		var parts []string
		escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
		for i, name := range []string{"host", "port", "user", "password", "dbname"} {
			parts = append(parts, fmt.Sprintf("%s='%s'", name, escape.Replace(data[keys[i]])))
		}
		return strings.Join(parts, " ") + " sslmode=require"
	}
	for preset, addresses := range map[aero.Preset]func(data map[string]string) []string{
		aero.PresetLibpq: func(data map[string]string) []string {
			return []string{dsn(data, "PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE"), data["DATABASE_URL"]}
		},
		aero.PresetCloudNativePG: func(data map[string]string) []string {
			return []string{dsn(data, "host", "port", "user", "password", "dbname"), data["uri"]}
		},
		aero.PresetServiceBinding: func(data map[string]string) []string {
			return []string{dsn(data, "host", "port", "username", "password", "database"), data["uri"]}
		},
	} {
		obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
			spec.Presets, spec.DatabaseRef = []aero.Preset{preset}, &aero.DatabaseReference{Name: "orders"}
			spec.Data = map[string]aero.Template{"DATABASE_URL": "{{ .URI }}&application_name=checkout"}
		})
		obj.Name = strings.ToLower(string(preset))
		data := w.create(obj)
		startClients(t, string(preset), data, postgresqlLogins[preset]...)
		for _, address := range addresses(data) {
			connection, err := pgx.Connect(t.Context(), address)
			require.NoError(t, err, preset)
			var user, name string
			require.NoError(t, connection.QueryRow(t.Context(), "SELECT current_user, current_database()").Scan(&user, &name))
			assert.Equal(t, []string{"orders-app", "orders"}, []string{user, name}, preset)
			require.NoError(t, connection.Close(t.Context()))
		}
		if preset == aero.PresetServiceBinding {
			assert.Equal(t, "servicebinding.io/postgresql", string(w.secret(obj).Type))
		}
	}
}

// asked has the user, the database, and whether the connection is encrypted.
const asked = `query='SELECT current_user, current_database(), (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())'
`

const answered = "orders-app\norders\nt"

var postgresqlLogins = map[aero.Preset][]login{
	aero.PresetLibpq: {
		{"psql, by variables", []string{"psql"}, asked + `psql -XAt -F $'\n' -c "$query"`, answered},
		{"psql, by a template", []string{"psql"}, asked + `psql -XAt -F $'\n' -c "$query" "$DATABASE_URL"`, answered},
	},
	aero.PresetCloudNativePG: {
		{"psql, by uri", []string{"psql"}, asked + `psql -XAt -F $'\n' -c "$query" "$uri"`, answered},
		{"psql, by pgpass", []string{"psql"}, asked + `PGPASSFILE=pgpass psql -XAtw -F $'\n' -h "$host" -p "$port" -U "$user" -c "$query" "$dbname"`, answered},
		{"JDBC, by jdbc-uri", []string{java, jdbcOfPG}, asked + `java -cp "$CLASSPATH:` + jdbcOfPG + `" Jdbc "$(< jdbc-uri)" "$query"`, answered},
	},
	aero.PresetServiceBinding: {
		{"psql, by uri and ca.crt", []string{"psql"}, asked + `psql -XAt -F $'\n' -c "$query" "$uri&sslmode=verify-full&sslrootcert=ca.crt"`, answered},
		{"JDBC, by files", []string{java, jdbcOfPG}, asked + `java -cp "$CLASSPATH:` + jdbcOfPG + `" Jdbc \
  "jdbc:postgresql://$(< host):$(< port)/$(< database)?sslmode=verify-full&sslrootcert=ca.crt" "$query" login`, answered},
	},
}
