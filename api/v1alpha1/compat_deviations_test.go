package v1alpha1_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// deviations are the differences in the spec that are meant: by kind and field path, then by what the comparer names them, each with
// its reason. A name is the text of a CEL rule, "without " and the text of one that is lost, "required " and the name of a field, or
// the text of another finding. The fields of a type that several kinds embed have no kind.
var deviations = map[string]map[string]string{
	".spec.cloudName": {`self != '.' && self != '..'`: dots},
	".spec.plan": {
		`self != '.' && self != '..'`:             dots,
		`minLength is 1, aiven-operator has none`: "a service has a plan: the list price of an empty one has another path",
	},
	".spec.serviceIntegrations[].sourceServiceName": {`self != '.' && self != '..'`: dots},
	"ClickhouseDatabase.spec": {
		`has(oldSelf.databaseName) == has(self.databaseName)`:          "databaseName can't be added, either: the database of the former name would be left behind",
		`without !has(oldSelf.databaseName) || has(self.databaseName)`: "a part of the rule that also refuses to add it",
	},
	"ClickhouseDatabase.spec.databaseName": {`self != '.' && self != '..'`: dots},
	"ClickhouseGrant.spec.privilegeGrants[]": {
		`self.database != '*' || !has(self.table) || self.table in ["", '*']`: "ClickHouse has no table of all databases. " + listOfGrants,
		`!(self.database in ['information_schema', 'INFORMATION_SCHEMA'])`:    "Aiven lets no user change them. " + listOfGrants,
	},
	"ClickhouseGrant.spec.privilegeGrants[].grantees[]": {oneGrantee: neitherOrBoth},
	"ClickhouseGrant.spec.roleGrants[].grantees[]":      {oneGrantee: neitherOrBoth},
	"ClickhouseGrant.spec.privilegeGrants[].privileges[]": {
		"pattern is ^\\s*[A-Za-z][A-Za-z0-9 ]*\\s*(\\([^()]*\\))?\\s*$, aiven-operator has none": "ClickHouse has no such privilege. " + listOfGrants,
	},
	"ClickhouseRole.spec.role": {`minLength is 1, aiven-operator has none`: "ClickHouse has no role without a name: an empty one was never created"},
	"ClickhouseUser.spec":      {`has(oldSelf.username) == has(self.username)`: "the user of the former name would be left behind"},
	"KafkaConnector.spec.userConfig": {
		"maxProperties is 1000, aiven-operator has none": "each value is a template that the operator executes, and every message is searched for each password among them. " +
			"Ratcheting lets a longer config stay while other fields are edited: it is InvalidSpec, and nothing of it is sent",
	},
	"KafkaQuota.spec": {
		`has(oldSelf.user) == has(self.user)`:         "as databaseName of Database: the former quota would stay in force",
		`has(oldSelf.clientId) == has(self.clientId)`: "as databaseName of Database: the former quota would stay in force",
	},
	"KafkaSchema.spec": {
		`!has(self.references) || size(self.references) == 0 || has(self.schemaType) && self.schemaType in ['PROTOBUF', 'JSON']`: "refuses what aiven-operator's refuses: without the guard, a spec without schemaType is refused with an error of CEL instead of the message",
		`has(oldSelf.schemaType) == has(self.schemaType)`:                                                                        "as databaseName of Database: the subject has schemas of one type",
		`without !has(self.references) || size(self.references) == 0 || self.schemaType in ['PROTOBUF', 'JSON']`:                 "replaced by the same rule with a guard",
	},
	"KafkaSchema.spec.references[].subject": {`self != '.' && self != '..'`: dots},
	"KafkaSchema.spec.subjectName": {
		`minLength is 1, aiven-operator has none`: "a subject has a name: of an empty one, the path of the URL is another",
		`self != '.' && self != '..'`:             dots,
	},
	"KafkaTopic.spec":                         {`has(oldSelf.topicName) == has(self.topicName)`: "as databaseName of Database: the topic of the former name would be left behind"},
	"KafkaTopic.spec.topicName":               {`self != '.' && self != '..'`: dots},
	"OrganizationProject.spec.organizationId": {`self != '.' && self != '..'`: dots},
	"OrganizationProject.spec.parentId":       {`self != '.' && self != '..'`: dots},
	"Project.spec":                            {`has(oldSelf.copyFromProject) || !has(self.copyFromProject)`: "the field did nothing, and no status can say so: Aiven doesn't return what a project is a copy of"},
	"ServiceIntegration.spec": {
		`(has(self.sourceServiceName) && self.sourceServiceName != "") || (has(self.destinationServiceName) && self.destinationServiceName != "")`:                                              "integrations are listed by service: one without a service could not be found again",
		`!(has(self.sourceServiceName) && self.sourceServiceName != "" && has(self.sourceEndpointID) && self.sourceEndpointID != "")`:                                                           "a source is a service or an endpoint: Aiven has one of them for an integration",
		`!(has(self.destinationServiceName) && self.destinationServiceName != "" && (has(self.destinationEndpointRef) || has(self.destinationEndpointId) && self.destinationEndpointId != ""))`: "a destination is a service or an endpoint, named once: Aiven has one of them for an integration",
		`!has(self.sourceServiceName) || self.sourceServiceName == "" || !has(self.destinationServiceName) || self.sourceServiceName != self.destinationServiceName || (has(self.sourceProjectName) && self.sourceProjectName != "" ? self.sourceProjectName : self.project) != (has(self.destinationProjectName) && self.destinationProjectName != "" ? self.destinationProjectName : self.project)`: "no service is connected with itself",
		`(has(oldSelf.destinationEndpointId) && oldSelf.destinationEndpointId != "") == (has(self.destinationEndpointId) && self.destinationEndpointId != "")`:     ends,
		`(has(oldSelf.destinationProjectName) && oldSelf.destinationProjectName != "") == (has(self.destinationProjectName) && self.destinationProjectName != "")`: ends,
		`(has(oldSelf.destinationServiceName) && oldSelf.destinationServiceName != "") == (has(self.destinationServiceName) && self.destinationServiceName != "")`: ends,
		`(has(oldSelf.sourceEndpointID) && oldSelf.sourceEndpointID != "") == (has(self.sourceEndpointID) && self.sourceEndpointID != "")`:                         ends,
		`(has(oldSelf.sourceProjectName) && oldSelf.sourceProjectName != "") == (has(self.sourceProjectName) && self.sourceProjectName != "")`:                     ends,
		`(has(oldSelf.sourceServiceName) && oldSelf.sourceServiceName != "") == (has(self.sourceServiceName) && self.sourceServiceName != "")`:                     ends,
		`has(oldSelf.destinationEndpointRef) == has(self.destinationEndpointRef)`:                                                                                  ends,
		`!has(self.autoscaler) || self.integrationType == 'autoscaler'`:                                                                                            otherBlock,
		`!has(self.clickhouseKafka) || self.integrationType == 'clickhouse_kafka'`:                                                                                 otherBlock,
		`!has(self.clickhousePostgresql) || self.integrationType == 'clickhouse_postgresql'`:                                                                       otherBlock,
		`!has(self.datadog) || self.integrationType == 'datadog'`:                                                                                                  otherBlock,
		`!has(self.externalAWSCloudwatchMetrics) || self.integrationType == 'external_aws_cloudwatch_metrics'`:                                                     otherBlock,
		`!has(self.kafkaConnect) || self.integrationType == 'kafka_connect'`:                                                                                       otherBlock,
		`!has(self.kafkaLogs) || self.integrationType == 'kafka_logs'`:                                                                                             otherBlock,
		`!has(self.kafkaMirrormaker) || self.integrationType == 'kafka_mirrormaker'`:                                                                               otherBlock,
		`!has(self.logs) || self.integrationType == 'logs'`:                                                                                                        otherBlock,
		`!has(self.metrics) || self.integrationType == 'metrics'`:                                                                                                  otherBlock,
	},
	"ServiceIntegration.spec.destinationProjectName": {`self != '.' && self != '..'`: dots},
	"ServiceIntegration.spec.destinationServiceName": {`self != '.' && self != '..'`: dots},
	"ServiceIntegration.spec.sourceProjectName":      {`self != '.' && self != '..'`: dots},
	"ServiceIntegration.spec.sourceServiceName":      {`self != '.' && self != '..'`: dots},
	"ServiceIntegrationEndpoint.spec": {
		`has(self.endpointName) && self.endpointName != ""`:                                                 "Aiven refuses an endpoint without a name",
		`!has(self.autoscaler) || self.endpointType == 'autoscaler'`:                                        otherBlock,
		`!has(self.datadog) || self.endpointType == 'datadog'`:                                              otherBlock,
		`!has(self.externalAWSCloudwatchLogs) || self.endpointType == 'external_aws_cloudwatch_logs'`:       otherBlock,
		`!has(self.externalAWSCloudwatchMetrics) || self.endpointType == 'external_aws_cloudwatch_metrics'`: otherBlock,
		`!has(self.externalElasticsearchLogs) || self.endpointType == 'external_elasticsearch_logs'`:        otherBlock,
		`!has(self.externalGoogleCloudBigquery) || self.endpointType == 'external_google_cloud_bigquery'`:   otherBlock,
		`!has(self.externalGoogleCloudLogging) || self.endpointType == 'external_google_cloud_logging'`:     otherBlock,
		`!has(self.externalKafka) || self.endpointType == 'external_kafka'`:                                 otherBlock,
		`!has(self.externalOpensearchLogs) || self.endpointType == 'external_opensearch_logs'`:              otherBlock,
		`!has(self.externalPostgresql) || self.endpointType == 'external_postgresql'`:                       otherBlock,
		`!has(self.externalSchemaRegistry) || self.endpointType == 'external_schema_registry'`:              otherBlock,
		`!has(self.jolokia) || self.endpointType == 'jolokia'`:                                              otherBlock,
		`!has(self.prometheus) || self.endpointType == 'prometheus'`:                                        otherBlock,
		`!has(self.rsyslog) || self.endpointType == 'rsyslog'`:                                              otherBlock,
	},
	"ServiceUser.spec.username": {`self != '.' && self != '..'`: dots},
	"UpgradePipelineStep.spec": {
		`self.sourceServiceName != self.destinationServiceName || self.sourceProjectName != self.destinationProjectName || oldSelf.hasValue()`: "Aiven refuses such a step. " +
			"Only a new object is refused: the fields are immutable, so an older one could not be mended, and has to be editable in the others",
	},
	"UpgradePipelineStep.spec.organizationId": {`self != '.' && self != '..'`: dots},
}

