package kinds

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/account"
	"github.com/aero-operator/aero/controllers/kinds/integration"
	"github.com/aero-operator/aero/controllers/kinds/kafka"
	"github.com/aero-operator/aero/controllers/kinds/kafkaconnect"
	"github.com/aero-operator/aero/controllers/kinds/postgres"
	"github.com/aero-operator/aero/controllers/kinds/shared"
)

// example reads the example of a kind, which is in the project of aiventest.
func example(t *testing.T, kind string, obj client.Object) {
	raw, err := os.ReadFile(filepath.Join(examples, strings.ToLower(kind)+".yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict([]byte(strings.ReplaceAll(string(raw), "my-project", aiventest.Project)), obj))
}

// creating is the message of an object whose creation Aiven refuses with a text.
func creating[T controllers.Object](kind controllers.Kind[T], name string, obj T) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		example(t, name, obj)
		a := aiventest.New(t)
		pg := aiventest.ServiceFields(aiventest.Object{"databases": []any{"orders"}, "users": []any{aiventest.Object{"username": "orders-app"}}, "service_integrations": []any{}})
		broker := maps.Clone(pg)
		maps.Copy(broker, aiventest.Object{
			"service_name": "my-kafka", "service_type": "kafka", "topics": []any{}, "acl": []any{},
			"user_config": aiventest.Object{"kafka_connect": true},
			"node_states": []any{aiventest.Object{"state": "running"}, aiventest.Object{"state": "running"}, aiventest.Object{"state": "running"}},
		})
		a.On("GET service/my-pg", aiventest.OK(aiventest.Object{"service": pg}))
		a.On("GET service/my-kafka", aiventest.OK(aiventest.Object{"service": broker}))
		a.On("GET service/my-kafka/connectors", aiventest.OK(aiventest.Object{"connectors": []any{}}))
		a.On("GET vpcs", aiventest.OK(aiventest.Object{"vpcs": []any{}}))
		a.On("GET integration_endpoint", aiventest.OK(aiventest.Object{"service_integration_endpoints": []any{}}))
		a.On("GET service/my-kafka/topic/orders", aiventest.Missing())
		a.On("GET service/my-kafka/topic/my orders", aiventest.Missing())
		if kind.IsService {
			a.On("GET service/"+obj.GetName(), aiventest.Missing())
		}
		for _, route := range []string{
			"service", "vpcs", "service/my-pg/db", "service/my-pg/user", "service/my-pg/connection_pool", "service/my-kafka/topic",
			"service/my-kafka/acl", "service/my-kafka/connectors", "integration", "integration_endpoint",
		} {
			a.On("POST "+route, aiventest.Refused(400, text))
		}
		c := kind.New(controllers.Env{Client: a.Client()})
		_, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		_, err = c.Create(t.Context(), obj)
		message := (*fault.Secrets)(nil).Refusal(err, "Aiven rejected the change", "")
		assert.Contains(t, message, text, "Aiven's own sentence stays")
		return message
	}
}

// named are objects whose resources have a name of their own.
var (
	namedDatabase = &v1alpha1.Database{Spec: v1alpha1.DatabaseSpec{DatabaseName: "my orders"}}
	namedUser     = &v1alpha1.ServiceUser{Spec: v1alpha1.ServiceUserSpec{Username: "my app"}}
	namedTopic    = &v1alpha1.KafkaTopic{Spec: v1alpha1.KafkaTopicSpec{TopicName: "my orders"}}
)

