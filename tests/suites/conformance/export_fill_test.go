package conformance_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/vpc"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// canaries are planted where secrets are at Aiven.
var canaries = []string{"canary-of-a-user", "canary-of-an-endpoint", "canary-of-a-connector", "canary-of-an-administrator"}

// post is a call of Aiven's API that makes something in a project, with its body in JSON.
type post struct{ path, body string }

// servicesOfAll are services of all types, as a user of the console makes them.
var servicesOfAll = []post{
	{"service", `{"service_name": "my-pg", "service_type": "pg", "plan": "startup-4", "cloud": "google-europe-west1",
		"maintenance": {"dow": "sunday", "time": "03:00:00"}, "tags": {"team": "orders"},
		"user_config": {"pg_version": "17", "pg": {"idle_in_transaction_session_timeout": 900000}}}`},
	{"service", `{"service_name": "my-clickhouse", "service_type": "clickhouse", "plan": "startup-16",
		"user_config": {"ip_filter": [{"network": "10.20.0.0/16", "description": "applications"}]}}`},
	{"service", `{"service_name": "my-flink", "service_type": "flink", "plan": "business-4", "user_config": {"flink_version": "1.20", "number_of_task_slots": 10}}`},
	{"service", `{"service_name": "my-grafana", "service_type": "grafana", "plan": "startup-1", "user_config": {"alerting_enabled": true, "public_access": {"grafana": true}}}`},
	{"service", `{"service_name": "my-kafka", "service_type": "kafka", "plan": "business-4",
		"user_config": {"kafka_authentication_methods": {"sasl": true}, "schema_registry": true, "kafka_connect": true}}`},
	{"service", `{"service_name": "my-kafkaconnect", "service_type": "kafka_connect", "plan": "business-4",
		"user_config": {"kafka_connect": {"consumer_isolation_level": "read_committed"}}}`},
	{"service", `{"service_name": "my-mysql", "service_type": "mysql", "plan": "startup-4",
		"user_config": {"admin_username": "orders_admin", "admin_password": "` + canaries[3] + `", "mysql_version": "8.4", "backup_hour": 1}}`},
	{"service", `{"service_name": "my-opensearch", "service_type": "opensearch", "plan": "startup-4", "disk_space_mb": 122880,
		"user_config": {"index_patterns": [{"pattern": "logs-*", "max_index_count": 14}]}}`},
	{"service", `{"service_name": "my-valkey", "service_type": "valkey", "plan": "startup-4", "user_config": {"valkey_maxmemory_policy": "allkeys-lru"}}`},
}

