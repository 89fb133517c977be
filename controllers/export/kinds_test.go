package export

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// project is a scripted Aiven with one service of these fields.
func project(t *testing.T, fields aiventest.Object) *aiventest.Aiven {
	a := aiventest.New(t)
	inProject(a, fields)
	return a
}

// one exports the service, and wants no difference.
func one(t *testing.T, a *aiventest.Aiven, kinds ...string) *Result {
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg", Kinds: kinds, Verify: true})
	require.NoError(t, err)
	assert.Empty(t, result.Differences)
	assert.Empty(t, result.Unread)
	assert.Empty(t, result.Uncompared)
	onlyReads(t, a)
	return result
}

func pick(r *rand.Rand, all ...string) string { return all[r.IntN(len(all))] }

func TestQuotasOfWholeBytesAreExported(t *testing.T) {
	million, broken := exportQuota(quota{User: "x", Consumer: ptr.To(1e6), Request: ptr.To(0.5)})
	assert.True(t, broken)
	raw, err := json.Marshal(million)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"consumerByteRate":1000000`)
	_, whole := exportQuota(quota{User: "x", Consumer: ptr.To(0.5)})
	assert.False(t, whole)
}

func TestTopicsAreExportedWithTheirOwnSettings(t *testing.T) {
	for seed := range uint64(50) {
		topic, own := randomTopic(rand.New(rand.NewPCG(seed, 3)))
		a := project(t, aiventest.Object{"service_type": "kafka", "topics": []any{
			aiventest.Object{"topic_name": topic.TopicName}, aiventest.Object{"topic_name": "__consumer_offsets"}, aiventest.Object{"topic_name": "_schemas"},
		}})
		a.On("GET service/my-pg/topic/"+topic.TopicName, aiventest.OK(aiventest.Object{"topic": topic}))
		result := one(t, a, "KafkaTopic")
		require.Len(t, result.Manifests, 1, "%v", result.Left)
		assert.Len(t, result.Left, 2)
		spec := exportTopic(&topic, false).Spec.Config
		set := 0
		for i := range reflect.ValueOf(ptr.Deref(spec, v1alpha1.KafkaTopicConfig{})).NumField() {
			if !reflect.ValueOf(*spec).Field(i).IsZero() {
				set++
			}
		}
		assert.LessOrEqual(t, set, own, "only settings of the topic itself")
	}
}

func TestInternalTopics(t *testing.T) {
	for name, internal := range map[string]bool{
		"__consumer_offsets": true, "_schemas": true, "mm2-offsets.a.internal": true, "heartbeats": true, "a.heartbeats": true, "a.checkpoints.internal": true,
		"orders": false, "_orders": false, "my_schemas": false, "heartbeats-of-hosts": false,
	} {
		assert.Equal(t, internal, internalTopic.MatchString(name), name)
	}
}

func TestSecretsOfAConnectorAreReadFromASecret(t *testing.T) {
	config := map[string]string{
		"name": "sink", "connector.class": "x.Sink", "topics": "orders", "db.password": canary + "1", "http.auth": canary + "2",
		"connection.url": "postgres://u:" + canary + "3@host/db", "hidden": "[HIDDEN]", "template": "{{ x }}",
	}
	obj, values := exportConnector("sink", config, map[string]bool{"http.auth": true})
	assert.Equal(t, "x.Sink", obj.Spec.ConnectorClass)
	assert.Equal(t, "orders", obj.Spec.UserConfig["topics"])
	for _, key := range []string{"db.password", "http.auth", "connection.url", "hidden", "template"} {
		assert.Equal(t, `{{ fromSecret "sink-secrets" "`+key+`" }}`, obj.Spec.UserConfig[key])
		assert.Equal(t, config[key], string(values[key]))
	}
	assert.Len(t, obj.Spec.UserConfig, 6)
}

func TestTheLargestIntegerIsOne(t *testing.T) {
	assert.Equal(t, int64(math.MaxInt64), integer(float64(math.MaxInt64)))
	assert.Equal(t, int64(1_000_000), integer(1e6))
}

func TestAManifestThatWouldHoldASecretIsLeftOut(t *testing.T) {
	a := project(t, aiventest.Object{
		"databases": []any{}, "tags": aiventest.Object{"note": "the password is " + canary + "admin"},
		"users": []any{aiventest.Object{"username": "avnadmin", "type": "primary", "password": canary + "admin"}},
	})
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg"})
	require.NoError(t, err)
	assert.Empty(t, result.Manifests)
	require.NotEmpty(t, result.Left)
	assert.Contains(t, result.Left[len(result.Left)-1].Text, "has the value of a secret")
}

func TestWhatAServiceIsNotAskedForWhileItIsOffIsNoted(t *testing.T) {
	a := project(t, aiventest.Object{"service_type": "kafka", "state": "POWEROFF", "user_config": aiventest.Object{"kafka_connect": true, "schema_registry": true}})
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg"})
	require.NoError(t, err)
	for _, what := range []string{"connectors", "schemas", "quotas"} {
		assert.Contains(t, result.Left, Note{"service my-pg: " + what, "the service is POWEROFF, and is asked only while it runs. Export it again then"})
	}
}

func TestANoteWithASecretInItIsNotShown(t *testing.T) {
	quoted := `a"secret\`
	e := &exporter{secrets: []string{canary + "x", quoted, `\\\\\\\\y`}, result: &Result{Differences: []Note{
		{"a", "is " + canary + "x"}, {"b", "is y"}, {"topic " + canary + "x", "z"}, {"c", fmt.Sprintf("%q", fmt.Sprintf("tag: %q", quoted))},
	}}}
	e.scrub()
	hidden := "the reason isn't shown, as a secret is in it"
	assert.Equal(t, []Note{{"a", hidden}, {"b", "is y"}, {"something whose name holds a secret", hidden}, {"c", hidden}}, e.result.Differences)
}

