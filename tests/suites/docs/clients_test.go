package docs

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

// clientCase is a client of a database that kubectl aero connect starts.
type clientCase struct {
	programs []string // one of them is started
	server   engine.Engine
	service  string // the example, and the name of its object without my-
	then     string
	wants    []string
	// waits is what the client does until it is interrupted: it has printed a line with begun before, and ends with code.
	waits, begun string
	code         int
}

// connecting is typed first: fails prints what a client that fails has written to its standard error, behind its exit code.
const connecting = `
kubectl create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
sed s/my-pg/my-$SERVICE/ docs/examples/serviceuser.yaml | kubectl apply -f docs/examples/$SERVICE_KIND.yaml -f -
kubectl wait --for=condition=Ready --timeout=2m $SERVICE_KIND/my-$SERVICE serviceuser/orders-app
kubectl get secret orders-app -o jsonpath='{.data.ORDERS_CA_CERT}' | base64 -d > ca.pem
port=$(kubectl get secret orders-app -o jsonpath='{.data.ORDERS_PORT}' | base64 -d)
fails() {
  code=0
  kubectl aero connect $SERVICE_KIND my-$SERVICE -- "$@" > /dev/null 2> errors || code=$?
  sed "s/^/exit code $code: /" errors
}
`

// clientCases are in the order of the page. 127.1 is an address of this machine that no certificate names.
var clientCases = []clientCase{
	{
		programs: []string{"psql"}, server: postgres.New(), service: "pg",
		then: `
kubectl aero connect postgresql my-pg -- --no-psqlrc --command='SELECT current_user, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'
kubectl aero connect serviceuser orders-app -- --no-psqlrc --command='SELECT current_user'
fails --no-psqlrc --set=ON_ERROR_STOP=1 --file=- <<< 'SELECT nothing'
fails --no-psqlrc --dbname='host=pg.example.com hostaddr=127.0.0.1' --command='SELECT 1'
`,
		wants: []string{
			" avnadmin     | t", " orders-app", `exit code 3: psql:<stdin>:1: ERROR:  column "nothing" does not exist`, "exit code 2: psql: error: ",
			`does not match host name "pg.example.com"`,
		},
		waits: `postgresql my-pg -- --no-psqlrc --command="SELECT 'begun'" --command='SELECT pg_sleep(600)'`, begun: "begun", code: 1,
	},
	{
		programs: []string{"mysql", "mariadb"}, server: mysql.New(), service: "mysql",
		then: `
kubectl aero connect mysql my-mysql -- --execute="SELECT CURRENT_USER(), DATABASE(); SHOW STATUS LIKE 'Ssl_version'"
kubectl aero connect serviceuser orders-app -- --execute='SELECT CURRENT_USER()'
sed s/my-pg/my-mysql/ docs/examples/database.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready --timeout=1m database/orders
kubectl aero connect database orders --service-user orders-app -- --execute='SELECT CURRENT_USER(), DATABASE()'
fails --execute='SELECT nothing'
fails --host=127.1 --execute='SELECT 1'
`,
		wants: []string{
			"orders_admin@%\tdefaultdb", "TLSv1.3", "orders-app@%\n", "orders-app@%\torders",
			"exit code 1: ERROR 1054 (42S22) at line 1: Unknown column 'nothing'", "exit code 1: ERROR 2026 (HY000)",
		},
		waits: `mysql my-mysql -- --unbuffered --execute="SELECT 'begun'; SELECT SLEEP(600)"`, begun: "begun", code: 1,
	},
	{
		programs: []string{"valkey-cli", "redis-cli"}, server: valkey.New(), service: "valkey",
		then: `
fails PING
export SSL_CERT_FILE=$PWD/ca.pem
kubectl aero connect valkey my-valkey -- SET order paid
kubectl aero connect valkey my-valkey -- ACL WHOAMI
kubectl aero connect serviceuser orders-app -- ACL WHOAMI
fails -e NOTHING
`,
		wants: []string{"exit code 1: Could not connect", "certificate verify failed", "OK\n", "avnadmin\n", "orders-app\n", "exit code 1: ERR unknown command"},
		waits: "valkey my-valkey -- SUBSCRIBE orders", begun: "subscribe", code: 130,
	},
	{
		programs: []string{"kcat"}, server: kafka.New(), service: "kafka",
		then: `
kubectl apply -f docs/examples/kafkatopic.yaml
kubectl wait --for=condition=Ready --timeout=1m kafkatopic/orders
echo 'order 1 is paid' | kubectl aero connect kafka my-kafka -- -P -t orders
kubectl aero connect kafka my-kafka -- -C -t orders -e
kubectl aero connect serviceuser orders-app -- -L
fails -L -m 3 -b "127.1:$port"
test $code != 139 || fails -L -m 3 -b "127.1:$port" # kcat itself has crashed as it ended, which happens
`,
		wants: []string{
			"order 1 is paid\n", " 0 topics:", // no ACL lets the user read one
			"certificate verify failed", "exit code 1: % ERROR: Failed to acquire metadata",
		},
		waits: "kafka my-kafka -- -C -t orders -u", begun: "order 1 is paid", code: 0,
	},
}

