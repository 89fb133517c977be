package docs

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	recoveryPage = "disaster-recovery.md"

	// livingObjects are those of all examples, with a project that didn't exist and a service that one of them leads to.
	livingObjects = installed + `
cp -R docs/examples manifests
sed 's/name: orders-app$/name: orders-app-2/' docs/examples/serviceuser.yaml > manifests/serviceuser-2.yaml
sed 's/my-project/my-production/' docs/examples/postgresql.yaml > manifests/production.yaml
sed -i 's/name: my-pg$/name: production/; s/name: my-pg-admin/name: production-admin/' manifests/production.yaml
sed -i 's/name: my-project$/name: another-project/' manifests/project.yaml
sed -i 's/destinationServiceName: my-pg/destinationServiceName: production/' manifests/upgradepipelinestep.yaml
kubectl create namespace shop
kubectl -n shop create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
kubectl -n shop apply --recursive --filename manifests
kubectl -n shop wait --for=condition=Ready --timeout=2m aiven --all
`
	// secretData prints the connection Secrets: their names and data.
	secretData = `
kubectl -n shop get secret --selector=app.kubernetes.io/managed-by=aero --output jsonpath='{range .items[*]}{.metadata.name}{" "}{.data}{"\n"}{end}'
`
)

// meanwhile a service is enlarged at Aiven, and a database is deleted.
const meanwhile = `
at() { curl --silent --fail --output /dev/null --header "Authorization: aivenv1 $AIVEN_TOKEN" "$@"; }
at --request PUT --data '{"plan": "startup-8"}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg"
at --request DELETE "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/db/orders"
`

// TestAClusterThatIsLostIsMadeAgainWithoutAWriteAtAiven types the page in a first cluster and, once that is lost, in a second one.
func TestAClusterThatIsLostIsMadeAgainWithoutAWriteAtAiven(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.withAccount()
	lose := m.newCluster()
	page := partsOf(t, recoveryPage)
	m.types(livingObjects)
	before, mark := m.published(), m.journaled()
	const password = "my-user-connection" // of a ClickhouseUser
	require.Contains(t, before, password)
	copies := m.types(page.take("Prepare while the cluster is well"))
	for _, secret := range []string{"shop aiven-token", "shop " + password} {
		assert.Equal(t, 1, strings.Count(copies, secret+"\n"), copies)
	}

	m.types(page.take("A cluster from a backup") + page.take("1 Stop the old cluster"))
	assert.Empty(t, m.writes(mark))
	assert.Equal(t, before, m.published())
	lose()
	m.types(meanwhile)

	m.newCluster()
	mark = m.journaled()
	m.types(page.take("2 Install aero") + page.take("3 Namespaces and Secrets"))
	annotated, list, _ := strings.Cut(page.take("4 Apply the manifests"), "kubectl -n shop get aiven")
	unready := m.types(annotated + "list() { kubectl -n shop get aiven" + list + "}\nuntil test $(list | wc -l) = 3; do sleep 1; done\nlist")
	for _, object := range []string{
		"ClickhouseUser my-user: Progressing: The credentials aren't in the Secret, and Aiven returns them only when they are set",
		"Database orders: NothingToAdopt: Does not exist at Aiven", `ConnectionPool orders-pool: Progressing: spec.databaseName: service my-project/my-pg has no database "orders"`,
	} {
		assert.Contains(t, unready, "not ready: "+object)
	}
	drift := m.types(page.take("5 Review the drift"))
	assert.Contains(t, drift, "PostgreSQL my-pg\n  spec.plan: the spec says startup-4, Aiven has startup-8\n")
	assert.Equal(t, 1, strings.Count(drift, "Aiven has startup"), drift)
	assert.Empty(t, m.writes(mark))
	kept := maps.Clone(before)
	delete(kept, password)
	assert.Equal(t, kept, m.published())

	m.environment = append(m.environment, "PASSWORD="+string(before[password]["PASSWORD"]))
	m.types(page.take("What is missing at Aiven") + page.take("Passwords that Aiven doesn't return") + page.take("6 Let aero correct and delete again"))
	require.Eventually(t, func() bool { return slices.Contains(m.writes(mark), "ServiceUpdate") }, commandTimeout, time.Second)
	assert.ElementsMatch(t, []string{"ServiceDatabaseCreate", "ServiceUpdate", "ServiceClickHousePasswordReset"}, m.writes(mark))
	assert.Equal(t, before, m.published())
	m.types("kubectl -n shop wait --for=condition=Ready --timeout=1m aiven --all\n" +
		`test -z "$(kubectl get namespace/shop aiven --all-namespaces --output yaml | grep -E '(adoption|deletion|drift)-policy')"`)
	assert.Empty(t, page, "no test types these parts")
}

// parts are the commands of a page, by their headings.
type parts map[string]string

// take returns the commands of a part, each of which is taken once.
func (p parts) take(heading string) string {
	commands := p[heading]
	delete(p, heading)
	return commands
}

// partsOf are the commands of each part of a page.
func partsOf(t *testing.T, page string) parts {
	t.Helper()
	all := parts{}
	for _, c := range commandsOf(t, filepath.Join(root, pagesFolder, page)) {
		all[c.heading] += c.text
	}
	return all
}

// published is the data of each connection Secret, by its name.
func (m *machine) published() map[string]map[string][]byte {
	m.t.Helper()
	all := map[string]map[string][]byte{}
	for line := range strings.Lines(m.types(secretData)) {
		name, values, found := strings.Cut(line, " {")
		if data := map[string][]byte{}; found && !strings.HasPrefix(name, "+") {
			require.NoError(m.t, json.Unmarshal([]byte("{"+values), &data))
			all[name] = data
		}
	}
	return all
}

// journaled is the end of the journal of Aiven.
func (m *machine) journaled() int64 {
	journal := m.aiven.Journal(0)
	return journal[len(journal)-1].Seq
}

// writes are the operations that have changed something at Aiven since.
func (m *machine) writes(since int64) []string {
	var operations []string
	for _, call := range m.aiven.Journal(since) {
		if localaiven.Changes(call.Method, call.Path, call.Body) {
			operations = append(operations, call.Operation)
		}
	}
	return operations
}
