package conformance_test

import (
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// Names in the examples.
const (
	serviceName  = "my-pg"
	databaseName = "orders"
	userName     = "orders-app"
	poolName     = "orders-pool"

	kafkaName = "my-kafka"
	topicName = "orders"
	aclPath   = userName + "/" + topicName + "/readwrite"
	vpcPath   = "google-europe-west1/10.0.0.0/24"
)

// parent is a service that things live in.
type parent struct {
	kind, example, name, serviceType, plan string
}

var (
	inPostgres = &parent{"PostgreSQL", "postgresql", serviceName, "pg", "startup-4"}
	inKafka    = &parent{"Kafka", "kafka", kafkaName, "kafka", "business-4"}
)

// kind is everything that the conformance cases need to know about a kind.
type kind struct {
	name    string
	example string         // file in docs/examples
	phase   v1alpha1.Phase // that it ends in
	// resource and path say what it is at the local Aiven: its type, and its id behind the project and before a #.
	resource, path string
	// create and update are the one operation that each takes.
	create, update string
	// in is the service that it lives in, which is made before the object is; nil for what lives in none.
	in *parent
	// inside makes what else has to be in the service; nil if nothing.
	inside func(*testenv.Env)
	// change edits the spec in a way that takes one update; nil for kinds whose specs can't be changed like that.
	change func(*testenv.Env, testenv.Object)
	// drift makes a difference at the console to the changed object; repaired reports whether it is gone again.
	drift    func(*testenv.Env)
	repaired func(*testenv.Env) bool
	// remove removes the resource at the console.
	remove func(*testenv.Env) error
	// keys get the prefix in the Secret, legacy don't; none for kinds without a Secret.
	prefix       string
	keys, legacy []string
}

// publishes reports whether the kind has a Secret.
func (k kind) publishes() bool { return len(k.keys) > 0 }

// needs are the kinds whose controllers run in a case: its own, and that of the service it lives in.
func (k kind) needs() []string {
	name, _, _ := strings.Cut(k.name, " ") // "ServiceUser with a password" is a ServiceUser
	if k.in == nil {
		return []string{name}
	}
	return []string{name, k.in.kind}
}

var libpq = []string{"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSSLMODE", "DATABASE_URI"}

// allKinds is the one place to add a kind.
var allKinds = []kind{
	{
		name: "ConnectionPool", example: "connectionpool", phase: v1alpha1.PhaseReady,
		resource: "connection_pool", path: serviceName + "/" + poolName,
		create: "ServicePGBouncerCreate", update: "ServicePGBouncerUpdate",
		in: inPostgres, inside: func(e *testenv.Env) { makeDatabase(e); makeUser(e) },
		change: func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.ConnectionPool).Spec.PoolSize = 21 },
		drift: func(e *testenv.Env) {
			size := 5
			require.NoError(e.T, e.Aiven.Console.ServicePGBouncerUpdate(e.T.Context(), e.Project, serviceName, poolName,
				&postgresql.ServicePGBouncerUpdateIn{PoolSize: &size}))
		},
		repaired: func(e *testenv.Env) bool { return mainService(e).ConnectionPools[0].PoolSize == 21 },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServicePGBouncerDelete(e.T.Context(), e.Project, serviceName, poolName)
		},
		prefix: "CONNECTIONPOOL_", legacy: libpq,
		keys: []string{"NAME", "HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSLMODE", "DATABASE_URI", "CA_CERT"},
	},
	{
		name: "Database", example: "database", phase: v1alpha1.PhaseReady,
		resource: "database", path: serviceName + "/" + databaseName,
		create: "ServiceDatabaseCreate", in: inPostgres,
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDatabaseDelete(e.T.Context(), e.Project, serviceName, databaseName)
		},
	},
	{
		name: "Kafka", example: "kafka", phase: v1alpha1.PhaseRunning,
		resource: "service", path: kafkaName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.Kafka).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, kafkaName) },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, kafkaName).Maintenance.Time == "04:30:00" },
		remove:   func(e *testenv.Env) error { return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, kafkaName) },
		prefix:   "KAFKA_", legacy: []string{"HOST", "PORT", "USERNAME", "PASSWORD", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"},
		keys: []string{
			"HOST", "PORT", "USERNAME", "PASSWORD", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT", "REST_URI", "SCHEMA_REGISTRY_URI",
			"SASL_HOST", "SASL_PORT", "SCHEMA_REGISTRY_HOST", "SCHEMA_REGISTRY_PORT",
		},
	},
	{
		// Aiven can't change a rule, so a changed spec takes two writes.
		name: "KafkaACL", example: "kafkaacl", phase: v1alpha1.PhaseReady,
		resource: "kafka_acl", path: kafkaName + "/" + aclPath,
		create: "ServiceKafkaAclAdd", in: inKafka,
		remove: func(e *testenv.Env) error { return removeRule(e, "readwrite") },
	},
	{
		name: "KafkaTopic", example: "kafkatopic", phase: v1alpha1.PhaseReady,
		resource: "kafka_topic", path: kafkaName + "/" + topicName,
		create: "ServiceKafkaTopicCreate", update: "ServiceKafkaTopicUpdate", in: inKafka,
		change: func(_ *testenv.Env, obj testenv.Object) {
			*obj.(*v1alpha1.KafkaTopic).Spec.Config.RetentionMs = 86_400_000
		},
		drift:    func(e *testenv.Env) { setRetention(e, 3_600_000) },
		repaired: func(e *testenv.Env) bool { return topicAtAiven(e).Config.RetentionMs.Value == 86_400_000 },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceKafkaTopicDelete(e.T.Context(), e.Project, kafkaName, topicName)
		},
	},
	{
		name: "PostgreSQL", example: "postgresql", phase: v1alpha1.PhaseRunning,
		resource: "service", path: serviceName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.PostgreSQL).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, serviceName) },
		repaired: func(e *testenv.Env) bool { return mainService(e).Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, serviceName)
		},
		prefix: "POSTGRESQL_", legacy: libpq,
		keys: []string{"HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSLMODE", "DATABASE_URI", "CA_CERT"},
	},
	{
		name: "ProjectVPC", example: "projectvpc", phase: v1alpha1.PhaseReady,
		resource: "project_vpc", path: vpcPath,
		create: "VpcCreate", remove: removeVPC,
	},
	{
		name: "ServiceUser", example: "serviceuser", phase: v1alpha1.PhaseReady,
		resource: "user", path: serviceName + "/" + userName,
		create: "ServiceUserCreate", update: "ServiceUserCredentialsModify", in: inPostgres,
		change: func(e *testenv.Env, obj testenv.Object) {
			e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
			obj.(*v1alpha1.ServiceUser).Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{
				Name: sourceSecret, PasswordKey: sourceKey,
			}
		},
		drift:    func(e *testenv.Env) { setPassword(e, "changed-at-the-console") },
		repaired: func(e *testenv.Env) bool { return passwordOf(e, userName) == declaredPassword },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceUserDelete(e.T.Context(), e.Project, serviceName, userName)
		},
		prefix: "SERVICEUSER_",
		keys:   []string{"HOST", "PORT", "USERNAME", "PASSWORD", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"},
	},
}

