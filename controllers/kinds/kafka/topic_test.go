package kafka

import (
	"maps"
	"reflect"
	"testing"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	topicRead   = "GET service/my-kafka/topic/orders"
	topicCreate = "POST service/my-kafka/topic"
	topicUpdate = "PUT service/my-kafka/topic/orders"
	topicRemove = "DELETE service/my-kafka/topic/orders"
)

func topic(edits ...func(*v1alpha1.KafkaTopicSpec)) *v1alpha1.KafkaTopic {
	obj := &v1alpha1.KafkaTopic{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "orders"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-kafka"
	obj.Spec.Partitions, obj.Spec.Replication = 3, 2
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func tagged(spec *v1alpha1.KafkaTopicSpec) {
	spec.Tags = []v1alpha1.KafkaTopicTag{{Key: "team", Value: "orders"}, {Key: "live"}}
}

func configured(config v1alpha1.KafkaTopicConfig) func(*v1alpha1.KafkaTopicSpec) {
	return func(spec *v1alpha1.KafkaTopicSpec) { spec.Config = config.DeepCopy() }
}

var everyType = configured(v1alpha1.KafkaTopicConfig{
	CleanupPolicy: "compact", RetentionMs: ptr.To(9223372036854775807), MinCleanableDirtyRatio: ptr.To(0.2), Preallocate: ptr.To(false),
})

func aWeek(spec *v1alpha1.KafkaTopicSpec) { spec.Config.RetentionMs = ptr.To(604_800_000) }

// returned are settings as Aiven returns them.
func returned(values aiventest.Object) aiventest.Object {
	config := aiventest.Object{}
	for name, value := range values {
		config[name] = aiventest.Object{"source": "topic_config", "value": value}
	}
	return aiventest.Object{"config": config}
}

// topicAt is the answer to a read of the topic, with some fields changed.
func topicAt(changes aiventest.Object) aiventest.Answer {
	partition := aiventest.Object{"isr": 2}
	fields := aiventest.Object{
		"topic_name": "orders", "state": "ACTIVE", "replication": 2, "partitions": []any{partition, partition, partition},
		"tags": []any{}, "config": aiventest.Object{},
	}
	maps.Copy(fields, changes)
	return aiventest.OK(aiventest.Object{"topic": fields})
}

var noTopic = aiventest.Refused(404, "Topic does not exist")

func TestTopicObserve(t *testing.T) {
	sameTags := aiventest.Object{"tags": []any{
		aiventest.Object{"key": "live", "value": ""}, aiventest.Object{"key": "team", "value": "orders"},
	}}
	same := returned(aiventest.Object{
		"cleanup_policy": "compact", "retention_ms": 9223372036854775807, "min_cleanable_dirty_ratio": 0.2, "preallocate": false,
	})
	others := returned(aiventest.Object{
		"cleanup_policy": "delete", "retention_ms": 9223372036854775806, "min_cleanable_dirty_ratio": 0.5, "preallocate": true,
	})
	for name, tc := range map[string]struct {
		obj       *v1alpha1.KafkaTopic
		found     aiventest.Object
		diff      controllers.Diff
		writeOnly []string
	}{
		"in sync":                            {obj: topic()},
		"in sync with tags in another order": {obj: topic(tagged), found: sameTags},
		"in sync with settings":              {obj: topic(everyType), found: same},
		"settings that the spec leaves open": {obj: topic(), found: others},
		"settings that Aiven doesn't show": {obj: topic(everyType), writeOnly: []string{
			"spec.config.cleanup_policy", "spec.config.min_cleanable_dirty_ratio", "spec.config.preallocate", "spec.config.retention_ms",
		}},
		"a setting that Kafka no longer has": {obj: topic(configured(v1alpha1.KafkaTopicConfig{MessageFormatVersion: "3.0"})), found: returned(aiventest.Object{"message_format_version": "None"})},
		"fewer partitions":                   {obj: topic(), found: aiventest.Object{"partitions": []any{aiventest.Object{}}}, diff: controllers.Diff{{Path: "spec.partitions", Wanted: "3", Found: "1"}}},
		"another replication":                {obj: topic(), found: aiventest.Object{"replication": 3}, diff: controllers.Diff{{Path: "spec.replication", Wanted: "2", Found: "3"}}},
		"tags that the spec doesn't have":    {obj: topic(), found: sameTags, diff: controllers.Diff{{Path: "spec.tags", Wanted: "[]", Found: "[live= team=orders]"}}},
		"other settings, each named and compared": {obj: topic(everyType), found: others, diff: controllers.Diff{
			{Path: "spec.config.cleanup_policy", Wanted: "compact", Found: "delete"},
			{Path: "spec.config.min_cleanable_dirty_ratio", Wanted: "0.2", Found: "0.5"},
			{Path: "spec.config.preallocate", Wanted: "false", Found: "true"},
			{Path: "spec.config.retention_ms", Wanted: "9223372036854775807", Found: "9223372036854775806"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(topicRead, topicAt(tc.found))
			o, err := Topic.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.ElementsMatch(t, tc.writeOnly, o.WriteOnly)
			assert.Equal(t, "ACTIVE", tc.obj.Status.State)
			assert.Equal(t, []string{lookup, topicRead}, a.Calls(), "what is there is only read")
		})
	}
}

func TestTheStateOfATopicGoesWithItsService(t *testing.T) {
	a, obj := aiventest.New(t), topic()
	a.On(lookup, aiventest.Missing())
	obj.Status.State = "ACTIVE"
	_, err := Topic.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Empty(t, obj.Status.State)
}

func TestTopicState(t *testing.T) {
	for name, tc := range map[string]struct {
		answer         aiventest.Answer
		exists, active bool
		state, message string
		class          fault.Class
	}{
		"there is none":    {answer: noTopic, class: fault.None},
		"being configured": {answer: topicAt(aiventest.Object{"state": "CONFIGURING"}), exists: true, state: "CONFIGURING", message: "Waiting for Aiven: the topic is CONFIGURING", class: fault.None},
		"being deleted":    {answer: topicAt(aiventest.Object{"state": "DELETING"}), exists: true, state: "DELETING", message: "Waiting for Aiven: the topic is DELETING", class: fault.None},
		"of use":           {answer: topicAt(nil), exists: true, active: true, state: "ACTIVE", class: fault.None},
		"it can't be read": {answer: aiventest.Refused(503, "try later"), state: "of long ago", class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(nil))
			a.On(topicRead, tc.answer)
			obj := topic()
			obj.Status.State = "of long ago"
			o, err := Topic.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, tc.exists, o.Remote.Exists)
			assert.Equal(t, tc.active, o.Remote.Active)
			assert.Equal(t, tc.message, o.Remote.Message)
			assert.Equal(t, tc.state, obj.Status.State)
		})
	}
}