func TestNoCommentOfAManifestHoldsASecret(t *testing.T) {
	d := &draft{obj: &v1alpha1.KafkaTopic{}, what: "topic x"}
	d.note("spec.userConfig."+canary+"x", "not exported")
	e := &exporter{secrets: []string{canary + "x"}}
	_, err := e.write(d)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), canary)
}

func TestPeeringsAreNotedAndOfTwoVPCsThatAreTheSameOneIsExported(t *testing.T) {
	a := project(t, aiventest.Object{})
	vpc := func(id string) aiventest.Object {
		return aiventest.Object{
			"project_vpc_id": id, "cloud_name": "aws-eu-west-1", "network_cidr": "10.0.0.0/24", "state": "ACTIVE",
			"create_time": "2026-01-01T00:00:00Z", "update_time": "2026-01-01T00:00:00Z",
			"peering_connections": []any{aiventest.Object{"peer_cloud_account": "123", "peer_vpc": "vpc-9"}},
		}
	}
	a.On("GET service", aiventest.OK(aiventest.Object{"services": []any{}}))
	a.On("GET vpcs", aiventest.OK(aiventest.Object{"vpcs": []any{vpc("1"), vpc("2")}}))
	a.On("GET vpcs/1", aiventest.OK(vpc("1")))
	a.On("GET vpcs/2", aiventest.OK(vpc("2")))
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Kinds: []string{"ProjectVPC"}})
	require.NoError(t, err)
	assert.Empty(t, result.Unread)
	assert.Len(t, result.Manifests, 1)
	assert.Contains(t, result.Left, Note{"VPC aws-eu-west-1 10.0.0.0/24: peering connection with 123/vpc-9", "no kind serves it"})
}

// aConnector is a scripted Aiven with one connector, whose plugin is answered for as given.
func aConnector(t *testing.T, config aiventest.Object, plugin aiventest.Answer) *aiventest.Aiven {
	a := project(t, aiventest.Object{"service_type": "kafka", "user_config": aiventest.Object{"kafka_connect": true}})
	config["name"], config["connector.class"] = "sink", "x.Sink"
	a.On("GET service/my-pg/connectors", aiventest.OK(aiventest.Object{"connectors": []any{aiventest.Object{"name": "sink", "config": config}}}))
	a.On("GET service/my-pg/connector-plugins/x.Sink/configuration", plugin)
	return a
}

