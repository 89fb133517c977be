package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var kafkaKinds = []kind{
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
			"SASL_HOST", "SASL_PORT", "SCHEMA_REGISTRY_HOST", "SCHEMA_REGISTRY_PORT", "CONNECT_HOST", "CONNECT_PORT",
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
		name: "KafkaNativeACL", example: "kafkanativeacl", phase: v1alpha1.PhaseReady,
		in: inKafka,
	},
	{
		name: "KafkaQuota", example: "kafkaquota", phase: v1alpha1.PhaseReady,
		in: inKafka,
	},
	{
		name: "KafkaSchema", example: "kafkaschema", phase: v1alpha1.PhaseReady,
		in: inKafka,
	},
	{
		name: "KafkaSchemaRegistryACL", example: "kafkaschemaregistryacl", phase: v1alpha1.PhaseReady,
		in: inKafka,
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