func TestTopicWrites(t *testing.T) {
	grown := topic(func(s *v1alpha1.KafkaTopicSpec) { s.Partitions = 6 })
	shrunk := topic(func(s *v1alpha1.KafkaTopicSpec) { s.Partitions = 2 })
	for name, tc := range map[string]struct {
		obj           *v1alpha1.KafkaTopic
		service       aiventest.Object
		before, after aiventest.Answer
		refused       bool
		calls         []string
		class         fault.Class
		text          string
		waits         string // what a creation waits for
	}{
		"create": {
			obj: topic(), before: noTopic, after: topicAt(nil), class: fault.None,
			calls: []string{lookup, topicRead, topicCreate + ` {"partitions":3,"replication":2,"tags":[],"topic_name":"orders"}`},
		},
		"create with tags and settings": {
			obj: topic(tagged, everyType, aWeek), before: noTopic, after: topicAt(nil), class: fault.None,
			calls: []string{
				lookup, topicRead,
				topicCreate + ` {"config":{"cleanup_policy":"compact","min_cleanable_dirty_ratio":0.2,"preallocate":false,` +
					`"retention_ms":604800000},"partitions":3,"replication":2,` +
					`"tags":[{"key":"team","value":"orders"},{"key":"live","value":""}],"topic_name":"orders"}`,
			},
		},
		"create in a service that has fewer nodes than copies, which Aiven checks": {
			obj: topic(), service: aiventest.Object{"node_states": nodes("running")}, before: noTopic, refused: true,
			calls: []string{lookup, topicRead, topicCreate + ` {"partitions":3,"replication":2,"tags":[],"topic_name":"orders"}`},
			class: fault.Rejected, text: "creating topic",
		},
		"no create before the nodes run": {
			obj: topic(), service: aiventest.Object{"node_states": nodes("running", "setting_up_vm", "syncing_data")}, before: noTopic,
			calls: []string{lookup, topicRead},
			waits: "Waiting for service my-kafka: it has 1 running nodes, and the topic needs 2",
		},
		"more partitions": {
			obj: grown, before: topicAt(nil), after: topicAt(aiventest.Object{"state": "CONFIGURING"}), class: fault.None,
			calls: []string{lookup, topicRead, topicUpdate + ` {"partitions":6,"replication":2,"tags":[]}`, lookup, topicRead},
		},
		"fewer partitions are refused without a call": {
			obj: shrunk, before: topicAt(nil), calls: []string{lookup, topicRead}, class: fault.Invalid,
			text: "spec.partitions: must be at least 3, as the topic has that many: partitions can't be removed",
		},
		"no update while Aiven is at work": {
			obj: grown, before: topicAt(aiventest.Object{"state": "CONFIGURING"}), calls: []string{lookup, topicRead},
			class: fault.Conflict, text: "the topic is CONFIGURING",
		},
		"other settings": {
			obj: topic(configured(v1alpha1.KafkaTopicConfig{RetentionMs: ptr.To(-1)})), before: topicAt(returned(aiventest.Object{"retention_ms": 1000})),
			after: topicAt(returned(aiventest.Object{"retention_ms": -1})), class: fault.None,
			calls: []string{
				lookup, topicRead, topicUpdate + ` {"config":{"retention_ms":-1},"partitions":3,"replication":2,"tags":[]}`,
				lookup, topicRead,
			},
		},
		"update refused": {
			obj: grown, before: topicAt(nil), refused: true,
			calls: []string{lookup, topicRead, topicUpdate + ` {"partitions":6,"replication":2,"tags":[]}`},
			class: fault.Rejected, text: "updating topic",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(tc.service))
			a.On(topicRead, tc.before, tc.after)
			answer := aiventest.OK(nil)
			if tc.refused {
				answer = aiventest.Refused(400, "no")
			}
			a.On(topicCreate, answer)
			a.On(topicUpdate, answer)
			c := Topic.New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			require.Equal(t, tc.waits, o.WaitFor)
			switch {
			case o.Remote.Exists:
				o, err = c.Update(t.Context(), tc.obj, o)
			case o.WaitFor == "":
				o, err = c.Create(t.Context(), tc.obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.waits != "" {
				return
			}
			assert.Equal(t, tc.class, fault.Of(err).Class)
			if tc.text != "" {
				assert.ErrorContains(t, err, tc.text)
				return
			}
			assert.True(t, o.Remote.Exists)
		})
	}
}

