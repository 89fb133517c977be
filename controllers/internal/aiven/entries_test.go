package aiven_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func integration(id, kind, dest string) map[string]any {
	return map[string]any{
		"service_integration_id": id, "integration_type": kind, "source_project": "p", "source_service": "s",
		"dest_project": "p", "dest_service": dest, "active": true,
	}
}

func nativeACL(id, topic string) map[string]any {
	return map[string]any{
		"id": id, "resource_type": "Topic", "pattern_type": "LITERAL", "resource_name": topic, "principal": "User:a", "host": "*",
		"operation": "Read", "permission_type": "ALLOW",
	}
}

func schemaACL(id, resource string) map[string]any {
	return map[string]any{"id": id, "permission": "schema_registry_read", "username": "a", "resource": resource}
}

func anyUser(name string) map[string]any {
	return map[string]any{"username": name, "type": "normal", "password": "pw-" + name}
}

var (
	logsIntegration = aiven.IntegrationEntry("kafka_logs", aiven.IntegrationEnd{Project: "p", Service: "s"}, aiven.IntegrationEnd{Project: "p", Service: "kafka"})
	readTopic       = aiven.NativeACLEntry(aiven.KafkaACL{
		ResourceType: "Topic", PatternType: "LITERAL", ResourceName: "t", Principal: "User:a", Host: "*", Operation: "Read", PermissionType: "ALLOW",
	})
	readSubject = aiven.SchemaACLEntry("schema_registry_read", "a", "Subject:t")
)

func TestAChangeOfOneEntryIsNoChangeOfTheService(t *testing.T) {
	for name, tc := range map[string]struct {
		list          string
		before, after []any
		want          []aiven.Entry
	}{
		"one new integration":      {"service_integrations", []any{}, []any{integration("1", "kafka_logs", "kafka")}, []aiven.Entry{logsIntegration}},
		"an integration that went": {"service_integrations", []any{integration("1", "kafka_logs", "kafka")}, []any{}, []aiven.Entry{logsIntegration}},
		"an integration with another id": {
			"service_integrations", []any{integration("1", "kafka_logs", "kafka")}, []any{integration("2", "kafka_logs", "kafka")}, []aiven.Entry{logsIntegration},
		},
		"one new native ACL":      {"kafka_acl", []any{nativeACL("1", "x")}, []any{nativeACL("1", "x"), nativeACL("2", "t")}, []aiven.Entry{readTopic}},
		"a second id of one rule": {"kafka_acl", []any{nativeACL("1", "t")}, []any{nativeACL("1", "t"), nativeACL("2", "t")}, []aiven.Entry{readTopic}},
		"one new schema ACL":      {"schema_registry_acl", []any{}, []any{schemaACL("1", "Subject:t")}, []aiven.Entry{readSubject}},
		"one new ACL": {
			"acl", []any{}, []any{map[string]any{"permission": "read", "username": "a", "topic": "t"}}, []aiven.Entry{aiven.ACLEntry("read", "a", "t")},
		},
		"one new user":     {"users", []any{anyUser("a")}, []any{anyUser("a"), anyUser("b")}, []aiven.Entry{aiven.UserEntry("b")}},
		"a user that went": {"users", []any{anyUser("a"), anyUser("b")}, []any{anyUser("b")}, []aiven.Entry{aiven.UserEntry("a")}},
		"a user with another password": {
			"users", []any{anyUser("a")}, []any{map[string]any{"username": "a", "type": "normal", "password": "other"}}, []aiven.Entry{aiven.UserEntry("a")},
		},
		"one new database":     {"databases", []any{"defaultdb"}, []any{"defaultdb", "orders"}, []aiven.Entry{aiven.DatabaseEntry("orders")}},
		"a database that went": {"databases", []any{"defaultdb", "orders"}, []any{"orders"}, []aiven.Entry{aiven.DatabaseEntry("defaultdb")}},
		"one new pool":         {"connection_pools", []any{}, []any{map[string]any{"pool_name": "x"}}, []aiven.Entry{aiven.PoolEntry("x")}},
		"one new topic":        {"topics", []any{}, []any{map[string]any{"topic_name": "x"}}, []aiven.Entry{aiven.TopicEntry("x")}},
		"a list that the answer holds for the first time": {
			"topics", nil, []any{map[string]any{"topic_name": "x"}}, []aiven.Entry{aiven.TopicEntry("x")},
		},
		"a list that isn't in the answer": {"topics", []any{map[string]any{"topic_name": "x"}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(list []any) map[string]any {
				s := aService("s", "RUNNING", "a")
				if list != nil {
					s[tc.list] = list
				}
				return s
			}
			c := newCloud(of(tc.before))
			inBubble(t, c, func(v *view) {
				other, err := v.clients.ForToken("another-token")
				require.NoError(t, err)
				_, err = other.Service(v.t.Context(), "p", "s")
				require.NoError(t, err)
				v.users()
				c.put(of(tc.after))
				_, err = v.GetLive(v.t.Context(), "p", "s")
				require.NoError(t, err)
				var changes []aiven.Change
				if tc.want != nil {
					changes = []aiven.Change{{Key: theService, Entries: tc.want}}
				}
				assert.Equal(t, changes, v.heard())
				v.made()
				_, err = other.Service(v.t.Context(), "p", "s")
				require.NoError(t, err)
				assert.Empty(t, v.made(), "no other client's snapshot is stale")
			})
		})
	}
}

