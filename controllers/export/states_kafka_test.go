package export

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// selects scripts the rows of a system table of ClickHouse.
func selects(a *aiventest.Aiven, table, columns string, rows [][]any) {
	meta, data := []any{}, []any{}
	for _, column := range strings.Split(columns, ", ") {
		meta = append(meta, aiventest.Object{"name": column, "type": "String"})
	}
	for _, row := range rows {
		data = append(data, row)
	}
	query := fmt.Sprintf(`{"database":"system","query":"SELECT %s FROM system.%s"}`, columns, table)
	a.On("POST service/my-ch/clickhouse/query "+query, aiventest.OK(aiventest.Object{"meta": meta, "data": data, "summary": aiventest.Object{}}))
}

// inKafka scripts a Kafka service with some fields changed.
func inKafka(a *aiventest.Aiven, changes aiventest.Object) {
	changes["service_name"], changes["service_type"] = "my-kafka", "kafka"
	inProject(a, changes)
}

func kafkaACLState(r *rand.Rand, a *aiventest.Aiven) int {
	inKafka(a, aiventest.Object{"acl": []any{
		aiventest.Object{"id": "1", "permission": pick(r, "read", "write", "readwrite", "admin"), "topic": pick(r, "*", randomName(r)), "username": randomName(r)},
		aiventest.Object{"id": "default", "permission": "admin", "topic": "*", "username": "avnadmin"},
	}})
	return 1
}

func nativeACLState(r *rand.Rand, a *aiventest.Aiven) int {
	inKafka(a, aiventest.Object{"kafka_acl": []any{aiventest.Object{
		"id": "2", "host": pick(r, "*", "10.0.0.1"), "operation": pick(r, "Read", "Alter", "All"), "pattern_type": pick(r, "LITERAL", "PREFIXED"),
		"permission_type": pick(r, "ALLOW", "DENY"), "principal": "User:" + pick(r, "*", randomName(r)), "resource_name": randomName(r),
		"resource_type": pick(r, "Topic", "Group", "Cluster"),
	}}})
	return 1
}

func schemaACLState(r *rand.Rand, a *aiventest.Aiven) int {
	inKafka(a, aiventest.Object{"user_config": aiventest.Object{"schema_registry": true}, "schema_registry_acl": []any{aiventest.Object{
		"id": "3", "permission": "schema_registry_" + pick(r, "read", "write"), "resource": pick(r, "Config:", "Subject:"+randomName(r)), "username": randomName(r),
	}}})
	return 1
}

// randomQuota is a quota, with a limit or without.
func randomQuota(r *rand.Rand) (q aiventest.Object, limited bool) {
	q = aiventest.Object{"user": pick(r, "", "app"), "client-id": "c"}
	for _, limit := range []string{"consumer_byte_rate", "producer_byte_rate", "request_percentage"} {
		if r.IntN(3) > 0 {
			q[limit] = 1 + r.IntN(100)
		}
	}
	return q, len(q) > 2
}

// quotaState is for quotas, of which those with a limit are exported.
func quotaState(r *rand.Rand, a *aiventest.Aiven) int {
	q, limited := randomQuota(r)
	inKafka(a, aiventest.Object{})
	a.On("GET service/my-kafka/quota", aiventest.OK(aiventest.Object{"quotas": []any{q}}))
	if !limited {
		return 0
	}
	return 1
}

// randomTopic is a topic whose settings are its own, or not, and how many are.
func randomTopic(r *rand.Rand) (topic aiven.TopicDetail, own int) {
	topic = aiven.TopicDetail{
		TopicName: pick(r, "orders", "Orders.V1"), Replication: 2 + r.IntN(2), State: kafkatopic.TopicStateTypeActive,
		Partitions: make([]kafkatopic.PartitionOut, 1+r.IntN(9)), Tags: []kafkatopic.TagOut{{Key: "a", Value: "b"}},
	}
	config := reflect.ValueOf(&topic.Config).Elem()
	for i := range config.NumField() {
		setting := reflect.New(config.Field(i).Type().Elem())
		random(r, setting.Elem().FieldByName("Value"), false)
		setting.Elem().FieldByName("Source").SetString(pick(r, "topic_config", "default_config", "static_broker_config"))
		if setting.Elem().FieldByName("Source").String() == "topic_config" {
			own++
		}
		config.Field(i).Set(setting)
	}
	return topic, own
}

func topicState(r *rand.Rand, a *aiventest.Aiven) int {
	topic, _ := randomTopic(r)
	inKafka(a, aiventest.Object{"topics": []any{aiventest.Object{"topic_name": topic.TopicName}, aiventest.Object{"topic_name": "_schemas"}}})
	a.On("GET service/my-kafka/topic/"+topic.TopicName, aiventest.OK(aiventest.Object{"topic": topic}))
	return 1
}

// schemaState is for subjects with several versions, references, and with a level of their own or without. A subject whose versions
// were all deleted isn't exported.
func schemaState(r *rand.Rand, a *aiventest.Aiven) int {
	inKafka(a, aiventest.Object{"user_config": aiventest.Object{"schema_registry": true}})
	names := []string{randomName(r), "customers"}
	exported := 0
	for _, name := range names {
		subject := "GET service/my-kafka/kafka/schema/subjects/" + name + "/versions"
		numbers := some(r, 1, 2, 5, 7)
		a.On(subject, aiventest.OK(aiventest.Object{"versions": numbers}))
		for _, number := range numbers {
			a.On(fmt.Sprintf("%s/%d", subject, number), aiventest.OK(aiventest.Object{"version": randomVersion(r, name, number.(int))}))
		}
		level := aiventest.OK(aiventest.Object{"compatibilityLevel": pick(r, "BACKWARD", "FULL_TRANSITIVE", "NONE")})
		if r.IntN(2) == 0 {
			level = aiventest.Refused(404, "Subject has no level")
		}
		a.On("GET service/my-kafka/kafka/schema/config/"+name, level)
		if len(numbers) > 0 {
			exported++
		}
	}
	a.On("GET service/my-kafka/kafka/schema/subjects", aiventest.OK(aiventest.Object{"subjects": []any{names[0], names[1]}}))
	return exported
}