const (
	listOfGrants  = "Ratcheting lets an older list stay while other fields are edited; to edit the list, its mistakes have to be mended. The status has no such rule"
	oneGrantee    = `(has(self.user) && self.user != "") != (has(self.role) && self.role != "")`
	neitherOrBoth = "nothing is granted without a grantee, and of two it is unclear to whom. " + listOfGrants

	dots       = "the names . and .. are refused: in the path of a URL they mean another resource"
	ends       = "an end that appears or goes would leave the former integration behind"
	otherBlock = "a block of another type does nothing"
)

// rulesOfWholeObjects are the CEL rules beside spec and status, where the recorded schemas begin, by kind, each with its reason. All kinds
// have specStays, too.
var rulesOfWholeObjects = map[string]map[string]string{
	"KafkaSchema": {
		`!has(self.spec) || !has(self.spec.references) || self.spec.references.all(r, !has(r.kafkaSchemaRef) || r.kafkaSchemaRef.name != self.metadata.name)`: "aiven-operator has it, too",
	},
	"KafkaConnector": {
		`!has(self.spec) || !('name' in self.spec.userConfig) || self.spec.userConfig['name'] == self.metadata.name || self.spec.userConfig['name'].contains('{{') || oldSelf.?spec.?userConfig[?'name'].orValue("") == self.spec.userConfig['name']`: "the connector is the one with the name of the object. " +
			"A template is known once it is rendered. A name of before stays: it is a condition, and keeps nothing else from being edited",
	},
	"Project": {
		`self.metadata.name.matches('^[-a-z0-9]{1,63}$') || oldSelf.hasValue()`:                                                       "Aiven refuses such a project, whose name is that of the object. Only a new object is refused, as with services",
		`!has(self.spec) || !has(self.spec.copyFromProject) || self.spec.copyFromProject != self.metadata.name || oldSelf.hasValue()`: "Aiven has no project to copy while it creates that one. " + onceCreated,
	},
	"Clickhouse":   {replica: noReplica, named: noName},
	"Flink":        {replica: noReplica, named: noName},
	"Grafana":      {replica: noReplica, named: noName},
	"Kafka":        {replica: noReplica, named: noName},
	"KafkaConnect": {replica: noReplica, named: noName},
	"MySQL":        {replica: noReplica, named: noName},
	"OpenSearch":   {replica: noReplica, named: noName},
	"PostgreSQL":   {replica: noReplica, named: noName},
	"Valkey":       {replica: noReplica, named: noName},
}

