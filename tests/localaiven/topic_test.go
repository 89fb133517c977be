package localaiven_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func (h *harness) createTopic(t *testing.T, in kafkatopic.ServiceKafkaTopicCreateIn) {
	t.Helper()
	require.NoError(t, h.client.ServiceKafkaTopicCreate(t.Context(), proj, kafkaName, &in))
}

func (h *harness) updateTopic(t *testing.T, in kafkatopic.ServiceKafkaTopicUpdateIn) {
	t.Helper()
	require.NoError(t, h.client.ServiceKafkaTopicUpdate(t.Context(), proj, kafkaName, "orders", &in))
}

func (h *harness) topic(t *testing.T) *kafkatopic.ServiceKafkaTopicGetOut {
	t.Helper()
	out, err := h.client.ServiceKafkaTopicGet(t.Context(), proj, kafkaName, "orders")
	require.NoError(t, err)
	return out
}

func TestLifeOfATopic(t *testing.T) {
	h := runningKafka(t, localaiven.Options{TopicTime: time.Second})
	ctx := t.Context()
	h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{
		TopicName: "orders", Partitions: ptr(3), Replication: ptr(2), TopicDescription: ptr("what is sold"),
		Tags:   &[]kafkatopic.TagIn{{Key: "team", Value: "shop"}},
		Config: &kafkatopic.ConfigIn{RetentionMs: ptr(7_200_000), CleanupPolicy: "compact", MinCleanableDirtyRatio: ptr(0.3), Preallocate: ptr(true)},
	})
	got := h.topic(t)
	assert.EqualValues(t, "CONFIGURING", got.State)
	assert.EqualValues(t, "CONFIGURING", h.getKafka(t).Topics[0].State)
	h.clock.Advance(time.Second)
	got = h.topic(t)
	assert.EqualValues(t, "ACTIVE", got.State)
	require.Len(t, got.Partitions, 3)
	assert.Equal(t, 2, got.Partitions[2].Isr)
	assert.Equal(t, 2, got.Replication)
	assert.Equal(t, []kafkatopic.TagOut{{Key: "team", Value: "shop"}}, got.Tags)
	assert.Equal(t, "what is sold", got.TopicDescription)
	assert.Equal(t, "compact", got.CleanupPolicy)
	assert.Equal(t, 2, got.RetentionHours)
	assert.Equal(t, kafkatopic.RetentionMsOut{Source: "topic_config", Value: 7_200_000}, *got.Config.RetentionMs)
	assert.Equal(t, kafkatopic.MinCleanableDirtyRatioOut{Source: "topic_config", Value: 0.3}, *got.Config.MinCleanableDirtyRatio)
	assert.True(t, got.Config.Preallocate.Value)
	assert.Equal(t, kafkatopic.SegmentMsOut{Source: "default_config", Value: 604_800_000}, *got.Config.SegmentMs)

	list, err := h.client.ServiceKafkaTopicList(ctx, proj, kafkaName)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []any{"orders", 3, 2, 2, got.Tags}, []any{list[0].TopicName, list[0].Partitions, list[0].Replication, list[0].RetentionHours, list[0].Tags})
	shown := h.getKafka(t).Topics
	require.Len(t, shown, 1)
	assert.EqualValues(t, "ACTIVE", shown[0].State, "what time does shows in ServiceGet, too")

	h.updateTopic(t, kafkatopic.ServiceKafkaTopicUpdateIn{Partitions: ptr(5), Tags: &[]kafkatopic.TagIn{}})
	assert.EqualValues(t, "CONFIGURING", h.topic(t).State)
	h.clock.Advance(time.Second)
	assert.Len(t, h.topic(t).Partitions, 5)
	assert.Empty(t, h.topic(t).Tags)
	assert.Equal(t, 2, h.topic(t).Replication, "what isn't named stays")

	require.NoError(t, h.client.ServiceKafkaTopicDelete(ctx, proj, kafkaName, "orders"))
	_, err = h.client.ServiceKafkaTopicGet(ctx, proj, kafkaName, "orders")
	assert.True(t, aiven.IsNotFound(err))
	assert.Empty(t, h.getKafka(t).Topics)
}

func TestANewTopicTakesATenthOfTheTimeOfAService(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders"})
	assert.Equal(t, 3, h.topic(t).Replication)
	assert.Len(t, h.topic(t).Partitions, 1)
	h.clock.Advance(provision/10 - 1)
	assert.EqualValues(t, "CONFIGURING", h.topic(t).State)
	h.clock.Advance(1)
	assert.EqualValues(t, "ACTIVE", h.topic(t).State)
}