func randomVersion(r *rand.Rand, subject string, number int) aiventest.Object {
	texts := map[string]string{
		"":         fmt.Sprintf(`{"type":"record","name":"A","fields":[{"name":"n","type":"long","default":%d}]}`, r.Int64()),
		"AVRO":     `"string"`,
		"JSON":     fmt.Sprintf(`{ "type": "object", "maximum": %d.50 , "pattern": "^\\d+<&>#: $" }`, r.IntN(9)),
		"PROTOBUF": "syntax = \"proto3\"; // of orders\n\nmessage A {\n\tstring a = 1;\n}\n",
	}
	of := pick(r, "", "AVRO", "JSON", "PROTOBUF")
	v := aiventest.Object{"id": number * 10, "version": number, "subject": subject, "schema": texts[of]}
	if of != "" {
		v["schemaType"] = of
	}
	if r.IntN(2) == 0 {
		v["references"] = []any{aiventest.Object{"name": "b", "subject": "b", "version": 2}, aiventest.Object{"name": "a", "subject": "a", "version": 1 + r.IntN(9)}}
	}
	return v
}

// connectorState is for connectors in a Kafka and in a Kafka Connect.
func connectorState(r *rand.Rand, a *aiventest.Aiven) int {
	linked := []any{aiventest.Object{
		"service_integration_id": "1", "integration_type": "kafka_connect", "active": true, "enabled": true, "source_project": aiventest.Project,
		"source_service": "my-kafka", "dest_project": aiventest.Project, "dest_service": "my-connect", "user_config": aiventest.Object{},
	}}
	inProject(a,
		aiventest.Object{"service_name": "my-kafka", "service_type": "kafka", "user_config": aiventest.Object{"kafka_connect": true}, "service_integrations": linked},
		aiventest.Object{"service_name": "my-connect", "service_type": "kafka_connect", "user_config": aiventest.Object{}, "service_integrations": linked})
	scriptConnector(a, "my-kafka", "sink", randomConnector(r))
	scriptConnector(a, "my-connect", "source.v1", randomConnector(r))
	return 2
}

// credentials are keys of connectors, and values that have a secret in them, in place of the %s.
var credentials = map[string]string{
	"connection.password": "%s", "aws.secret.access.key": "%s", "aws_secret_access_key": "%s", "ssl.key.password": "%s", "ssl.keystore.password": "%s",
	"hec.token": "%s", "azure.storage.account.key": "%s", "elastic.api.key": "%s", "gcs.credentials.json": `{"private_key": "%s"}`,
	"oauth2.client.secret": "%s", "connection.url": "jdbc:postgresql://db.test/db?user=app&password=%s", "connection.uri": "mongodb://app:%s@db.test/db",
	"producer.override.sasl.jaas.config": `org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="%s";`,
	"http.headers.additional":            "Authorization: Bearer %s", "private.key": "%s", "passphrase": "%s", "http.auth": "%s",
}

// randomConnector is a configuration with and without secrets, without a name and a class.
func randomConnector(r *rand.Rand) aiventest.Object {
	config := aiventest.Object{
		"topics": randomName(r), "tasks.max": fmt.Sprint(1 + r.IntN(9)), "transforms.x.regex": pick(r, `(.*)\.v(\d+)`, "a: b # c", " ", ""),
		"value.converter.schema.registry.url": "https://registry.test:443", "template": pick(r, "{{ x }}", "${topic}"), "hidden": pick(r, "[hidden]", "***", "no"),
	}
	for _, key := range slices.Sorted(maps.Keys(credentials)) {
		if r.IntN(2) == 0 {
			config[key] = fmt.Sprintf(credentials[key], randomSecret(r))
		}
	}
	return config
}

// randomSecret is a secret that begins with the canary.
func randomSecret(r *rand.Rand) string { return fmt.Sprintf("%s%016x", canary, r.Uint64()) }

func scriptConnector(a *aiventest.Aiven, service, name string, config aiventest.Object) {
	config["name"], config["connector.class"] = name, "io.aiven.Connector"
	a.On("GET service/"+service+"/connectors", aiventest.OK(aiventest.Object{"connectors": []any{aiventest.Object{
		"name": name, "config": config, "tasks": []any{}, "plugin": aiventest.Object{"class": "io.aiven.Connector", "docURL": "https://x", "version": "1"},
	}}, "failed_connectors": []any{}}))
	a.On("GET service/"+service+"/connectors/"+name+"/status",
		aiventest.OK(aiventest.Object{"status": aiventest.Object{"state": "RUNNING", "tasks": []any{}}}))
	declared := []any{aiventest.Object{"name": "http.auth", "type": "PASSWORD"}, aiventest.Object{"name": "topics", "type": "LIST"}}
	a.On("GET service/"+service+"/connector-plugins/io.aiven.Connector/configuration", aiventest.OK(aiventest.Object{"configuration_schema": declared}))
}
