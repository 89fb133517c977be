package resource

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// pool is a kind with values of several types, of which an update sends the whole spec.
func pool(found v1alpha1.KafkaTopicSpec, sent *v1alpha1.KafkaTopicSpec) Definition[*v1alpha1.KafkaTopic, v1alpha1.KafkaTopicSpec] {
	type topic = *v1alpha1.KafkaTopic
	return Definition[topic, v1alpha1.KafkaTopicSpec]{
		Object: &v1alpha1.KafkaTopic{}, Place: Anywhere(),
		Identity: func(obj topic) controllers.Identity { return controllers.Identity{Name: obj.Name} },
		Find:     func(context.Context, Scope, topic) (*v1alpha1.KafkaTopicSpec, error) { return &found, nil },
		Diff: func(_ Scope, obj topic, found *v1alpha1.KafkaTopicSpec) controllers.Diff {
			var diff controllers.Diff
			if obj.Spec.Partitions != found.Partitions {
				diff.Add("spec.partitions", obj.Spec.Partitions, found.Partitions)
			}
			if obj.Spec.TopicName != found.TopicName {
				diff.Add("spec.topicName", obj.Spec.TopicName, found.TopicName)
			}
			if len(obj.Spec.Tags) != len(found.Tags) {
				diff.Add("spec.tags", obj.Spec.Tags, found.Tags)
			}
			return diff
		},
		Update: func(_ context.Context, _ Scope, obj topic, _ *v1alpha1.KafkaTopicSpec, _ controllers.Diff) (*v1alpha1.KafkaTopicSpec, error) {
			*sent = obj.Spec
			obj.Status.State = "CONFIGURING"
			return &found, nil
		},
	}
}

func TestAnUpdateSendsWhatTheResourceHasWhereItIsHeld(t *testing.T) {
	wanted := &v1alpha1.KafkaTopic{Spec: v1alpha1.KafkaTopicSpec{Partitions: 6, Replication: 3, TopicName: "new", Tags: []v1alpha1.KafkaTopicTag{{Key: "a"}}}}
	two := []v1alpha1.KafkaTopicTag{{Key: "a"}, {Key: "b", Value: "c"}}
	held := func(path string, found any) (diff controllers.Diff) {
		diff.Add(path, nil, found)
		diff[0].Found = "{\"which\": \"text it has doesn't count\"}"
		return diff
	}
	for name, tc := range map[string]struct {
		found     v1alpha1.KafkaTopicSpec
		held      controllers.Diff
		want      func(*v1alpha1.KafkaTopicSpec)
		separable bool
	}{
		"a number":                               {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "old"}, held("spec.partitions", 3), func(s *v1alpha1.KafkaTopicSpec) { s.Partitions = 3 }, true},
		"a text":                                 {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "old"}, held("spec.topicName", "old"), func(s *v1alpha1.KafkaTopicSpec) { s.TopicName = "old" }, true},
		"a text that could be a number":          {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "7"}, held("spec.topicName", "7"), func(s *v1alpha1.KafkaTopicSpec) { s.TopicName = "7" }, true},
		"no value":                               {v1alpha1.KafkaTopicSpec{Partitions: 3}, controllers.Diff{{Path: "spec.topicName"}}, func(s *v1alpha1.KafkaTopicSpec) { s.TopicName = "" }, true},
		"both":                                   {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "old"}, append(held("spec.partitions", 3), held("spec.topicName", "old")...), func(s *v1alpha1.KafkaTopicSpec) { s.Partitions, s.TopicName = 3, "old" }, true},
		"a value that is hidden":                 {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "old"}, held("spec.topicName", plan.Hidden{}), nil, false},
		"a value of which a part isn't compared": {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "old"}, held("spec.topicName", plan.Printed{Value: "old", Partial: true}), nil, false},
		"a value that it doesn't have":           {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "old"}, held("spec.topicName", "other"), nil, false},
		"a number where a text is":               {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "7"}, held("spec.topicName", 7), nil, false},
		"a text like no value":                   {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: "<nil>"}, held("spec.topicName", "<nil>"), func(s *v1alpha1.KafkaTopicSpec) { s.TopicName = "<nil>" }, true},
		"a text like a map":                      {v1alpha1.KafkaTopicSpec{Partitions: 3, TopicName: `{"a": 1}`}, held("spec.topicName", `{"a": 1}`), func(s *v1alpha1.KafkaTopicSpec) { s.TopicName = `{"a": 1}` }, true},
		"a number that no float has":             {v1alpha1.KafkaTopicSpec{Partitions: 1<<53 + 1}, held("spec.partitions", 1<<53+1), func(s *v1alpha1.KafkaTopicSpec) { s.Partitions = 1<<53 + 1 }, true},
		"a number in exponents":                  {v1alpha1.KafkaTopicSpec{Partitions: 1e6}, held("spec.partitions", 1e6), func(s *v1alpha1.KafkaTopicSpec) { s.Partitions = 1e6 }, true},
		"a list":                                 {v1alpha1.KafkaTopicSpec{Partitions: 3, Tags: two}, held("spec.tags", two), func(s *v1alpha1.KafkaTopicSpec) { s.Tags = two }, true},
		"an entry of a list":                     {v1alpha1.KafkaTopicSpec{Partitions: 3}, held("spec.tags[a]", "x"), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var sent v1alpha1.KafkaTopicSpec
			d, obj := pool(tc.found, &sent), wanted.DeepCopy()
			c := d.Kind().New(controllers.Env{Client: aiventest.New(t).Client()})
			seen, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			require.Equal(t, tc.separable, c.(plan.Separator).Separates(obj, tc.held))
			seen.Held.Diff = tc.held
			_, err = c.Update(t.Context(), obj, seen)
			assert.Equal(t, wanted.Spec, obj.Spec, "the object is as it was")
			if !tc.separable {
				require.ErrorIs(t, err, plan.ErrInseparable)
				assert.Zero(t, sent)
				return
			}
			require.NoError(t, err)
			expected := *wanted.Spec.DeepCopy()
			tc.want(&expected)
			assert.Equal(t, expected, sent)
			assert.Equal(t, "CONFIGURING", obj.Status.State, "but for its status")
		})
	}
}

func TestWhatHasNothingToCompareIsNotSeparable(t *testing.T) {
	a := aiventest.New(t)
	c := &controller[user, aiven.User]{definition: definition(), env: controllers.Env{Client: a.Client()}}
	assert.False(t, c.Separates(object(), controllers.Diff{{Path: "spec.x"}}), "nothing was found")
}
