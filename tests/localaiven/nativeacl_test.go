package localaiven_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

const nativeACLPath = kafkaPath + "/kafka/acl"

func nativeACL() *kafka.ServiceKafkaNativeAclAddIn {
	return &kafka.ServiceKafkaNativeAclAddIn{
		Operation: "Read", PatternType: "PREFIXED", PermissionType: "ALLOW", Principal: "User:bob", ResourceName: "ord", ResourceType: "Topic",
	}
}

// ofType are the ids of the resources of a type.
func (h *harness) ofType(what string) []string {
	out := []string{}
	for _, r := range h.Resources() {
		if r.Type == what && !r.Builtin {
			out = append(out, r.ID)
		}
	}
	return out
}

func TestLifeOfANativeACL(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	ctx := t.Context()
	made, err := h.client.ServiceKafkaNativeAclAdd(ctx, proj, kafkaName, nativeACL())
	require.NoError(t, err)
	assert.Equal(t, "*", made.Host, "any host, where none is named")
	assert.NotEmpty(t, made.Id)
	read, err := h.client.ServiceKafkaNativeAclGet(ctx, proj, kafkaName, made.Id)
	require.NoError(t, err)
	assert.EqualValues(t, *made, *read)
	list, err := h.client.ServiceKafkaNativeAclList(ctx, proj, kafkaName)
	require.NoError(t, err)
	require.Len(t, list.KafkaAcl, 1)
	assert.Equal(t, []string{made.Id, "User:bob", "ord"}, []string{list.KafkaAcl[0].Id, list.KafkaAcl[0].Principal, list.KafkaAcl[0].ResourceName})
	require.Len(t, list.Acl, 1, "Aiven's own are listed, too")
	assert.Equal(t, "avnadmin", list.Acl[0].Username)
	assert.Equal(t, []string{proj + "/" + kafkaName + "/User:bob/*/Topic/PREFIXED/ord/Read/ALLOW#" + made.Id}, h.ofType("kafka_native_acl"))

	_, err = h.client.ServiceKafkaNativeAclAdd(ctx, proj, kafkaName, nativeACL())
	assert.True(t, aiven.IsAlreadyExists(err), "%v", err)
	other := nativeACL()
	other.Host = ptr("10.0.0.1")
	second, err := h.client.ServiceKafkaNativeAclAdd(ctx, proj, kafkaName, other)
	require.NoError(t, err)
	assert.NotEqual(t, made.Id, second.Id)

	require.NoError(t, h.client.ServiceKafkaNativeAclDelete(ctx, proj, kafkaName, made.Id))
	assert.True(t, aiven.IsNotFound(h.client.ServiceKafkaNativeAclDelete(ctx, proj, kafkaName, made.Id)))
	_, err = h.client.ServiceKafkaNativeAclGet(ctx, proj, kafkaName, made.Id)
	assert.True(t, aiven.IsNotFound(err))
	assert.Len(t, h.ofType("kafka_native_acl"), 1)
}