func TestConfigOfATopicIsMergedAndNullResets(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{
		TopicName: "orders", CleanupPolicy: "compact,delete", MinInsyncReplicas: ptr(2), RetentionHours: ptr(5), RetentionBytes: ptr(-1),
	})
	config := h.topic(t).Config
	assert.Equal(t, "compact,delete", config.CleanupPolicy.Value)
	assert.Equal(t, 2, config.MinInsyncReplicas.Value)
	assert.Equal(t, 5*3_600_000, config.RetentionMs.Value)
	assert.EqualValues(t, "topic_config", config.RetentionBytes.Source)
	h.updateTopic(t, kafkatopic.ServiceKafkaTopicUpdateIn{RetentionHours: ptr(-1), Config: &kafkatopic.ConfigIn{FlushMessages: ptr(1<<62 + 1)}})
	assert.Equal(t, 1<<62+1, h.topic(t).Config.FlushMessages.Value, "large numbers stay whole")
	assert.Equal(t, -1, h.topic(t).RetentionHours)
	status, _ := h.send(t, put, kafkaPath+"/topic/orders", "x", `{"config":{"retention_ms":null,"cleanup_policy":"delete"}}`)
	require.Equal(t, 200, status)
	config = h.topic(t).Config
	assert.Equal(t, kafkatopic.RetentionMsOut{Source: "default_config", Value: 604_800_000}, *config.RetentionMs)
	assert.Equal(t, "delete", config.CleanupPolicy.Value)
	assert.Equal(t, 2, config.MinInsyncReplicas.Value, "what isn't named stays")
}

func TestManyTopicsAreReadAtOnce(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	var names []string
	for i := range 150 {
		names = append(names, fmt.Sprintf("topic-%d", i))
		h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{TopicName: names[i], Partitions: ptr(i%3 + 1)})
	}
	read := func(names ...string) ([]kafkatopic.ServiceKafkaTopicGetOut, error) {
		return h.client.ServiceKafkaTopicListV2(t.Context(), proj, kafkaName, &kafkatopic.ServiceKafkaTopicListV2In{TopicNames: names})
	}
	got, err := read(names[:100]...)
	require.NoError(t, err)
	require.Len(t, got, 100)
	assert.Equal(t, "topic-1", got[1].TopicName)
	assert.Len(t, got[1].Partitions, 2)
	assert.NotNil(t, got[1].Config.SegmentMs)
	_, err = read("topic-1", "nope")
	assert.True(t, aiven.IsNotFound(err), "one that is missing fails all")
	list, err := h.client.ServiceKafkaTopicList(t.Context(), proj, kafkaName)
	require.NoError(t, err)
	assert.Len(t, list, 150)
	assert.Equal(t, int64(1), h.Stats().Calls["ServiceKafkaTopicList"])
	assert.Equal(t, int64(2), h.Stats().Calls["ServiceKafkaTopicListV2"])
}

func TestRefusedTopics(t *testing.T) {
	topics, orders := kafkaPath+"/topic", kafkaPath+"/topic/orders"
	for name, c := range map[string]badCall{
		"a topic that exists":            {post, topics, `{"topic_name":"orders"}`, 409, "already exists"},
		"a bad name":                     {post, topics, `{"topic_name":"a b"}`, 400, "a b"},
		"a name of dots":                 {post, topics, `{"topic_name":".."}`, 400, "'..'"},
		"no partitions":                  {post, topics, `{"topic_name":"x","partitions":0}`, 400, "partitions 0"},
		"too many partitions":            {post, topics, `{"topic_name":"x","partitions":1000001}`, 400, "1000001"},
		"fewer partitions":               {put, orders, `{"partitions":2}`, 400, "from 3 to 2"},
		"more replicas than nodes":       {post, topics, `{"topic_name":"x","replication":4}`, 400, "4 is larger"},
		"more replicas in an update":     {put, orders, `{"replication":4}`, 400, "4 is larger"},
		"no replica":                     {put, orders, `{"replication":0}`, 400, "replication 0"},
		"an unknown key of config":       {post, topics, `{"topic_name":"x","config":{"colour":1}}`, 400, "colour"},
		"a wrong type in config":         {post, topics, `{"topic_name":"x","config":{"retention_ms":"long"}}`, 400, "retention_ms"},
		"an unknown policy":              {post, topics, `{"topic_name":"x","config":{"cleanup_policy":"burn"}}`, 400, "burn"},
		"an unknown policy beside":       {post, topics, `{"topic_name":"x","cleanup_policy":"burn"}`, 400, "burn"},
		"a number below the minimum":     {put, orders, `{"config":{"min_insync_replicas":0}}`, 400, "min_insync_replicas"},
		"a number above the maximum":     {put, orders, `{"config":{"min_cleanable_dirty_ratio":1.5}}`, 400, "min_cleanable_dirty_ratio"},
		"reading an unknown topic":       {get, topics + "/nope", "", 404, "Topic does not exist"},
		"updating an unknown topic":      {put, topics + "/nope", `{}`, 404, "Topic does not exist"},
		"deleting an unknown topic":      {del, topics + "/nope", "", 404, "Topic does not exist"},
		"patching an unknown topic":      {http.MethodPatch, "/_local" + kafkaPath[3:], `{"topics":[{"topic_name":"nope"}]}`, 404, "nope"},
		"a list of version 2 of nothing": {post, "/v2" + kafkaPath[3:] + "/topic", `{"names":[]}`, 400, "names"},
	} {
		t.Run(name, func(t *testing.T) {
			h := runningKafka(t, localaiven.Options{})
			h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders", Partitions: ptr(3)})
			before := h.topic(t)
			assertRefused(t, h, "x", c)
			assert.Equal(t, before, h.topic(t))
		})
	}
}

