package localaiven

import (
	"time"

	"github.com/aero-operator/aero/tests/localaiven/schemaregistry"
)

// kafkaState is what a service of Kafka has besides topics and Aiven's own ACLs, and what one of Kafka Connect has. The
// mu of its service guards it.
type kafkaState struct {
	nativeACLs   []nativeACL   // never changed in place
	registryACLs []registryACL // never changed in place
	quotas       map[quotaKey]quota
	connectors   []*connector
	connectOn    time.Time                // when user_config enabled Kafka Connect; zero is when the service was created
	rebalanced   time.Time                // when the workers of Kafka Connect are done with the latest change
	registry     *schemaregistry.Registry // of a service of Kafka, also where it isn't enabled
}

// prepareKafka adds what a new service of Kafka comes with.
func (s *Server) prepareKafka(svc *service) {
	svc.acls = []acl{defaultACL}
	svc.kafka = kafkaState{registryACLs: defaultRegistryACLs(), registry: schemaregistry.New(s.clock.Now, svc.past.Lag)}
}

func (s *Server) kafkaMoreRoutes() []route {
	return []route{
		{"GET /{service}/kafka/acl", "ServiceKafkaNativeAclList", s.nativeACLList},
		{"POST /{service}/kafka/acl", "ServiceKafkaNativeAclAdd", s.nativeACLAdd},
		{"GET /{service}/kafka/acl/{acl}", "ServiceKafkaNativeAclGet", s.nativeACLGet},
		{"DELETE /{service}/kafka/acl/{acl}", "ServiceKafkaNativeAclDelete", s.nativeACLDelete},

		{"GET /{service}/kafka/schema-registry/acl", "ServiceSchemaRegistryAclList", s.registryACLList},
		{"POST /{service}/kafka/schema-registry/acl", "ServiceSchemaRegistryAclAdd", s.registryACLAdd},
		{"DELETE /{service}/kafka/schema-registry/acl/{acl}", "ServiceSchemaRegistryAclDelete", s.registryACLDelete},

		{"GET /{service}/quota", "ServiceKafkaQuotaList", s.quotaList},
		{"POST /{service}/quota", "ServiceKafkaQuotaCreate", s.quotaCreate},
		{"DELETE /{service}/quota", "ServiceKafkaQuotaDelete", s.quotaDelete},
		{"GET /{service}/quota/describe", "ServiceKafkaQuotaDescribe", s.quotaDescribe},
	}
}

// resources are what can exist twice or leak. The id is that of the service.
func (k *kafkaState) resources(id string) []Resource {
	var out []Resource
	for _, a := range k.nativeACLs {
		out = append(out, Resource{Type: "kafka_native_acl", ID: id + "/" + a.natural() + "#" + a.ID})
	}
	for _, a := range k.registryACLs {
		natural := id + "/" + a.Username + "/" + a.Resource + "/" + a.Permission
		out = append(out, Resource{"schema_registry_acl", natural + "#" + a.ID, a.builtin()})
	}
	for _, key := range k.quotaKeys() {
		out = append(out, Resource{Type: "kafka_quota", ID: id + "/" + key.natural()})
	}
	for _, c := range k.connectors {
		out = append(out, Resource{Type: "kafka_connector", ID: id + "/" + c.name})
	}
	if k.registry != nil {
		for _, subject := range k.registry.Existing() {
			out = append(out, Resource{Type: "kafka_schema", ID: id + "/" + subject})
		}
	}
	return out
}
