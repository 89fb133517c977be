package conformance_test

import (
	"slices"
	"strings"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// schemaACLPath is the ACL of the example in the schema registry.
const schemaACLPath = userName + "/Subject:" + topicName + "*/schema_registry_read"

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
		optional: []string{"REST_HOST", "REST_PORT"},
	},
	{
		// Aiven can't change a rule, so a changed spec takes two writes.
		name: "KafkaACL", example: "kafkaacl", phase: v1alpha1.PhaseReady,
		resource: "kafka_acl", path: kafkaName + "/" + aclPath,
		create: "ServiceKafkaAclAdd", update: "ServiceKafkaAclAdd", then: "ServiceKafkaAclDelete",
		changed: kafkaName + "/" + userName + "/" + topicName + "/read", in: inKafka,
		change: func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.KafkaACL).Spec.Permission = "read" },
		remove: func(e *testenv.Env) error { return removeRule(e, "readwrite") },
	},
	{
		name: "KafkaNativeACL", example: "kafkanativeacl", phase: v1alpha1.PhaseReady,
		resource: "kafka_native_acl", path: kafkaName + "/User:" + userName + "/*/Topic/PREFIXED/" + topicName + "/Read/ALLOW",
		create: "ServiceKafkaNativeAclAdd", in: inKafka, remove: removeNativeACL,
	},
	{
		name: "KafkaQuota", example: "kafkaquota", phase: v1alpha1.PhaseReady,
		resource: "kafka_quota", path: kafkaName + "/user=" + userName + ",client-id=",
		create: "ServiceKafkaQuotaCreate", update: "ServiceKafkaQuotaCreate", in: inKafka,
		change: func(_ *testenv.Env, obj testenv.Object) {
			*obj.(*v1alpha1.KafkaQuota).Spec.ConsumerByteRate = 2_000_000
		},
		drift: func(e *testenv.Env) {
			require.NoError(e.T, e.Aiven.Console.ServiceKafkaQuotaCreate(e.T.Context(), e.Project, kafkaName, &avnkafka.ServiceKafkaQuotaCreateIn{
				User: new(userName), ConsumerByteRate: new(7.0), ProducerByteRate: new(1048576.0), RequestPercentage: new(25.0),
			}))
		},
		repaired: func(e *testenv.Env) bool { return *quotaAtAiven(e).ConsumerByteRate == 2_000_000 },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceKafkaQuotaDelete(e.T.Context(), e.Project, kafkaName, avnkafka.ServiceKafkaQuotaDeleteUser(userName))
		},
	},
	{
		name: "KafkaSchema", example: "kafkaschema", phase: v1alpha1.PhaseReady,
		resource: "kafka_schema", path: kafkaName + "/" + subjectName,
		create: "ServiceSchemaRegistrySubjectVersionPost", update: "ServiceSchemaRegistrySubjectVersionPost",
		in: inKafka, inside: enableRegistry,
		change: func(_ *testenv.Env, obj testenv.Object) {
			schema := &obj.(*v1alpha1.KafkaSchema).Spec.Schema
			*schema = strings.Replace(*schema, `"fields": [`, `"fields": [{"name": "note", "type": "string", "default": ""},`, 1)
		},
		drift:    func(e *testenv.Env) { dropVersion(e, 2) },
		repaired: func(e *testenv.Env) bool { return slices.Equal([]int{1, 3}, versionsAtAiven(e, subjectName)) },
		remove:   func(e *testenv.Env) error { return dropSubject(e, subjectName) },
	},
	{
		name: "KafkaSchemaRegistryACL", example: "kafkaschemaregistryacl", phase: v1alpha1.PhaseReady,
		resource: "schema_registry_acl", path: kafkaName + "/" + schemaACLPath,
		create: "ServiceSchemaRegistryAclAdd", in: inKafka, inside: enableRegistry, remove: removeSchemaACL,
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

// removeNativeACL removes the only ACL of Kafka itself.
func removeNativeACL(e *testenv.Env) error {
	listed, err := e.Aiven.Console.ServiceKafkaNativeAclList(e.T.Context(), e.Project, kafkaName)
	require.NoError(e.T, err)
	require.Len(e.T, listed.KafkaAcl, 1)
	return e.Aiven.Console.ServiceKafkaNativeAclDelete(e.T.Context(), e.Project, kafkaName, listed.KafkaAcl[0].Id)
}

func quotaAtAiven(e *testenv.Env) *avnkafka.ServiceKafkaQuotaDescribeOut {
	found, err := e.Aiven.Console.ServiceKafkaQuotaDescribe(e.T.Context(), e.Project, kafkaName, avnkafka.ServiceKafkaQuotaDescribeUser(userName))
	require.NoError(e.T, err)
	return found
}

// removeSchemaACL removes the ACL of the example.
func removeSchemaACL(e *testenv.Env) error {
	listed, err := e.Aiven.Console.ServiceSchemaRegistryAclList(e.T.Context(), e.Project, kafkaName)
	require.NoError(e.T, err)
	for _, acl := range listed {
		if acl.Username == userName {
			_, err = e.Aiven.Console.ServiceSchemaRegistryAclDelete(e.T.Context(), e.Project, kafkaName, *acl.Id)
		}
	}
	return err
}

// enableRegistry gives the service a schema registry.
func enableRegistry(e *testenv.Env) { setRegistry(e, true) }

func setRegistry(e *testenv.Env, enabled bool) { setRegistryOf(e, kafkaName, enabled) }

func setRegistryOf(e *testenv.Env, name string, enabled bool) {
	_, err := e.Aiven.Console.ServiceUpdate(e.T.Context(), e.Project, name, &service.ServiceUpdateIn{
		UserConfig: &map[string]any{"schema_registry": enabled},
	})
	require.NoError(e.T, err)
}

func versionsAtAiven(e *testenv.Env, subject string) []int {
	versions, err := e.Aiven.Console.ServiceSchemaRegistrySubjectVersionsGet(e.T.Context(), e.Project, kafkaName, subject)
	require.NoError(e.T, err)
	return versions
}

// dropVersion deletes a version softly, as the console does.
func dropVersion(e *testenv.Env, version int) {
	require.NoError(e.T, e.Aiven.Console.ServiceSchemaRegistrySubjectVersionDelete(e.T.Context(), e.Project, kafkaName, subjectName, version))
}

// dropSubject deletes a subject in both steps.
func dropSubject(e *testenv.Env, subject string) error {
	if err := e.Aiven.Console.ServiceSchemaRegistrySubjectDelete(e.T.Context(), e.Project, kafkaName, subject); err != nil {
		return err
	}
	return e.Aiven.Console.ServiceSchemaRegistrySubjectDelete(e.T.Context(), e.Project, kafkaName, subject,
		kafkaschemaregistry.ServiceSchemaRegistrySubjectDeletePermanent(true))
}
