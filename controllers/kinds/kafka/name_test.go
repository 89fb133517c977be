package kafka

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestANameThatNoPathCanHoldIsRefusedWithItsField(t *testing.T) {
	t.Run("KafkaTopic", func(t *testing.T) {
		refused(t, Topic, "spec.topicName", topic(func(spec *v1alpha1.KafkaTopicSpec) { spec.TopicName = "a//b" }))
	})
	t.Run("KafkaSchema", func(t *testing.T) {
		refused(t, Schema, "spec.subjectName", schema(func(obj *v1alpha1.KafkaSchema) { obj.Spec.SubjectName = "a//b" }))
	})
}

func refused[T controllers.Object](t *testing.T, kind controllers.Kind[T], field string, obj T) {
	t.Helper()
	a := registry(t)
	a.On(subjects, aiventest.OK(aiventest.Object{"subjects": []any{"a//b"}}))
	_, err := kind.New(schemaEnv(a)).Observe(t.Context(), obj)
	assert.Equal(t, fault.Invalid, fault.Of(err).Class)
	require.ErrorContains(t, err, field+": ")
}
