package connectionsecret_test

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"maps"
	"net"
	neturl "net/url"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	clickhouseengine "github.com/aero-operator/aero/tests/localaiven/engine/clickhouse"
	mysqlengine "github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	valkeyengine "github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

// served is a ConnectionSecret with the preset of all services, of a user of a real server.
type served struct {
	world
	data map[string]string
	tls  *tls.Config
	ca   string
}

// withCA has the CA of the local Aiven, too, where clients know that of Aiven.
func (s served) withCA() map[string]string {
	data := maps.Clone(s.data)
	data["SERVER_CA"] = s.ca
	return data
}

var mysqlLogins = []login{
	{"mysql, by files", []string{"mysql or mariadb"}, `export MYSQL_PWD="$(< password)"
$(command -v mysql || command -v mariadb) --no-defaults --protocol=tcp --host="$(< host)" --port="$(< port)" --user="$(< username)" \
  --ssl-ca=ca.crt --ssl-verify-server-cert --skip-column-names --batch --execute='SELECT current_user(), database()' "$(< database)"`,
		"orders-app@%\tdefaultdb"},
	{"JDBC, by files", []string{java, jdbcOfMariaDB}, `java -cp "$CLASSPATH:` + jdbcOfMariaDB + `" Jdbc \
  "jdbc:mariadb://$(< host):$(< port)/$(< database)?useSsl=true&serverSslCert=ca.crt" 'SELECT current_user(), database()' login`,
		"orders-app@%\ndefaultdb"},
}

const redisCLI = "valkey-cli or redis-cli"

var valkeyLogins = []login{
	{"redis-cli, by uri", []string{redisCLI}, `$(command -v valkey-cli || command -v redis-cli) --no-auth-warning --cacert SERVER_CA -u "$uri" ACL WHOAMI`, "orders-app"},
	{"redis-cli, by files", []string{redisCLI}, `export REDISCLI_AUTH="$(< password)"
$(command -v valkey-cli || command -v redis-cli) --tls --cacert SERVER_CA -h "$(< host)" -p "$(< port)" --user "$(< username)" ACL WHOAMI`, "orders-app"},
}

var clickhouseLogins = []login{
	{"clickhouse_driver, by uri", []string{"/usr/bin/python3", driverOfCH}, `/usr/bin/python3 -c "import os, clickhouse_driver
client = clickhouse_driver.Client.from_url(os.environ['uri'] + '&ca_certs=SERVER_CA')
print(*client.execute('SELECT currentUser()')[0])"`, "my-user"},
}

// serves starts a server with a user of a kind. Without the server, the test is skipped.
func serves(t *testing.T, server engine.Engine, kind, user string) served {
	t.Helper()
	t.Parallel()
	if err := server.Available(); err != nil {
		t.Skip("needs a real server: ", err)
	}
	w := world{testenv.New(t, testenv.Options{
		Kinds: []string{kind, "ServiceUser", "ClickhouseUser"}, Aiven: localaiven.Options{Engines: []engine.Engine{server}},
	})}
	service := w.Example(strings.ToLower(kind))
	w.Create(service)
	var source testenv.Object
	if user == "ServiceUser" {
		source = w.user(service.GetName())
	} else {
		of := w.Example("clickhouseuser").(*v1alpha1.ClickhouseUser)
		of.Spec.ConnInfoSecretSource = w.oddPassword()
		w.Create(of)
		source = of
	}
	w.Wait(source, testenv.Ready())
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
		spec.SourceRef = aero.SourceReference{Kind: user, Name: source.GetName()}
		spec.Presets = []aero.Preset{aero.PresetServiceBinding}
	})
	s := served{world: w, data: w.create(obj)}
	ca, err := w.Aiven.Console.ProjectKmsGetCA(t.Context(), w.Project)
	require.NoError(t, err)
	s.ca = ca
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(ca)))
	s.tls = &tls.Config{RootCAs: roots, ServerName: s.data["host"], MinVersion: tls.VersionTLS12}
	uri, err := neturl.Parse(s.data["uri"])
	require.NoError(t, err)
	password, _ := uri.User.Password()
	assert.Equal(t, []string{net.JoinHostPort(s.data["host"], s.data["port"]), s.data["username"], s.data["password"]},
		[]string{uri.Host, uri.User.Username(), password}, "the URI leads there, too")
	return s
}

func TestAnApplicationOfMySQLLogsInWithItsPreset(t *testing.T) {
	s := serves(t, mysqlengine.New(), "MySQL", "ServiceUser")
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", net.JoinHostPort(s.data["host"], s.data["port"])
	config.User, config.Passwd, config.DBName, config.TLS = s.data["username"], s.data["password"], s.data["database"], s.tls
	connector, err := mysql.NewConnector(config)
	require.NoError(t, err)
	session := sql.OpenDB(connector)
	defer func() { require.NoError(t, session.Close()) }()
	var user string
	require.NoError(t, session.QueryRowContext(t.Context(), "SELECT substring_index(current_user(), '@', 1)").Scan(&user))
	assert.Equal(t, s.data["username"], user)
	assert.Equal(t, "mysql", s.data["type"])
	startClients(t, "clients", s.data, mysqlLogins...)
}

func TestAnApplicationOfValkeyLogsInWithItsPreset(t *testing.T) {
	s := serves(t, valkeyengine.New(), "Valkey", "ServiceUser")
	options, err := redis.ParseURL(s.data["uri"])
	require.NoError(t, err)
	options.TLSConfig, options.MaxRetries = s.tls, -1
	session := redis.NewClient(options)
	defer func() { require.NoError(t, session.Close()) }()
	user, err := session.Do(t.Context(), "ACL", "WHOAMI").Text()
	require.NoError(t, err)
	assert.Equal(t, s.data["username"], user)
	assert.Equal(t, "redis", s.data["type"])
	startClients(t, "clients", s.withCA(), valkeyLogins...)
}

func TestAnApplicationOfClickHouseLogsInWithItsPreset(t *testing.T) {
	s := serves(t, clickhouseengine.New(), "Clickhouse", "ClickhouseUser")
	options, err := clickhouse.ParseDSN(s.data["uri"])
	require.NoError(t, err)
	options.TLS = s.tls
	session, err := clickhouse.Open(options)
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close()) }()
	var user string
	require.NoError(t, session.QueryRow(t.Context(), "SELECT currentUser()").Scan(&user))
	assert.Equal(t, s.data["username"], user)
	assert.Equal(t, "clickhouse", s.data["type"])
	startClients(t, "clients", s.withCA(), clickhouseLogins...)
}