func TestAWriteOfARuleNeedsNoRead(t *testing.T) {
	native := aiven.KafkaACL{
		Id: "2", ResourceType: "Topic", PatternType: "LITERAL", ResourceName: "t", Principal: "User:a", Host: "*", Operation: "Read", PermissionType: "ALLOW",
	}
	for name, tc := range map[string]struct {
		entry  aiven.Entry
		result any
		held   func(*aiven.Service) int
	}{
		"a native ACL beside one with another id": {readTopic, &native, func(s *aiven.Service) int { return len(s.KafkaACLs) - 1 }},
		"an ACL of the schema registry": {
			readSubject, &aiven.SchemaRegistryACL{Id: ptr.To("1"), Permission: "schema_registry_read", Username: "a", Resource: "Subject:t"},
			func(s *aiven.Service) int { return len(s.SchemaRegistryACLs) },
		},
		"an integration": {
			logsIntegration, &aiven.Integration{IntegrationType: "kafka_logs", SourceProject: "p", SourceService: "s", DestProject: "p", DestService: ptr.To("kafka")},
			func(s *aiven.Service) int { return len(s.Integrations) },
		},
		"a pool":  {aiven.PoolEntry("x"), &aiven.Pool{PoolName: "x"}, func(s *aiven.Service) int { return len(s.Pools) }},
		"a topic": {aiven.TopicEntry("x"), &aiven.Topic{TopicName: "x"}, func(s *aiven.Service) int { return len(s.Topics) }},
	} {
		t.Run(name, func(t *testing.T) {
			start := aService("s", "RUNNING", "a")
			start["kafka_acl"] = []any{nativeACL("1", "t")}
			inBubble(t, newCloud(start), func(v *view) {
				v.users()
				v.made()
				for range 2 { // the same id twice is one
					v.RecordWrite("p", "s", tc.entry, aiven.WriteResult{Entry: tc.result})
				}
				found, err := v.Service(v.t.Context(), "p", "s", tc.entry)
				require.NoError(t, err)
				assert.Equal(t, 1, tc.held(found))
				assert.Empty(t, v.made())
				assert.Equal(t, []aiven.Change{{Key: theService, Entries: []aiven.Entry{tc.entry}, Known: true}}, v.heard())
			})
		})
	}
}

func TestAResultOfAnotherShapeIsReadAgain(t *testing.T) {
	inBubble(t, newCloud(aService("s", "RUNNING", "a")), func(v *view) {
		v.users()
		v.made()
		for _, result := range []any{(*aiven.User)(nil), aiven.User{Username: "a"}, "a", &aiven.TopicDetail{}} {
			v.RecordWrite("p", "s", aiven.UserEntry("a"), aiven.WriteResult{Entry: result})
			v.users(aiven.UserEntry("a"))
			assert.Len(t, v.made(), 1)
		}
		_, err := v.Service(v.t.Context(), "p", "gone")
		assert.True(t, fault.Is(err, fault.NotFound))
	})
}

func TestEntriesAreUnambiguous(t *testing.T) {
	a, b := aiven.IntegrationEnd{Project: "a", Service: "b"}, aiven.IntegrationEnd{Project: "a/b"}
	for name, pair := range map[string][2]aiven.Entry{
		"a slash in a topic":       {aiven.ACLEntry("read", "a/b", "c"), aiven.ACLEntry("read", "a", "b/c")},
		"a slash in a subject":     {aiven.SchemaACLEntry("read", "a/b", "c"), aiven.SchemaACLEntry("read", "a", "b/c")},
		"the ends the other way":   {aiven.IntegrationEntry("x", a, b), aiven.IntegrationEntry("x", b, a)},
		"an endpoint of that name": {aiven.IntegrationEntry("x", a, aiven.IntegrationEnd{EndpointID: "b"}), aiven.IntegrationEntry("x", a, aiven.IntegrationEnd{Service: "b"})},
	} {
		assert.NotEqual(t, pair[0], pair[1], name)
	}
	in := func(project string) aiven.Entry {
		return aiven.IntegrationEntry("x", a, aiven.IntegrationEnd{Project: project, EndpointID: "id"})
	}
	assert.Equal(t, in("p"), in(""), "the id of an endpoint is enough")
}

func TestAListProvesAbsencesIfAivenReturnedIt(t *testing.T) {
	empty := &aiven.Service{Users: map[string]*aiven.User{}}
	assert.True(t, empty.Lists(aiven.UserEntry("x")))
	assert.False(t, empty.Lists(aiven.DatabaseEntry("x")), "it is left out")
	assert.False(t, empty.Lists(""), "the service is in no list")
}