const (
	// specStays is no deviation in what can be written at once. Without it, a removal and another spec exchange what is immutable.
	specStays   = `has(self.spec) || !has(oldSelf.spec)`
	replica     = `!has(self.spec) || !has(self.spec.serviceIntegrations) || self.spec.serviceIntegrations.all(i, i.sourceServiceName != self.metadata.name) || oldSelf.hasValue()`
	named       = `self.metadata.name.matches('^[a-z][-a-z0-9]{0,63}$') || oldSelf.hasValue()`
	noName      = "Aiven refuses such a service, whose name is that of the object. Only a new object is refused: the status and the finalizer of an older one stay writable"
	noReplica   = "Aiven has no service to replicate while it creates that one. " + onceCreated
	onceCreated = "Only a new object is refused: the field does nothing later, and the status and the finalizer of an older object stay writable, which " +
		"a rule of the whole object would refuse in spite of ratcheting"
)

func TestRulesOfWholeObjectsAreListed(t *testing.T) {
	for kind, ours := range loadDefinitions(t) {
		var found []string
		rules := asList(ours.Spec.Versions[0].Schema.OpenAPIV3Schema["x-kubernetes-validations"])
		assert.True(t, slices.ContainsFunc(rules, func(rule any) bool { return text(rule) == specStays }), kind)
		for _, rule := range rules {
			if text(rule) == specStays {
				continue
			}
			found = append(found, text(rule))
			assert.NotEmpty(t, rulesOfWholeObjects[kind][text(rule)], "%s: the CEL rule %q has no reason", kind, text(rule))
		}
		for rule := range rulesOfWholeObjects[kind] {
			assert.Contains(t, found, rule, kind)
		}
	}
}

