package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	administrator = `
apiVersion: v1
kind: Secret
metadata: {name: my-pg-admin}
data: {POSTGRESQL_HOST: aA==, POSTGRESQL_PORT: MQ==, POSTGRESQL_USER: YWRtaW4=, POSTGRESQL_PASSWORD: cHc=, POSTGRESQL_CA_CERT: Y2E=, POSTGRESQL_DATABASE: ZA==}
`
	readyUser = `
apiVersion: aiven.io/v1alpha1
kind: ServiceUser
metadata: {name: orders-app}
spec: {project: p, serviceName: my-pg}
status:
  binding: {name: orders-app}
  conditions: [{type: SecretReady, status: "True", reason: Published, message: Published}]
`
	userSecret = `
apiVersion: v1
kind: Secret
metadata: {name: orders-app}
data: {SERVICEUSER_HOST: aA==, SERVICEUSER_PORT: MQ==, SERVICEUSER_USERNAME: YXBw, SERVICEUSER_PASSWORD: cHc=, SERVICEUSER_CA_CERT: Y2E=}
`
)

func TestConnectStartsTheClientOfTheService(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "psql"), []byte("#!/bin/sh\necho \"$PGUSER@$PGHOST:$PGPORT/$PGDATABASE $*\"\n"), 0o700))
	t.Setenv("PATH", bin)
	s := newServer(t, postgres, database, readyUser, administrator, userSecret)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"a service":              {[]string{"postgresql", "my-pg", "--", "-c", "SELECT 1"}, "admin@h:1/d -c SELECT 1\n"},
		"KIND/NAME":              {[]string{"avnpg/my-pg"}, "admin@h:1/d \n"},
		"a service as a user":    {[]string{"postgresql", "my-pg", "--service-user", "orders-app"}, "app@h:1/defaultdb \n"},
		"a user":                 {[]string{"serviceuser", "orders-app"}, "app@h:1/defaultdb \n"},
		"a database":             {[]string{"database", "orders"}, "admin@h:1/orders \n"},
		"a database as a user":   {[]string{"database", "orders", "--service-user", "orders-app"}, "app@h:1/orders \n"},
		"a client that is named": {[]string{"serviceuser", "orders-app", "--client", "psql"}, "app@h:1/defaultdb \n"},
		"nothing, but prints": {
			[]string{"postgresql", "my-pg", "--print", "--", "-c", "SELECT 1"},
			"# with the files ca.pem in a folder of the caller, removed afterwards\n" +
				"# with the environment variables PGDATABASE, PGHOST, PGPASSWORD, PGPORT, PGSSLMODE, PGSSLROOTCERT, PGUSER\npsql -c 'SELECT 1'\n",
		},
		"nothing, and prints nothing that controls a terminal": {
			[]string{"postgresql", "my-pg", "--print", "--", "-c", "SELECT 1;\n-- \u202e\x1b[2J"},
			"# with the files ca.pem in a folder of the caller, removed afterwards\n" +
				"# with the environment variables PGDATABASE, PGHOST, PGPASSWORD, PGPORT, PGSSLMODE, PGSSLROOTCERT, PGUSER\n" +
				"psql -c 'SELECT 1;\n-- " + `\u202e\x1b[2J'` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, s.prints(t, append([]string{"connect"}, tc.args...)...))
		})
	}
}

func TestConnectNamesWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	lonely := newServer(t, readyUser, userSecret)
	forbidden := newServer(t, postgres, administrator)
	forbidden.forbidden["secrets"] = true
	for name, tc := range map[string]struct {
		server *server
		args   []string
		want   string
	}{
		"the program":           {newServer(t, postgres, administrator), []string{"avnpg/my-pg"}, "error: psql isn't installed: install the package postgresql-client"},
		"the Secret":            {newServer(t, postgres), []string{"avnpg/my-pg"}, "error: the Secret my-pg-admin of PostgreSQL/my-pg isn't published"},
		"the permission":        {forbidden, []string{"avnpg/my-pg"}, "Error from server (Forbidden): "},
		"the service":           {lonely, []string{"avnuser/orders-app"}, "error: no object of namespace default manages the service p/my-pg of ServiceUser/orders-app"},
		"a client for the kind": {newServer(t, topic), []string{"kafkatopic", "orders"}, "error: connect has no client for the kind KafkaTopic: start one yourself"},
		"a client of that name": {newServer(t, postgres), []string{"avnpg/my-pg", "--client", "bash"}, `error: unknown --client "bash": use psql, mysql`},
		"a Secret, by the spec": {newServer(t, database, postgresWithoutSecret), []string{"database/orders"}, "error: PostgreSQL/my-pg publishes no connection Secret"},
		"a Secret, until there is a token": {
			newServer(t, postgres, userWithoutToken), []string{"serviceuser/orders-app"},
			"error: the Secret orders-app of ServiceUser/orders-app isn't published: Secret default/aiven-token doesn't exist. " +
				"For the cause and the fix: kubectl aero why ServiceUser/orders-app -n default",
		},
		"a Secret, until the operator has seen the object": {
			newServer(t, postgres, user), []string{"serviceuser/orders-app"},
			"error: the Secret orders-app of ServiceUser/orders-app isn't published: the operator hasn't reconciled the object yet. For the cause",
		},
		"the object of the user": {newServer(t, postgres), []string{"avnpg/my-pg", "--service-user", "x"}, `Error from server (NotFound): serviceusers.aiven.io "x" not found`},
	} {
		t.Run(name, func(t *testing.T) {
			_, problem := tc.server.types(t, append([]string{"connect"}, tc.args...)...)
			assert.Contains(t, problem, tc.want)
		})
	}
}

const (
	topic                 = "{apiVersion: aiven.io/v1alpha1, kind: KafkaTopic, metadata: {name: orders}, spec: {project: p, serviceName: k}}"
	postgresWithoutSecret = "{apiVersion: aiven.io/v1alpha1, kind: PostgreSQL, metadata: {name: my-pg}, spec: {project: p, plan: hobbyist, connInfoSecretTargetDisabled: true}}"
	userWithoutToken      = `
apiVersion: aiven.io/v1alpha1
kind: ServiceUser
metadata: {name: orders-app}
spec: {project: p, serviceName: my-pg}
status: {conditions: [{type: Ready, status: "False", reason: AuthFailed, message: Secret default/aiven-token doesn't exist}]}
`
)

func TestConnectEndsAsItsClientDoes(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("KUBECONFIG", "/dev/null")
	s := newServer(t, postgres, administrator)
	for script, code := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -TERM $$": 143, "kill -KILL $$": 137} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, "psql"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		args := []string{"kubectl-aero", "--server", s.URL, "--cache-dir", t.TempDir(), "connect", "avnpg/my-pg"}
		assert.Equal(t, code, Main(t.Context(), args, "v1"), script)
	}
}
