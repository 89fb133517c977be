package conformance_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// Names in the examples.
const (
	serviceName  = "my-pg"
	databaseName = "orders"
	userName     = "orders-app"
	poolName     = "orders-pool"

	kafkaName   = "my-kafka"
	topicName   = "orders"
	subjectName = "orders-value"
	aclPath     = userName + "/" + topicName + "/readwrite"
	vpcPath     = "google-europe-west1/10.0.0.0/24"
)

// parent is a service that things live in.
type parent struct {
	kind, example, name, serviceType, plan string
}

var (
	inPostgres     = &parent{"PostgreSQL", "postgresql", serviceName, "pg", "startup-4"}
	inKafka        = &parent{"Kafka", "kafka", kafkaName, "kafka", "business-4"}
	inClickhouse   = &parent{"Clickhouse", "clickhouse", "my-clickhouse", "clickhouse", "startup-16"}
	inKafkaConnect = &parent{"KafkaConnect", "kafkaconnect", "my-kafkaconnect", "kafka_connect", "startup-4"}
	inOpenSearch   = &parent{"OpenSearch", "opensearch", "my-opensearch", "opensearch", "startup-4"}
)

// kind is everything that the conformance cases need to know about a kind.
type kind struct {
	name    string
	example string         // file in docs/examples
	phase   v1alpha1.Phase // that it ends in
	// resource and path say what it is at the local Aiven: its type, and its id behind the project and before a #. The path of a
	// project is its name. A second project in a path is {project}.
	resource, path string
	// create and update are the one operation that each takes. Where Aiven can't change a resource, an update makes another one in its
	// place, which has the path changed, and then is the operation that removes the former.
	create, update, then, changed string
	// once is set where Aiven returns credentials once: where they are lost, an update issues others.
	once bool
	// overlaps is set where several objects may be about the same.
	overlaps bool
	// in is the service that it lives in, which is made before the object is; nil for what lives in none.
	in *parent
	// condition shows the state of that service; empty for ServiceReady.
	condition string
	// inside makes what else has to be in the service; nil if nothing.
	inside func(*testenv.Env)
	// change edits the spec in a way that takes one update; nil for kinds whose specs can't be changed.
	change func(*testenv.Env, testenv.Object)
	// drift makes a difference at the console to the changed object; repaired reports whether it is gone again. They are nil
	// where no difference shows.
	drift    func(*testenv.Env)
	repaired func(*testenv.Env) bool
	// remove removes the resource at the console.
	remove func(*testenv.Env) error
	// engine runs what the Secret leads to, and login goes there; both are nil where Aiven shows the password.
	engine engine.Engine
	login  func(*testenv.Env, *corev1.Secret) error
	// keys get the prefix in the Secret, legacy don't; none for kinds without a Secret.
	prefix       string
	keys, legacy []string
	// optional are keys that other objects than the example have.
	optional []string
}

// reissued are the writes after some, if they returned credentials once and these were lost.
func (k kind) reissued(writes ...string) []string {
	if k.once {
		return append(writes, k.update)
	}
	return writes
}

// updates are the writes of a changed spec.
func (k kind) updates() []string {
	if k.isReplaced() {
		return []string{k.update, k.then}
	}
	return []string{k.update}
}

// isReplaced reports whether a changed spec asks for another resource. The console can't change the one that is there, either: it has no drift.
func (k kind) isReplaced() bool { return k.then != "" }

// publishes reports whether the kind has a Secret.
func (k kind) publishes() bool { return len(k.keys) > 0 }

// project is the one that the resource is, or lives in.
func (k kind) project(e *testenv.Env) string {
	if isProject(k) {
		return k.path
	}
	return e.Project
}

// serviceReady is the type of the condition that shows the state of the service.
func (k kind) serviceReady() string { return cmp.Or(k.condition, "ServiceReady") }

// needs are the kinds whose controllers run in a case: its own, and that of the service it lives in.
func (k kind) needs() []string {
	name, _, _ := strings.Cut(k.name, " ") // "ServiceUser with a password" is a ServiceUser
	if k.in == nil {
		return []string{name}
	}
	return []string{name, k.in.kind}
}

var libpq = []string{"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSSLMODE", "DATABASE_URI"}

// allKinds are those of all products. Each product has a file with its own.
var allKinds = slices.Concat(
	accountKinds,
	clickhouseKinds,
	flinkKinds,
	grafanaKinds,
	integrationKinds,
	kafkaKinds,
	kafkaconnectKinds,
	mysqlKinds,
	opensearchKinds,
	postgresKinds,
	sharedKinds,
	valkeyKinds,
)

func TestEveryKindHasCases(t *testing.T) {
	var covered []string
	for _, k := range allKinds {
		covered = append(covered, k.name)
	}
	require.ElementsMatch(t, testenv.KindNames(), covered, "add the new kind to allKinds")
}

// mainService is the service of most cases, as the console shows it.
func mainService(e *testenv.Env) *service.ServiceGetOut { return serviceAt(e, serviceName) }

func serviceAt(e *testenv.Env, name string) *service.ServiceGetOut {
	found, err := e.Aiven.Console.ServiceGet(e.T.Context(), e.Project, name, service.ServiceGetIncludeSecrets(true))
	require.NoError(e.T, err)
	return found
}

// makeService makes a service at the console, and returns once it runs.
func makeService(e *testenv.Env, p *parent) {
	_, err := e.Aiven.Console.ServiceCreate(e.T.Context(), e.Project,
		&service.ServiceCreateIn{ServiceName: p.name, ServiceType: p.serviceType, Plan: p.plan})
	require.NoError(e.T, err)
	e.Until(func() bool {
		found, err := e.Aiven.Console.ServiceGet(e.T.Context(), e.Project, p.name)
		return err == nil && found.State == service.ServiceStateTypeRunning
	}, func() string { return p.name + " doesn't run" })
}

func changeWindow(e *testenv.Env, name string) {
	require.NoError(e.T, e.Aiven.Patch(e.Project, name, map[string]any{
		"maintenance": map[string]any{"dow": "tuesday", "time": "11:00:00"},
	}))
}

// removeVPC removes the only VPC, and returns once it is gone: until then it counts as being there.
func removeVPC(e *testenv.Env) error {
	listed, err := e.Aiven.Console.VpcList(e.T.Context(), e.Project)
	require.NoError(e.T, err)
	require.Len(e.T, listed, 1)
	id := listed[0].ProjectVpcId
	if _, err := e.Aiven.Console.VpcDelete(e.T.Context(), e.Project, id); err != nil {
		return err
	}
	e.Until(func() bool {
		_, err := e.Aiven.Console.VpcGet(e.T.Context(), e.Project, id)
		return err != nil
	}, func() string { return "the VPC is still there" })
	return nil
}
