package localaiven_test

import (
	"slices"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// lateEntry is what a client makes and deletes in a service, and finds in a list.
type lateEntry struct {
	serviceType, plan string
	make              func(*testing.T, *harness) string
	remove            func(*testing.T, *harness, string) error
	listed            func(*testing.T, *harness, string) bool
}

// late is the name of the service.
const late = "late"

func lateEntries() map[string]lateEntry {
	return map[string]lateEntry{
		"quotas":                {"kafka", "business-4", makeQuota, removeQuota, quotaListed},
		"a quota, described":    {"kafka", "business-4", makeQuota, removeQuota, quotaDescribed},
		"native ACLs":           {"kafka", "business-4", makeNativeACL, removeNativeACL, nativeACLListed},
		"ACLs":                  {"kafka", "business-4", makeACL, removeACL, aclListed},
		"registry ACLs":         {"kafka", "business-4", makeRegistryACL, removeRegistryACL, registryACLListed},
		"connectors":            {"kafka", "business-4", makeConnector, removeConnector, connectorListed},
		"topics":                {"kafka", "business-4", makeTopic, removeTopic, topicListed},
		"topics in version 2":   {"kafka", "business-4", makeTopic, removeTopic, topicListedV2},
		"databases of pg":       {"pg", "startup-4", makeDatabase, removeDatabase, databaseListed},
		"databases of MySQL":    {"mysql", "startup-4", makeDatabase, removeDatabase, databaseListed},
		"the ACL of OpenSearch": {"opensearch", "startup-4", makeSearchACL, removeSearchACL, searchACLListed},
		"tags":                  {"pg", "startup-4", makeTag, removeTag, tagListed},
	}
}

// TestListsOfAServiceAreReadLate reads just before and just after the lag is over.
func TestListsOfAServiceAreReadLate(t *testing.T) {
	for name, entry := range lateEntries() {
		t.Run(name, func(t *testing.T) {
			h := start(t, localaiven.Options{Eventual: lag})
			in := service.ServiceCreateIn{ServiceName: late, ServiceType: entry.serviceType, Plan: entry.plan}
			if entry.serviceType == "kafka" {
				in.UserConfig = &map[string]any{"kafka_connect": true, "schema_registry": true}
			}
			_, err := h.client.ServiceCreate(t.Context(), proj, &in)
			require.NoError(t, err)
			h.clock.Advance(lag)
			id := entry.make(t, h)
			see := func(want bool, when string) {
				t.Helper()
				assert.Equal(t, want, entry.listed(t, h, id), when)
			}
			see(false, "at once")
			h.clock.Advance(lag - 1)
			see(false, "just before")
			h.clock.Advance(1)
			see(true, "after the lag")
			require.NoError(t, entry.remove(t, h, id), "writes don't lag")
			see(true, "just deleted")
			h.clock.Advance(lag - 1)
			see(true, "deleted just before")
			h.clock.Advance(1)
			see(false, "deleted long ago")
		})
	}
}

func makeQuota(t *testing.T, h *harness) string {
	t.Helper()
	require.NoError(t, h.client.ServiceKafkaQuotaCreate(t.Context(), proj, late,
		&kafka.ServiceKafkaQuotaCreateIn{User: ptr("bob"), ConsumerByteRate: ptr(1.0)}))
	return "bob"
}

func removeQuota(t *testing.T, h *harness, id string) error {
	t.Helper()
	return h.client.ServiceKafkaQuotaDelete(t.Context(), proj, late, kafka.ServiceKafkaQuotaDeleteUser(id))
}

func quotaListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceKafkaQuotaList(t.Context(), proj, late)
	require.NoError(t, err)
	return slices.ContainsFunc(all, func(q kafka.QuotaOut) bool { return q.User == id })
}

// quotaDescribed is false for a quota without limits: so Aiven describes one that doesn't exist.
func quotaDescribed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	found, err := h.client.ServiceKafkaQuotaDescribe(t.Context(), proj, late, kafka.ServiceKafkaQuotaDescribeUser(id))
	require.NoError(t, err)
	return found.ConsumerByteRate != nil
}

func makeNativeACL(t *testing.T, h *harness) string {
	t.Helper()
	made, err := h.client.ServiceKafkaNativeAclAdd(t.Context(), proj, late, nativeACL())
	require.NoError(t, err)
	return made.Id
}

func removeNativeACL(t *testing.T, h *harness, id string) error {
	t.Helper()
	return h.client.ServiceKafkaNativeAclDelete(t.Context(), proj, late, id)
}

func nativeACLListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceKafkaNativeAclList(t.Context(), proj, late)
	require.NoError(t, err)
	return slices.ContainsFunc(all.KafkaAcl, func(a kafka.KafkaAclOut) bool { return a.Id == id })
}

func makeACL(t *testing.T, h *harness) string {
	t.Helper()
	all, err := h.client.ServiceKafkaAclAdd(t.Context(), proj, late,
		&kafka.ServiceKafkaAclAddIn{Username: "bob", Topic: "orders", Permission: "read"})
	require.NoError(t, err)
	return all[len(all)-1].Id
}

func removeACL(t *testing.T, h *harness, id string) error {
	t.Helper()
	_, err := h.client.ServiceKafkaAclDelete(t.Context(), proj, late, id)
	return err
}

func aclListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceKafkaAclList(t.Context(), proj, late)
	require.NoError(t, err)
	return slices.ContainsFunc(all, func(a kafka.ServiceKafkaAclListOut) bool { return *a.Id == id })
}

func makeRegistryACL(t *testing.T, h *harness) string {
	t.Helper()
	all, err := h.client.ServiceSchemaRegistryAclAdd(t.Context(), proj, late, &kafkaschemaregistry.ServiceSchemaRegistryAclAddIn{
		Username: "bob", Resource: "Subject:orders", Permission: "schema_registry_read",
	})
	require.NoError(t, err)
	return *all[len(all)-1].Id
}

func removeRegistryACL(t *testing.T, h *harness, id string) error {
	t.Helper()
	_, err := h.client.ServiceSchemaRegistryAclDelete(t.Context(), proj, late, id)
	return err
}

func registryACLListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceSchemaRegistryAclList(t.Context(), proj, late)
	require.NoError(t, err)
	return slices.ContainsFunc(all, func(a kafkaschemaregistry.AclOut) bool { return *a.Id == id })
}

func makeConnector(t *testing.T, h *harness) string {
	t.Helper()
	_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, late, sink(nil))
	require.NoError(t, err)
	return (*sink(nil))["name"]
}

func removeConnector(t *testing.T, h *harness, id string) error {
	t.Helper()
	return h.client.ServiceKafkaConnectDeleteConnector(t.Context(), proj, late, id)
}

func connectorListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceKafkaConnectList(t.Context(), proj, late)
	require.NoError(t, err)
	return len(all.Connectors) == 1 && all.Connectors[0].Name == id
}

func makeTopic(t *testing.T, h *harness) string {
	t.Helper()
	require.NoError(t, h.client.ServiceKafkaTopicCreate(t.Context(), proj, late, &kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders"}))
	return "orders"
}

func removeTopic(t *testing.T, h *harness, id string) error {
	t.Helper()
	return h.client.ServiceKafkaTopicDelete(t.Context(), proj, late, id)
}

func topicListed(t *testing.T, h *harness, id string) bool {
	t.Helper()
	all, err := h.client.ServiceKafkaTopicList(t.Context(), proj, late)
	require.NoError(t, err)
	return len(all) == 1 && all[0].TopicName == id
}