func TestTopicsAndACLsNeedARunningService(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: kafkaName, ServiceType: "kafka", Plan: "startup-2"})
	require.NoError(t, err)
	for _, c := range []badCall{
		{method: get, path: kafkaPath + "/topic"},
		{method: get, path: kafkaPath + "/topic/orders"},
		{method: post, path: kafkaPath + "/topic", body: `{"topic_name":"orders"}`},
		{method: post, path: kafkaPath + "/acl", body: `{"username":"bob","topic":"*","permission":"read"}`},
	} {
		c.status, c.message = 503, "not running"
		assertRefused(t, h, "x", c)
	}
	_, err = h.client.ServiceKafkaAclList(t.Context(), proj, kafkaName)
	assert.NoError(t, err, "ACLs can be read at any time")
}

func TestAStateOfATopicFromTheConsoleStays(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders"})
	patch := func(state string) {
		t.Helper()
		require.NoError(t, h.Patch(proj, kafkaName, map[string]any{"topics": []map[string]string{{"topic_name": "orders", "state": state}}}))
	}
	patch("DELETING")
	h.clock.Advance(10 * provision)
	assert.EqualValues(t, "DELETING", h.topic(t).State)
	assert.EqualValues(t, "DELETING", h.getKafka(t).Topics[0].State)
	patch("")
	assert.EqualValues(t, "ACTIVE", h.topic(t).State)
	patch("CONFIGURING")
	h.updateTopic(t, kafkatopic.ServiceKafkaTopicUpdateIn{})
	assert.EqualValues(t, "ACTIVE", h.topic(t).State, "the API moves it")
}

func TestTheListShowsAllOfKafka(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders"})
	_, err := h.client.ServiceUserCreate(t.Context(), proj, kafkaName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	for _, wait := range []time.Duration{0, provision} {
		h.clock.Advance(wait)
		_, got := h.send(t, get, kafkaPath+"?include_secrets=true", "x", "")
		_, list := h.send(t, get, servicesPath+"?include_secrets=true", "x", "")
		assert.Equal(t, []any{got["service"]}, list["services"])
		encoded, err := json.Marshal(list)
		require.NoError(t, err)
		for _, part := range []string{`"users":[{`, `"topics":[{`, `"acl":[{`, `"BEGIN CERTIFICATE`[1:]} {
			assert.Contains(t, string(encoded), part)
		}
	}
}

func TestManyCallersOfKafkaAtOnceLeaveWhatTheyShould(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for round := range 5 {
				name := fmt.Sprintf("n-%d-%d", i, round)
				assert.NoError(t, h.client.ServiceKafkaTopicCreate(ctx, proj, kafkaName, &kafkatopic.ServiceKafkaTopicCreateIn{TopicName: name}))
				id, err := h.addACL(ctx, name, name, "read")
				assert.NoError(t, err)
				_, err = h.client.ServiceList(ctx, proj, service.ServiceListIncludeSecrets(true))
				assert.NoError(t, err)
				assert.NoError(t, h.client.ServiceKafkaTopicUpdate(ctx, proj, kafkaName, name, &kafkatopic.ServiceKafkaTopicUpdateIn{Partitions: ptr(2)}))
				_, err = h.client.ServiceKafkaTopicListV2(ctx, proj, kafkaName, &kafkatopic.ServiceKafkaTopicListV2In{TopicNames: []string{name}})
				assert.NoError(t, err)
				assert.NotEmpty(t, h.Resources())
				assert.NoError(t, h.client.ServiceKafkaTopicDelete(ctx, proj, kafkaName, name))
				_, err = h.client.ServiceKafkaAclDelete(ctx, proj, kafkaName, id)
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	assert.Len(t, h.Resources(), 5, "the service, its admin and its default ACLs")
}