// contentsOfAll are something of each kind that is in a service or a project, in an order in which all of it can be made.
var contentsOfAll = []post{
	{"vpcs", `{"cloud_name": "google-europe-west1", "network_cidr": "10.0.0.0/24", "peering_connections": []}`},
	{"service/my-pg/user", `{"username": "orders-app"}`},
	{"service/my-pg/db", `{"database": "orders", "lc_collate": "en_US.UTF-8", "lc_ctype": "en_US.UTF-8"}`},
	{"service/my-pg/connection_pool", `{"pool_name": "orders-pool", "database": "orders", "username": "orders-app", "pool_size": 20, "pool_mode": "transaction"}`},
	{"service/my-clickhouse/clickhouse/db", `{"database": "my-database"}`},
	{"service/my-clickhouse/clickhouse/user", `{"name": "my-user"}`},
	{"service/my-clickhouse/clickhouse/query", "{\"database\": \"system\", \"query\": \"CREATE ROLE `my-role`\"}"},
	{"service/my-clickhouse/clickhouse/query", "{\"database\": \"system\", \"query\": \"GRANT SELECT, INSERT ON `my-database`.* TO `my-user`\"}"},
	{"service/my-kafka/topic", `{"topic_name": "orders", "partitions": 3, "replication": 2, "tags": [{"key": "team", "value": "orders"}],
		"config": {"cleanup_policy": "delete", "retention_ms": 604800000}}`},
	{"service/my-kafka/acl", `{"username": "orders-app", "topic": "orders", "permission": "readwrite"}`},
	{"service/my-kafka/kafka/acl", `{"principal": "User:orders-app", "host": "*", "operation": "Read", "permission_type": "ALLOW",
		"resource_type": "Topic", "resource_name": "orders", "pattern_type": "PREFIXED"}`},
	{"service/my-kafka/quota", `{"user": "orders-app", "producer_byte_rate": 1048576, "consumer_byte_rate": 1048576, "request_percentage": 25}`},
	{"service/my-kafka/kafka/schema/subjects/orders-value/versions", `{"schemaType": "AVRO", "schema": "{\"type\": \"string\"}"}`},
	{"service/my-kafka/kafka/schema-registry/acl", `{"username": "orders-app", "resource": "Subject:orders*", "permission": "schema_registry_read"}`},
	{"service/my-kafka/connectors", `{"name": "orders-to-http", "connector.class": "io.aiven.kafka.connect.http.HttpSinkConnector", "topics": "orders", "tasks.max": "2",
		"http.url": "https://orders.example.com", "http.authorization.type": "none", "http.headers.authorization": "Bearer ` + canaries[2] + `"}`},
	{"service/my-opensearch/opensearch/acl", `{"opensearch_acl_config": {"enabled": true, "acls": [{"username": "orders-app", "rules": [{"index": "orders", "permission": "readwrite"}]}]}}`},
	{"integration", `{"integration_type": "kafka_logs", "source_service": "my-pg", "dest_service": "my-kafka", "user_config": {"kafka_topic": "logs"}}`},
	{"integration_endpoint", `{"endpoint_name": "my-external-postgresql", "endpoint_type": "external_postgresql",
		"user_config": {"host": "db.example.com", "port": 5432, "username": "orders", "password": "` + canaries[1] + `", "ssl_mode": "verify-full"}}`},
}

// postAll makes what some calls are about, in the project of the test.
func postAll(e *testenv.Env, all []post) {
	e.T.Helper()
	for _, p := range all {
		e.Aiven.Post("/v1/project/"+e.Project+"/"+p.path, p.body)
	}
}

// fill makes something of each kind at Aiven, by its API alone, and returns the secrets in it.
func fill(e *testenv.Env) []string {
	e.T.Helper()
	postAll(e, servicesOfAll)
	e.Until(func() bool {
		services, err := e.Aiven.Console.ServiceList(e.T.Context(), e.Project)
		require.NoError(e.T, err)
		running := 0
		for i := range services {
			if services[i].State == service.ServiceStateTypeRunning {
				running++
			}
		}
		return running == len(servicesOfAll)
	}, func() string { return "not all services run" })
	postAll(e, contentsOfAll)
	_, err := e.Aiven.Console.ServiceUserCredentialsModify(e.T.Context(), e.Project, serviceName, userName, &service.ServiceUserCredentialsModifyIn{
		Operation: service.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: new(canaries[0]),
	})
	require.NoError(e.T, err)
	e.Until(func() bool {
		vpcs, err := e.Aiven.Console.VpcList(e.T.Context(), e.Project)
		require.NoError(e.T, err)
		return len(vpcs) == 1 && vpcs[0].State == vpc.VpcStateTypeActive
	}, func() string { return "the VPC isn't active" })
	return append(secretsAtAiven(e), canaries...)
}

// secretsAtAiven are the passwords and keys that Aiven returns of all services.
func secretsAtAiven(e *testenv.Env) (secrets []string) {
	e.T.Helper()
	for _, p := range servicesOfAll {
		var named struct {
			Name string `json:"service_name"`
		}
		require.NoError(e.T, json.Unmarshal([]byte(p.body), &named))
		before := len(secrets)
		for _, user := range serviceAt(e, named.Name).Users {
			for _, secret := range []*string{&user.Password, user.AccessKey} {
				if secret != nil && *secret != "" {
					secrets = append(secrets, strings.TrimSpace(*secret))
				}
			}
		}
		if !slices.Contains([]string{"my-flink", "my-kafkaconnect"}, named.Name) { // which have no users
			require.Greater(e.T, len(secrets), before, named.Name)
		}
	}
	return secrets
}