// The Secret with a declared password.
const (
	sourceSecret     = "orders-app-password"
	sourceKey        = "password"
	declaredPassword = "declared-by-the-user"
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

func makeDatabase(e *testenv.Env) {
	require.NoError(e.T, e.Aiven.Console.ServiceDatabaseCreate(e.T.Context(), e.Project, serviceName,
		&service.ServiceDatabaseCreateIn{Database: databaseName}))
}

func makeUser(e *testenv.Env) {
	_, err := e.Aiven.Console.ServiceUserCreate(e.T.Context(), e.Project, serviceName,
		&service.ServiceUserCreateIn{Username: userName})
	require.NoError(e.T, err)
}

func setPassword(e *testenv.Env, password string) {
	e.Plant(password)
	require.NoError(e.T, e.Aiven.Patch(e.Project, serviceName, map[string]any{
		"users": []any{map[string]any{"username": userName, "password": password}},
	}))
}

func passwordOf(e *testenv.Env, name string) string {
	for _, user := range mainService(e).Users {
		if user.Username == name {
			return user.Password
		}
	}
	return ""
}

func topicAtAiven(e *testenv.Env) *kafkatopic.ServiceKafkaTopicGetOut {
	found, err := e.Aiven.Console.ServiceKafkaTopicGet(e.T.Context(), e.Project, kafkaName, topicName)
	require.NoError(e.T, err)
	return found
}

func setRetention(e *testenv.Env, ms int) {
	require.NoError(e.T, e.Aiven.Console.ServiceKafkaTopicUpdate(e.T.Context(), e.Project, kafkaName, topicName,
		&kafkatopic.ServiceKafkaTopicUpdateIn{Config: &kafkatopic.ConfigIn{RetentionMs: &ms}}))
}

// removeRule removes the rule of the example, by what it permits.
func removeRule(e *testenv.Env, permission string) error {
	listed, err := e.Aiven.Console.ServiceKafkaAclList(e.T.Context(), e.Project, kafkaName)
	require.NoError(e.T, err)
	for _, rule := range listed {
		if rule.Username == userName && rule.Topic == topicName && string(rule.Permission) == permission {
			_, err = e.Aiven.Console.ServiceKafkaAclDelete(e.T.Context(), e.Project, kafkaName, *rule.Id)
		}
	}
	return err
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
