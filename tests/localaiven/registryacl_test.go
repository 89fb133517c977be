package localaiven_test

import (
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const registryACLPath = kafkaPath + "/kafka/schema-registry/acl"

// registryACLs has the list that the client hides.
type registryACLs struct {
	ACL []kafkaschemaregistry.AclOut `json:"acl"`
}

func (h *harness) addRegistryACL(t *testing.T, username, resource, permission string) string {
	t.Helper()
	list, err := h.client.ServiceSchemaRegistryAclAdd(t.Context(), proj, kafkaName, &kafkaschemaregistry.ServiceSchemaRegistryAclAddIn{
		Username: username, Resource: resource, Permission: kafkaschemaregistry.PermissionType(permission),
	})
	require.NoError(t, err)
	return *list[len(list)-1].Id
}

func TestLifeOfARegistryACL(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	ctx := t.Context()
	before, err := h.client.ServiceSchemaRegistryAclList(ctx, proj, kafkaName)
	require.NoError(t, err)
	assert.Len(t, before, 2, "what the first user may do")
	id := h.addRegistryACL(t, "bob", "Subject:orders-*", "schema_registry_read")
	assert.Equal(t, []string{proj + "/" + kafkaName + "/bob/Subject:orders-*/schema_registry_read#" + id}, h.ofType("schema_registry_acl"))
	assert.NotEqual(t, id, h.addRegistryACL(t, "bob", "Subject:orders-*", "schema_registry_read"), "an identical entry has an id of its own")

	left, err := h.client.ServiceSchemaRegistryAclDelete(ctx, proj, kafkaName, id)
	require.NoError(t, err)
	assert.Len(t, left, 3)
	_, err = h.client.ServiceSchemaRegistryAclDelete(ctx, proj, kafkaName, id)
	assert.True(t, aiven.IsNotFound(err))
	listed, err := h.client.ServiceSchemaRegistryAclList(ctx, proj, kafkaName)
	require.NoError(t, err)
	assert.Equal(t, left, listed)
}

func TestRefusedRegistryACLs(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	good := `{"permission":"schema_registry_read","resource":"Subject:x","username":"bob"}`
	for name, c := range map[string]badCall{
		"an unknown permission":     {post, registryACLPath, strings.Replace(good, "schema_registry_read", "read", 1), 400, "schema_registry_write"},
		"a resource without a kind": {post, registryACLPath, strings.Replace(good, "Subject:x", "x", 1), 400, "Config:"},
		"a resource too long":       {post, registryACLPath, strings.Replace(good, "Subject:x", "Subject:"+strings.Repeat("x", 242), 1), 400, "249"},
		"a bad user name":           {post, registryACLPath, strings.Replace(good, "bob", "b b", 1), 400, "username"},
		"an unknown key":            {post, registryACLPath, `{"colour":1}`, 400, "colour"},
		"an unknown entry":          {del, registryACLPath + "/nope", "", 404, "does not exist"},
		"an unknown service":        {get, servicesPath + "/nope/kafka/schema-registry/acl", "", 404, "Service nope does not exist"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Empty(t, h.ofType("schema_registry_acl"))
}