func TestRefusedNativeACLs(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	good := `{"operation":"Read","pattern_type":"LITERAL","permission_type":"DENY","principal":"User:bob","resource_name":"x","resource_type":"Topic"}`
	with := func(was, is string) string { return strings.Replace(good, was, is, 1) }
	for name, c := range map[string]badCall{
		"an unknown operation":       {post, nativeACLPath, with("Read", "Dance"), 400, "operation 'Dance'"},
		"an unknown pattern type":    {post, nativeACLPath, with("LITERAL", "MATCH"), 400, "pattern_type 'MATCH'"},
		"an unknown permission type": {post, nativeACLPath, with("DENY", "MAYBE"), 400, "permission_type 'MAYBE'"},
		"an unknown resource type":   {post, nativeACLPath, with("Topic", "Moon"), 400, "resource_type 'Moon'"},
		"a principal without a type": {post, nativeACLPath, with("User:bob", "bob"), 400, "User:alice"},
		"no resource name":           {post, nativeACLPath, with(`"x"`, `""`), 400, "resource_name"},
		"a resource name too long":   {post, nativeACLPath, with(`"x"`, `"`+strings.Repeat("x", 257)+`"`), 400, "256"},
		"an empty host":              {post, nativeACLPath, with(`{`, `{"host":"",`), 400, "host"},
		"an unknown key":             {post, nativeACLPath, with(`{`, `{"colour":1,`), 400, "colour"},
		"reading an unknown entry":   {get, nativeACLPath + "/nope", "", 404, "does not exist"},
		"deleting an unknown entry":  {del, nativeACLPath + "/nope", "", 404, "does not exist"},
		"an unknown service":         {get, servicesPath + "/nope/kafka/acl", "", 404, "Service nope does not exist"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Empty(t, h.ofType("kafka_native_acl"))
	t.Run("a service of another type", func(t *testing.T) {
		assertRefused(t, running(t, localaiven.Options{}), "x", badCall{get, servicePath + "/kafka/acl", "", 400, "pg"})
	})
}

func TestNativeACLsReachTheEngine(t *testing.T) {
	b := &broker{}
	h := brokered(t, b, map[string]any{})
	native := func() []engine.NativeACL {
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.Clone(b.native)
	}
	made, err := h.client.ServiceKafkaNativeAclAdd(t.Context(), proj, kafkaName, nativeACL())
	require.NoError(t, err)
	want := engine.NativeACL{Principal: "User:bob", Host: "*", Operation: "Read", Resource: "Topic", Name: "ord", Prefixed: true}
	assert.Equal(t, []engine.NativeACL{want}, native())
	require.NoError(t, h.client.ServiceKafkaNativeAclDelete(t.Context(), proj, kafkaName, made.Id))
	assert.Empty(t, native())
	b.mu.Lock()
	b.broken = errors.New("disk on fire")
	b.mu.Unlock()
	_, err = h.client.ServiceKafkaNativeAclAdd(t.Context(), proj, kafkaName, nativeACL())
	require.Error(t, err)
	assert.Empty(t, h.ofType("kafka_native_acl"), "one that the engine refuses isn't there")
}

func TestAnswersAboutACLsAndQuotasHaveTheShapeOfThePublicClient(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	made, err := h.client.ServiceKafkaNativeAclAdd(t.Context(), proj, kafkaName, nativeACL())
	require.NoError(t, err)
	h.setQuota(t, kafka.ServiceKafkaQuotaCreateIn{
		User: ptr("bob"), ClientId: ptr("app"), ConsumerByteRate: ptr(1.0), ProducerByteRate: ptr(2.0), RequestPercentage: ptr(3.0),
	})
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceKafkaNativeAclList": {get, nativeACLPath, "", kafka.ServiceKafkaNativeAclListOut{}},
		"ServiceKafkaNativeAclAdd": {post, nativeACLPath, strings.Replace(
			`{"operation":"Read","pattern_type":"LITERAL","permission_type":"DENY","principal":"User:bob","resource_name":"x","resource_type":"Topic"}`, "x", "y", 1,
		), struct {
			ACL kafka.ServiceKafkaNativeAclAddOut
		}{}},
		"ServiceKafkaNativeAclGet": {get, nativeACLPath + "/" + made.Id, "", struct {
			ACL kafka.ServiceKafkaNativeAclGetOut
		}{}},
		"ServiceSchemaRegistryAclList": {get, registryACLPath, "", registryACLs{}},
		"ServiceSchemaRegistryAclAdd": {
			post, registryACLPath, `{"permission":"schema_registry_read","resource":"Subject:x","username":"bob"}`, registryACLs{},
		},
		"ServiceSchemaRegistryAclDelete": {del, registryACLPath + "/default-sr-admin-config", "", registryACLs{}},
		"ServiceKafkaQuotaList":          {get, quotaPath, "", struct{ Quotas []kafka.QuotaOut }{}},
		"ServiceKafkaQuotaDescribe": {get, quotaPath + "/describe?user=bob&client-id=app", "", struct {
			Quota kafka.ServiceKafkaQuotaDescribeOut
		}{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}