func TestTopicDelete(t *testing.T) {
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		class  fault.Class
	}{
		"deleted": {aiventest.OK(nil), fault.None},
		"gone":    {noTopic, fault.None},
		"refused": {aiventest.Refused(403, "no"), fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(topicRemove, tc.answer)
			err := Topic.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), topic())
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, topicRemove, a.Calls()[0], "a 404 is confirmed by a list of the services")
		})
	}
}

func TestTopicIsWhatItSays(t *testing.T) {
	obj := topic()
	assert.False(t, Topic.Protected(obj))
	assert.EqualValues(t, "topic/orders", Topic.Identity(obj).Entry)
	obj.Spec.TerminationProtection, obj.Spec.TopicName = ptr.To(true), "the_orders"
	assert.True(t, Topic.Protected(obj))
	assert.EqualValues(t, "topic/the_orders", Topic.Identity(obj).Entry)
}

// The settings are carried over by their names: a field that is missing on one side would be a panic in the operator.
func TestEverySettingIsKnownToRequestsAndAnswers(t *testing.T) {
	spec := reflect.TypeFor[v1alpha1.KafkaTopicConfig]()
	in, out := reflect.TypeFor[kafkatopic.ConfigIn](), reflect.TypeFor[kafkatopic.ConfigOut]()
	for i := range spec.NumField() {
		wanted := spec.Field(i)
		value := wanted.Type
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		sent, taken := in.FieldByName(wanted.Name)
		read, shown := out.FieldByName(wanted.Name)
		require.True(t, taken && shown, wanted.Name)
		assert.Equal(t, wanted.Tag.Get("json"), sent.Tag.Get("json"))
		assert.Equal(t, wanted.Tag.Get("json"), read.Tag.Get("json"))
		assert.Equal(t, wanted.Type.Kind(), sent.Type.Kind(), wanted.Name)
		field, _ := read.Type.Elem().FieldByName("Value")
		assert.Equal(t, value.Kind(), field.Type.Kind(), wanted.Name)
	}
}
