package conformance_test

import (
	"slices"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// Names in the manifests that each user replaces with own ones.
const (
	ourProject      = "our-project"
	ourAccount      = "our-account"
	ourOrganization = "our-organization"
	ourBillingGroup = "our-billing-group"
	ourEndpoint     = "our-endpoint"
)

// givenPassword is in a manifest.
const givenPassword = "Blue-kettle-on-41"

// manifest is what a file of testdata needs and makes.
type manifest struct {
	// parents makes what the file needs and doesn't have, and returns the names of it that the server makes.
	parents func(*testenv.Env) map[string]string
	// makes are the resources at Aiven, by type and id.
	makes []string
	// keys of the Secret of a Kafka depend on its options.
	keys []string
	// then checks what else has to be so.
	then func(*testenv.Env)
}

// living makes a service of a manifest at the console.
func living(in *parent, name string, options map[string]any) func(*testenv.Env) map[string]string {
	return func(e *testenv.Env) map[string]string {
		own := *in
		own.name = name
		makeService(e, &own)
		if options != nil {
			_, err := e.Aiven.Console.ServiceUpdate(e.T.Context(), e.Project, name, &service.ServiceUpdateIn{UserConfig: &options})
			require.NoError(e.T, err)
		}
		return nil
	}
}

// withAccount finds the ids of the account.
func withAccount(e *testenv.Env) map[string]string {
	groups, err := e.Aiven.Console.BillingGroupList(e.T.Context()) //nolint:staticcheck // deprecated, and still what clients call
	require.NoError(e.T, err)
	return map[string]string{
		ourAccount: groups[0].AccountId, ourOrganization: organization, ourBillingGroup: groups[0].BillingGroupId,
	}
}

// withDatadog makes an endpoint at the console.
func withDatadog(e *testenv.Env) map[string]string {
	const key = "0123456789abcdef0123456789abcdef"
	e.Plant(key)
	made, err := e.Aiven.Console.ServiceIntegrationEndpointCreate(e.T.Context(), e.Project, &service.ServiceIntegrationEndpointCreateIn{
		EndpointName: "datadog", EndpointType: service.EndpointTypeDatadog, UserConfig: map[string]any{"datadog_api_key": key},
	})
	require.NoError(e.T, err)
	return map[string]string{ourEndpoint: made.EndpointId}
}

// reachesSearch wants the URI in the connector that the other object of the file has published.
func reachesSearch(e *testenv.Env) {
	listed, err := e.Aiven.Console.ServiceKafkaConnectList(e.T.Context(), e.Project, "messages")
	require.NoError(e.T, err)
	require.Len(e.T, listed.Connectors, 1)
	uri := string(e.Secret("search-connection").Data["OPENSEARCH_URI"])
	assert.True(e.T, uri != "" && uri == listed.Connectors[0].Config["connection.url"], "the connector must have the published URI")
}

// hasGivenPassword wants the password of the file in the Secret.
func hasGivenPassword(e *testenv.Env) {
	assert.True(e.T, string(e.Secret("importer-connection").Data["IMPORTER_PASSWORD"]) == givenPassword, "the password must be that of the file")
}

// manifestRows are by file, without the ending.
func manifestRows() map[string]manifest {
	warehouse, events, messages := living(inPostgres, "warehouse", nil), living(inClickhouse, "events", nil), living(inKafka, "messages", nil)
	withSchemas := living(inKafka, "messages", map[string]any{"schema_registry": true})
	ofKafka := append(slices.Clone(keysOfKafka), "REST_URI", "SCHEMA_REGISTRY_URI")
	importer := []string{"clickhouse_user events/nightly-import"}
	return map[string]manifest{
		"clickhouse":         {makes: []string{"service events"}},
		"clickhousedatabase": {parents: events, makes: []string{"clickhouse_database events/visits-2030"}},
		"clickhousegrant": {makes: []string{
			"service events", "clickhouse_database events/visits-by-day", "clickhouse_user events/importer",
			"clickhouse_role events/writer", "clickhouse_grant events/user/importer", "clickhouse_grant events/role/writer",
		}},
		"clickhouserole":                {parents: events, makes: []string{"clickhouse_role events/reader"}},
		"clickhouseuser":                {parents: events, makes: importer},
		"clickhouseuser-given-password": {parents: events, makes: importer, then: hasGivenPassword},
		"database":                      {parents: warehouse, makes: []string{"database warehouse/sales_2030"}},
		"flink":                         {makes: []string{"service streams"}},
		"grafana":                       {makes: []string{"service dashboards"}},
		"kafka":                         {makes: []string{"service messages"}, keys: ofKafka},
		"kafkaacl":                      {parents: messages, makes: []string{"kafka_acl messages/importer/visits/admin"}},
		"kafkaconnect":                  {makes: []string{"service bridges"}},
		"kafkaconnector": {
			makes: []string{"service messages", "service search", "kafka_topic messages/visits", "kafka_connector messages/visits-to-search"},
			keys:  append(slices.Clone(ofKafka), "CONNECT_HOST", "CONNECT_PORT"), then: reachesSearch,
		},
		"kafkaschema":            {parents: withSchemas, makes: []string{"kafka_schema messages/visits-value"}},
		"kafkaschemaregistryacl": {parents: withSchemas, makes: []string{"schema_registry_acl messages/importer/Subject:visits/schema_registry_read"}},
		"kafkatopic":             {parents: messages, makes: []string{"kafka_topic messages/all-visits"}},
		"opensearch":             {makes: []string{"service search"}},
		"organizationproject":    {parents: withAccount, makes: []string{"project of-the-organization"}},
		"postgresql":             {makes: []string{"service warehouse"}},
		"project":                {parents: withAccount, makes: []string{"project of-the-account"}},
		"projectvpc":             {makes: []string{"project_vpc google-europe-west1/10.3.0.0/24"}},
		"serviceintegration-datadog": {parents: withDatadog, makes: []string{
			"service warehouse", "service_integration datadog/warehouse/datadog",
		}},
		"serviceintegration-kafkaconnect": {makes: []string{
			"service messages", "service bridges", "service_integration kafka_connect/messages/bridges",
		}},
		"serviceintegrationendpoint": {makes: []string{"service_integration_endpoint external_postgresql/old-warehouse"}},
		"serviceuser":                {parents: warehouse, makes: []string{"user warehouse/reporting"}},
		"valkey":                     {makes: []string{"service sessions"}},
	}
}