// A deviation that is gone would let the next one of its name pass.
func TestEveryDeviationIsThereAndHasAReason(t *testing.T) {
	found := map[string][]string{}
	references := loadReferences(t)
	for kind, ours := range loadDefinitions(t) {
		for _, f := range compareSchemas("spec", references[kind].Spec, asMap(ours.properties()["spec"])) {
			found[kind+"."+f.path] = append(found[kind+"."+f.path], f.name)
			found["."+f.path] = append(found["."+f.path], f.name)
		}
	}
	for path, names := range deviations {
		for name, reason := range names {
			assert.NotEmpty(t, reason, "%s: %s", path, name)
			assert.Contains(t, found[path], name, path)
		}
	}
}

// What is listed at the root of a spec hides nothing else there.
func TestANewRuleOrRequiredFieldIsNamedBesideListedOnes(t *testing.T) {
	references, definitions := loadReferences(t), loadDefinitions(t)
	for path := range deviations {
		kind, isRoot := strings.CutSuffix(path, ".spec")
		if !isRoot {
			continue
		}
		ours := deepCopy(asMap(definitions[kind].properties()["spec"]))
		ours["required"] = append(asList(ours["required"]), "connInfoSecretTarget")
		ours["x-kubernetes-validations"] = append(asList(ours["x-kubernetes-validations"]), map[string]any{"rule": "self == oldSelf"})
		var unlisted []string
		for _, f := range compareSchemas("spec", references[kind].Spec, ours) {
			if !isListed(kind, f) && (!f.looser || !isGenerated(kind, f.path)) {
				unlisted = append(unlisted, f.String())
			}
		}
		assert.Equal(t, []string{
			"spec: required has connInfoSecretTarget, which aiven-operator hasn't", `spec: the CEL rule "self == oldSelf" is not aiven-operator's`,
		}, unlisted, kind)
	}
}

func isListed(kind string, f finding) bool {
	return slices.ContainsFunc([]string{kind, ""}, func(of string) bool { return deviations[of+"."+f.path][f.name] != "" })
}