// The texts are those of the local Aiven, which are Aiven's.
func TestE04_ARejectedCreationNamesTheFieldAndTheRemedy(t *testing.T) {
	rename := "Recreate the object under another name"
	for name, tc := range map[string]struct {
		create              func(*testing.T, string) string
		text, field, remedy string
	}{
		"the plan of a service":         {creating(postgres.Service, "PostgreSQL", &v1alpha1.PostgreSQL{}), "Invalid plan 'startup-400' for service type 'pg'", "spec.plan", "List the plans with: avn service plans --service-type pg"},
		"the cloud of a service":        {creating(kafka.Service, "Kafka", &v1alpha1.Kafka{}), "Invalid cloud 'moon-1'", "spec.cloudName", "List the clouds with: avn cloud list"},
		"the name of a service":         {creating(postgres.Service, "PostgreSQL", &v1alpha1.PostgreSQL{}), "Invalid service_name 'my-pg': must start with a lower-case letter", "metadata.name", rename},
		"an option":                     {creating(postgres.Service, "PostgreSQL", &v1alpha1.PostgreSQL{}), "Invalid input for user_config.pg.jit: must be of type boolean", "spec.userConfig.pg.jit", ""},
		"the disk":                      {creating(postgres.Service, "PostgreSQL", &v1alpha1.PostgreSQL{}), "Invalid disk_space_mb 10: plan 'startup-4' allows 81920 to 16777216", "spec.disk_space", ""},
		"the name of a database":        {creating(shared.Database, "Database", &v1alpha1.Database{}), "Invalid database 'orders'", "metadata.name", rename + ", or with spec.databaseName"},
		"a database name in the spec":   {creating(shared.Database, "Database", namedDatabase), "Invalid database 'my orders'", "spec.databaseName", "Recreate the object with another spec.databaseName"},
		"the collation":                 {creating(shared.Database, "Database", &v1alpha1.Database{}), "Invalid lc_collate 'xx'", "spec.lcCollate", "Recreate the object with another spec.lcCollate"},
		"the name of a user":            {creating(shared.User, "ServiceUser", &v1alpha1.ServiceUser{}), "Invalid username 'orders-app'", "metadata.name", rename + ", or with spec.username"},
		"a user name in the spec":       {creating(shared.User, "ServiceUser", namedUser), "Invalid username 'my app'", "spec.username", "Recreate the object with another spec.username"},
		"the access of a user":          {creating(shared.User, "ServiceUser", &v1alpha1.ServiceUser{}), "Invalid access_control: service type 'pg' knows []", "spec.accessControl", "Only users of Valkey have it. Remove it"},
		"the name of a pool":            {creating(postgres.Pool, "ConnectionPool", &v1alpha1.ConnectionPool{}), "Invalid pool_name 'x'", "metadata.name", rename},
		"the size of a pool":            {creating(postgres.Pool, "ConnectionPool", &v1alpha1.ConnectionPool{}), "Invalid pool_size 90000: must be 1 to 10000", "spec.poolSize", ""},
		"the name of a topic":           {creating(kafka.Topic, "KafkaTopic", &v1alpha1.KafkaTopic{}), "Invalid topic_name 'orders'", "metadata.name", rename + ", or with spec.topicName"},
		"a topic name in the spec":      {creating(kafka.Topic, "KafkaTopic", namedTopic), "Invalid topic_name 'my orders'", "spec.topicName", "Recreate the object with another spec.topicName"},
		"the replication of a topic":    {creating(kafka.Topic, "KafkaTopic", &v1alpha1.KafkaTopic{}), "Replication factor 9 is larger than the number of nodes, which is 3", "spec.replication", ""},
		"an option of a topic":          {creating(kafka.Topic, "KafkaTopic", &v1alpha1.KafkaTopic{}), "Invalid input for config.retention_ms: must be -1 to 5", "spec.config.retention_ms", ""},
		"the topic of a rule":           {creating(kafka.ACL, "KafkaACL", &v1alpha1.KafkaACL{}), "Invalid topic 'my orders'", "spec.topic", ""},
		"the class of a connector":      {creating(kafkaconnect.Connector, "KafkaConnector", &v1alpha1.KafkaConnector{}), "Invalid connector.class 'a b': must be the name of a Java class", "spec.connectorClass", ""},
		"the tasks of a connector":      {creating(kafkaconnect.Connector, "KafkaConnector", &v1alpha1.KafkaConnector{}), "Invalid tasks.max 'many': must be a number from 1 to 100", "spec.userConfig.tasks.max", ""},
		"an option of a connector":      {creating(kafkaconnect.Connector, "KafkaConnector", &v1alpha1.KafkaConnector{}), "Invalid input for http.url: must be of type string", "spec.userConfig.http.url", ""},
		"the name of a connector":       {creating(kafkaconnect.Connector, "KafkaConnector", &v1alpha1.KafkaConnector{}), "Invalid name 'orders-to-http'", "metadata.name", rename},
		"the service of an integration": {creating(integration.Integration, "ServiceIntegration", &v1alpha1.ServiceIntegration{}), "Invalid source_service 'my-pg'", "spec.sourceServiceName", "Recreate the object with another spec.sourceServiceName"},
		"an option of an integration":   {creating(integration.Integration, "ServiceIntegration", &v1alpha1.ServiceIntegration{}), "Invalid input for user_config.kafka_topic: is too long", "spec.kafkaLogs.kafka_topic", ""},
		"the name of an endpoint":       {creating(integration.Endpoint, "ServiceIntegrationEndpoint", &v1alpha1.ServiceIntegrationEndpoint{}), "Invalid endpoint_name 'x'", "spec.endpointName", "Recreate the object with another spec.endpointName"},
		"an option of an endpoint":      {creating(integration.Endpoint, "ServiceIntegrationEndpoint", &v1alpha1.ServiceIntegrationEndpoint{}), "Invalid input for user_config.port: must be 1 to 65535", "spec.externalPostgresql.port", ""},
		"the network of a VPC":          {creating(account.VPC, "ProjectVPC", &v1alpha1.ProjectVPC{}), "Invalid network_cidr '8.8.8.0/24': must be a private network", "spec.networkCidr", "Recreate the object with another spec.networkCidr"},
	} {
		t.Run(name, func(t *testing.T) {
			message := tc.create(t, tc.text)
			assert.Contains(t, message, "Aiven rejected "+tc.field+": ")
			assert.Contains(t, message, tc.remedy)
		})
	}
}

func TestE04_ARejectionOfWhichNoFieldIsKnownIsQuoted(t *testing.T) {
	create := creating(postgres.Service, "PostgreSQL", &v1alpha1.PostgreSQL{})
	assert.Equal(t, "Aiven rejected the change: The moon is in the way (400 ServiceCreate)", create(t, "The moon is in the way"))
}