// missing is why this machine can't run the case; empty if it can.
func (c clientCase) missing() string {
	if err := c.server.Available(); err != nil {
		return "needs a real server: " + err.Error()
	}
	installed := func(program string) bool { _, err := exec.LookPath(program); return err == nil }
	if !slices.ContainsFunc(c.programs, installed) {
		return strings.Join(c.programs, " or ") + " isn't installed: run `bash tests/deps.sh all`"
	}
	return ""
}

// TestConnectStartsTheRealClients types what each client is for, at a real server, and what makes it fail: its standard error and its exit
// code are the plugin's. Then it is interrupted.
func TestConnectStartsTheRealClients(t *testing.T) {
	t.Parallel()
	var servers []engine.Engine
	for _, c := range clientCases {
		if c.missing() == "" {
			servers = append(servers, c.server)
		}
	}
	if len(servers) == 0 {
		t.Skip("no client of a database is installed with its server")
	}
	host := newMachine(t).withCluster(servers...)
	host.types(installed)
	for _, c := range clientCases {
		t.Run(c.programs[0], func(t *testing.T) {
			t.Parallel()
			if missing := c.missing(); missing != "" {
				t.Skip(missing)
			}
			c.typedAt(host.guest(t, c.programs[0]))
		})
	}
}

func (c clientCase) typedAt(m *machine) {
	t, folder := m.t, m.t.TempDir()
	kind := strings.Replace(c.service, "pg", "postgresql", 1)
	m.environment = append(m.environment, "TMPDIR="+folder, "SERVICE="+c.service, "SERVICE_KIND="+kind)
	out := m.types(connecting + c.then)
	for _, want := range c.wants {
		assert.Contains(t, out, want)
	}
	m.environment = append(m.environment, "SSL_CERT_FILE=ca.pem")
	assert.Equal(t, c.code, m.interrupts("kubectl aero connect "+c.waits, c.begun))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left, "certificates")
}

// interrupts types a command, and Ctrl-C after a line that it prints, until the command ends: mysql ignores it between two statements. It
// returns the exit code.
func (m *machine) interrupts(command, line string) int {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), commandTimeout)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", "exec "+command)
	shell.Dir, shell.Env, shell.SysProcAttr = m.dir, m.environment, &syscall.SysProcAttr{Setpgid: true}
	shell.Cancel = func() error { return syscall.Kill(-shell.Process.Pid, syscall.SIGKILL) }
	printed, err := shell.StdoutPipe()
	require.NoError(m.t, err)
	require.NoError(m.t, shell.Start())
	begun := false
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if !begun && strings.Contains(lines.Text(), line) {
			begun = true
			// A terminal sends it to all programs in its foreground.
			go wait.UntilWithContext(ctx, func(context.Context) { _ = syscall.Kill(-shell.Process.Pid, syscall.SIGINT) }, time.Second)
		}
	}
	_ = shell.Wait() // the caller compares the exit code
	assert.True(m.t, begun, "%s never printed %s", command, line)
	return shell.ProcessState.ExitCode()
}
