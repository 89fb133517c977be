package main

import (
	"fmt"
	"path"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// family is a set of services with what lives in them, which is applied at once on a control plane of its own.
type family struct {
	name  string
	parts []part
	// budgets are for the whole size.
	budgets map[quantity]budget
}

// part is a number of objects of one kind.
type part struct {
	example string
	objects int
	service bool // it is a service: one for each of objects, also where the family is measured at a part of its size
	// change makes the i-th differ from the example by more than its names.
	change func(f *family, o object, i int)
	// writes and reads are the calls that one creation can't do without.
	writes, reads int
	// polled is the call that each object takes at each poll: nothing that they share shows what it does. Empty for none.
	polled string
}

// serviceReads are for a service: a read that finds nothing, some while Aiven builds, and the certificate.
const serviceReads = 5

// What one Kafka service has, one ClickHouse service, and several services together.
var families = []family{
	{
		name: "kafka",
		parts: []part{
			{example: "kafka", objects: 1, service: true, writes: 1, reads: serviceReads},
			// Only a 404 of its own proves that a topic is absent.
			{example: "kafkatopic", objects: 2000, writes: 1, reads: 1},
			// The level and the schema are written, and the answer to the latter leaves out the version.
			{example: "kafkaschema", objects: 500, change: chainSchema, writes: 2, reads: 1, polled: "ServiceSchemaRegistrySubjectVersionGet"},
			{example: "kafkanativeacl", objects: 500, writes: 1},
			{example: "kafkaquota", objects: 500, writes: 1},
		},
		budgets: usualBudgets,
	},
	{
		name: "clickhouse",
		parts: []part{
			{example: "clickhouse", objects: 1, service: true, writes: 1, reads: serviceReads},
			{example: "clickhouseuser", objects: 500, writes: 1},
			{example: "clickhouserole", objects: 200, writes: 1},
			{example: "clickhousegrant", objects: 500, change: grantOne, writes: 2},
		},
		budgets: usualBudgets,
	},
	{
		name: "integrations",
		parts: []part{
			{example: "postgresql", objects: 20, service: true, writes: 1, reads: serviceReads},
			// No two integrations have the same ends: there is room for new ones.
			{example: "kafka", objects: 13, service: true, writes: 1, reads: serviceReads},
			{example: "serviceintegration", objects: 200, change: connectOne, writes: 1},
		},
		budgets: usualBudgets,
	},
	{
		name: "connectors",
		parts: []part{
			{example: "kafka", objects: 1, service: true, writes: 1, reads: serviceReads},
			// A new connector has no state until Kafka Connect has started it.
			{example: "kafkaconnector", objects: 200, writes: 1, reads: 1, polled: "ServiceKafkaConnectGetConnectorStatus"},
		},
		budgets: usualBudgets,
	},
	{
		// What they publish, the reconciles of the users hand over: only these take calls.
		name: "connection-secrets",
		parts: []part{
			{example: "postgresql", objects: 1, service: true, writes: 1, reads: serviceReads},
			{example: "serviceuser", objects: 100, writes: 1},
			{example: connectionSecret, objects: 1000, change: publishOne},
		},
		// The seven polls of the service are more than 5 % of so few calls.
		budgets: map[quantity]budget{
			restExtra: {limit: 3}, restWrites: {limit: 0}, pickupLate: {limit: 1},
			"Kubernetes writes for a new connectionsecret": {limit: 2},
		},
	},
	{
		// A read of a service returns the certificates of its users, if they have some.
		name: "kafka-users",
		parts: []part{
			{example: "postgresql", objects: 1, service: true, writes: 1, reads: serviceReads},
			{example: "kafka", objects: 1, service: true, writes: 1, reads: serviceReads},
			{example: "serviceuser", objects: 4000, change: takeTurns, writes: 1},
		},
		budgets: map[quantity]budget{
			extraCalls: {limit: 5}, restExtra: {limit: 3}, restWrites: {limit: 0}, pickupLate: {limit: 1},
			certificatesMissing: {limit: 0},
			// What two services take while they are built differs by a few.
			certificateCalls: {limit: 10},
		},
	},
	{
		name: "all-kinds",
		parts: []part{
			{example: "postgresql", objects: 20, service: true, writes: 1, reads: serviceReads},
			{example: "kafka", objects: 11, service: true, writes: 1, reads: serviceReads},
			{example: "clickhouse", objects: 2, service: true, writes: 1, reads: serviceReads},
			{example: "mysql", objects: 2, service: true, writes: 1, reads: serviceReads},
			{example: "valkey", objects: 2, service: true, writes: 1, reads: serviceReads},
			{example: "grafana", objects: 2, service: true, writes: 1, reads: serviceReads},
			{example: "flink", objects: 2, service: true, writes: 1, reads: serviceReads},
			{example: "kafkaconnect", objects: 2, service: true, writes: 1, reads: serviceReads},
			{example: "opensearch", objects: 10, service: true, writes: 1, reads: serviceReads},
			{example: "opensearchaclconfig", objects: 10, writes: 1, reads: 1, polled: "ServiceOpenSearchAclGet"},
			{example: "database", objects: 1000, writes: 1},
			{example: "serviceuser", objects: 1000, writes: 1},
			{example: "connectionpool", objects: 500, writes: 1},
			{example: "kafkatopic", objects: 2500, writes: 1, reads: 1},
			{example: "kafkaacl", objects: 536, writes: 1},
			{example: "kafkaschema", objects: 800, change: chainSchema, writes: 2, reads: 1, polled: "ServiceSchemaRegistrySubjectVersionGet"},
			{example: "kafkanativeacl", objects: 800, writes: 1},
			{example: "kafkaquota", objects: 500, writes: 1},
			{example: "kafkaschemaregistryacl", objects: 500, writes: 1},
			{example: "kafkaconnector", objects: 200, writes: 1, reads: 1, polled: "ServiceKafkaConnectGetConnectorStatus"},
			{example: "clickhousedatabase", objects: 100, writes: 1},
			{example: "clickhouseuser", objects: 400, writes: 1},
			{example: "clickhouserole", objects: 200, writes: 1},
			{example: "clickhousegrant", objects: 400, change: grantOne, writes: 2},
			{example: "serviceintegration", objects: 200, change: connectOne, writes: 1},
			// Only a read of its own shows its credentials.
			{example: "serviceintegrationendpoint", objects: 200, writes: 1, reads: 1, polled: "ServiceIntegrationEndpointGet"},
			{example: "project", objects: 50, writes: 1, reads: 1},
			{example: "organizationproject", objects: 40, change: nameProject, writes: 1, reads: 1},
			{example: "projectvpc", objects: 1, writes: 1},
			{example: "upgradepipelinestep", objects: 10, change: stepOne, writes: 1},
		},
		budgets: map[quantity]budget{memoryAnon: {limit: 300}},
	},
}

// usualBudgets are those of a family at any size.
var usualBudgets = map[quantity]budget{
	extraCalls: {limit: 5},
	restExtra:  {limit: 3},
	restWrites: {limit: 0},
	pickupLate: {limit: 1},
}

// connectionSecret is the example of a ConnectionSecret.
const connectionSecret = "aero-operator.io/connectionsecret"

// nameOf is the name of the i-th object of an example in a family.
func (f *family) nameOf(example string, i int) string {
	return fmt.Sprintf("%s%04d", f.prefixOf(example), i)
}

// prefixOf is how the names of all objects of an example begin.
func (f *family) prefixOf(example string) string { return f.name + "-" + path.Base(example) + "-" }

// serviceOf is the service that the i-th object of an example lives in: those of its type have about as many each.
func (f *family) serviceOf(example string, i int) string {
	home, needs := homes[example]
	if !needs {
		return ""
	}
	return f.nameOf(home, i%f.count(home))
}

// count is how many objects of an example there are at the whole size.
func (f *family) count(example string) int {
	for _, p := range f.parts {
		if p.example == example {
			return p.objects
		}
	}
	return 1
}

// homes are the services that examples live in.
var homes = map[string]string{
	"kafkatopic": "kafka", "kafkaacl": "kafka", "kafkaschema": "kafka", "kafkanativeacl": "kafka", "kafkaquota": "kafka",
	"kafkaschemaregistryacl": "kafka", "kafkaconnector": "kafka",
	"clickhousedatabase": "clickhouse", "clickhouseuser": "clickhouse", "clickhouserole": "clickhouse", "clickhousegrant": "clickhouse",
	"database": "postgresql", "serviceuser": "postgresql", "connectionpool": "postgresql",
	"opensearchaclconfig": "opensearch",
}

// chained is how many schemas refer to each other.
const chained = 10

// chainSchema makes nine of ten schemas refer to the one before, in the same service.
func chainSchema(f *family, o object, i int) {
	spec, home := &o.(*v1alpha1.KafkaSchema).Spec, f.count("kafka")
	file := func(i int) string { return fmt.Sprintf("order-%d.json", i) }
	spec.CompatibilityLevel, spec.SchemaType = "BACKWARD", "JSON"
	spec.Schema = fmt.Sprintf(`{"title": "order %d", "type": "object", "properties": {"id": {"type": "string"}}}`, i)
	if i/home%chained == 0 {
		return
	}
	spec.Schema = fmt.Sprintf(`{"title": "order %d", "type": "object", "properties": {"before": {"$ref": %q}}}`, i, file(i-home))
	spec.References = []v1alpha1.KafkaSchemaReference{{
		Name: file(i - home), KafkaSchemaRef: &v1alpha1.KafkaSchemaRef{Name: f.nameOf("kafkaschema", i-home)},
	}}
}

// grantOne grants two privileges and a role to a user of its own.
func grantOne(f *family, o object, i int) {
	spec, home := &o.(*v1alpha1.ClickhouseGrant).Spec, f.count("clickhouse")
	to := []v1alpha1.ClickhouseGrantee{{User: f.nameOf("clickhouseuser", i)}}
	role := i % f.count("clickhouserole")
	role += i%home - role%home // a role of the same service
	spec.PrivilegeGrants = []v1alpha1.ClickhousePrivilegeGrant{{Grantees: to, Privileges: []string{"SELECT", "INSERT"}, Database: "default"}}
	spec.RoleGrants = []v1alpha1.ClickhouseRoleGrant{{Grantees: to, Roles: []string{f.nameOf("clickhouserole", role)}}}
}

// connectOne sends the logs of each PostgreSQL to each Kafka.
func connectOne(f *family, o object, i int) {
	spec, sources := &o.(*v1alpha1.ServiceIntegration).Spec, f.count("postgresql")
	spec.SourceServiceName = f.nameOf("postgresql", i%sources)
	spec.DestinationServiceName = f.nameOf("kafka", i/sources%f.count("kafka"))
}

func nameProject(_ *family, o object, _ int) {
	o.(*v1alpha1.OrganizationProject).Spec.ProjectID = o.GetName()
}

// publishOne publishes the login of each user in as many Secrets.
func publishOne(f *family, o object, i int) {
	spec := &o.(*aero.ConnectionSecret).Spec
	spec.SourceRef.Name, spec.DatabaseRef = f.nameOf("serviceuser", i%f.count("serviceuser")), nil
}

// stepOne upgrades one PostgreSQL after another.
func stepOne(f *family, o object, i int) {
	spec := &o.(*v1alpha1.UpgradePipelineStep).Spec
	spec.SourceServiceName, spec.DestinationServiceName = f.nameOf("postgresql", 2*i), f.nameOf("postgresql", 2*i+1)
	spec.DestinationProjectName = spec.SourceProjectName
}
