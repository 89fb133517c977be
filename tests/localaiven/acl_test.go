package localaiven_test

import (
	"context"
	"fmt"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// addACL returns the id of the new entry.
func (h *harness) addACL(ctx context.Context, username, topic, permission string) (string, error) {
	list, err := h.client.ServiceKafkaAclAdd(ctx, proj, kafkaName, &kafka.ServiceKafkaAclAddIn{
		Username: username, Topic: topic, Permission: kafka.PermissionType(permission),
	})
	for _, entry := range list {
		if entry.Username == username && entry.Topic == topic && string(entry.Permission) == permission {
			return entry.Id, err
		}
	}
	return "", err
}

func TestLifeOfAnACL(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	ctx := t.Context()
	id, err := h.addACL(ctx, "bob", "orders-*", "readwrite")
	require.NoError(t, err)
	assert.Regexp(t, "^acl[0-9a-f]{11}$", id)
	list, err := h.client.ServiceKafkaAclList(ctx, proj, kafkaName)
	require.NoError(t, err)
	require.Len(t, list, 2, "the default entry, and the new one")
	assert.Equal(t, kafka.ServiceKafkaAclListOut{Id: &id, Permission: "readwrite", Topic: "orders-*", Username: "bob"}, list[1])
	shown := h.getKafka(t).Acl
	require.Len(t, shown, 2)
	assert.Equal(t, id, *shown[1].Id)
	assert.Contains(t, h.Resources(), localaiven.Resource{Type: "kafka_acl", ID: proj + "/" + kafkaName + "/bob/orders-*/readwrite#" + id})

	_, err = h.addACL(ctx, "bob", "orders-*", "readwrite")
	assert.True(t, aiven.IsAlreadyExists(err))
	left, err := h.client.ServiceKafkaAclDelete(ctx, proj, kafkaName, id)
	require.NoError(t, err)
	require.Len(t, left, 1)
	again, err := h.addACL(ctx, "bob", "orders-*", "readwrite")
	require.NoError(t, err)
	assert.NotEqual(t, id, again)
	left, err = h.client.ServiceKafkaAclDelete(ctx, proj, kafkaName, "default")
	require.NoError(t, err)
	assert.Equal(t, "bob", left[0].Username)
}

func TestRefusedACLs(t *testing.T) {
	body := func(username, topic, permission string) string {
		return fmt.Sprintf(`{"username":%q,"topic":%q,"permission":%q}`, username, topic, permission)
	}
	for name, c := range map[string]badCall{
		"an unknown permission":     {post, kafkaPath + "/acl", body("bob", "*", "own"), 400, "own"},
		"a bad username":            {post, kafkaPath + "/acl", body("b b", "*", "read"), 400, "b b"},
		"a bad topic":               {post, kafkaPath + "/acl", body("bob", "", "read"), 400, "topic"},
		"an unknown key":            {post, kafkaPath + "/acl", `{"host":"*"}`, 400, "host"},
		"deleting an unknown entry": {del, kafkaPath + "/acl/nope", "", 404, "ACL entry does not exist"},
		"the default entry, as is":  {post, kafkaPath + "/acl", body("avnadmin", "*", "admin"), 409, "already exists"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, runningKafka(t, localaiven.Options{}), "x", c) })
	}
}