func TestAConnectorWhosePasswordsAreNotKnownIsLeftOut(t *testing.T) {
	a := aConnector(t, aiventest.Object{"http.auth": canary + "1"}, aiventest.Refused(403, "Not allowed"))
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg", Kinds: []string{"Kafka", "KafkaConnector"}})
	require.NoError(t, err)
	require.Len(t, result.Manifests, 1)
	assert.Equal(t, "Kafka", result.Manifests[0].Kind)
	require.Len(t, result.Unread, 1)
	assert.Equal(t, "service my-pg: connector sink", result.Unread[0].What)
	assert.NotContains(t, result.Unread[0].Text, canary)
}

func TestAHeaderOfAConnectorIsReadFromASecret(t *testing.T) {
	for value, secret := range map[string]bool{
		"X-Api-Key: abcdef": true, "Accept:text/plain|X-Auth-Token:abcdef": true, "Cookie: a=b": true, "Authorization: abcdef": true, "apikey:abcdef": true,
		"Content-Type: text/plain": false, "key:int32,value:string": false, "org.apache.kafka.connect.converters.ByteArrayConverter": false, "orders": false,
	} {
		obj, values := exportConnector("sink", map[string]string{"http.headers.additional": value}, nil)
		assert.Equal(t, secret, obj.Spec.UserConfig["http.headers.additional"] != value, value)
		assert.Equal(t, secret, len(values) == 1, value)
	}
}

func TestAReadOfDefaultsIsRepeatedSoThatNoneIsPinned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := project(t, aiventest.Object{"disk_space_mb": 1024, "user_config": aiventest.Object{"backup_hour": 3}})
		limited := aiventest.Refused(429, "Too many requests")
		schema := aiventest.Object{"properties": aiventest.Object{"backup_hour": aiventest.Object{"default": 3}}}
		a.On("GET service-types/pg", limited, aiventest.OK(aiventest.Object{"service_type": "pg", "user_config_schema": schema}))
		a.On("GET service-types/pg/plans/startup-4", limited, aiventest.OK(aiventest.Object{"service_type": "pg", "service_plan": "startup-4", "disk_space_mb": 1024}))
		result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg", Kinds: []string{"PostgreSQL"}})
		require.NoError(t, err)
		require.Len(t, result.Manifests, 1)
		assert.NotContains(t, string(result.Manifests[0].YAML), "disk_space")
		assert.NotContains(t, string(result.Manifests[0].YAML), "backup_hour")
	})
}

func TestADiskThatIsNotKnownToBeThePlansIsNoted(t *testing.T) {
	for mb, note := range map[int]string{1024: "may be the plan's own size", 1025: "aren't whole GiB"} {
		a := project(t, aiventest.Object{"disk_space_mb": mb})
		result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg", Kinds: []string{"PostgreSQL"}})
		require.NoError(t, err)
		require.Len(t, result.Manifests, 1)
		assert.Contains(t, string(result.Manifests[0].YAML), "# spec.disk_space: ")
		assert.Contains(t, string(result.Manifests[0].YAML), note)
	}
}

func TestAServiceOrATokenThatIsRefusedIsAnErrorOfTheWhole(t *testing.T) {
	for name, refused := range map[string]aiventest.Answer{
		"no such service": aiventest.Missing(), "the token": aiventest.Refused(401, "Invalid token"), "the permission": aiventest.Refused(403, "Not allowed"),
	} {
		a := project(t, aiventest.Object{})
		a.On("GET service/my-pg", refused)
		result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Service: "my-pg"})
		require.Error(t, err, name)
		assert.ErrorContains(t, err, "service my-pg", name)
		assert.Nil(t, result, name)
	}
	a := project(t, aiventest.Object{})
	a.On("GET service", aiventest.OK(aiventest.Object{"services": []any{}}))
	a.On("GET vpcs", aiventest.Refused(404, "Project not found"))
	result, err := export(t.Context(), a.Client(), Options{Project: aiventest.Project, Kinds: []string{"ProjectVPC"}})
	require.ErrorContains(t, err, "Project not found", "an export without an object")
	assert.Nil(t, result)
}
