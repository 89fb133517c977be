package kafka

import (
	"context"
	"fmt"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkatopics,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkatopics/status,verbs=patch

// Topic is a topic.
var Topic = controllers.Kind[*v1alpha1.KafkaTopic]{
	Object: &v1alpha1.KafkaTopic{},
	New: resource.Definition[*v1alpha1.KafkaTopic, aiven.TopicDetail]{
		In:     []string{serviceType},
		Find:   findTopic,
		Diff:   diffTopic,
		State:  topicState,
		Create: createTopic,
		Update: updateTopic,
		Delete: deleteTopic,
	}.Controller,
	Parts: func(obj *v1alpha1.KafkaTopic) []aiven.Entry {
		return []aiven.Entry{aiven.TopicEntry(obj.GetTopicName())}
	},
	Protected: func(obj *v1alpha1.KafkaTopic) bool {
		return obj.Spec.TerminationProtection != nil && *obj.Spec.TerminationProtection
	},
}

func findTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic) (*aiven.TopicDetail, error) {
	obj.Status.State = ""
	topic, err := s.Client.Topic(ctx, s.Project, s.Service.Name, obj.GetTopicName())
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	obj.Status.State = string(topic.State)
	return topic, nil
}

func createTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic) (aiven.WriteResult, error) {
	if err := nodesPending(s, obj); err != nil {
		return aiven.WriteResult{}, err
	}
	in := &kafkatopic.ServiceKafkaTopicCreateIn{
		TopicName: obj.GetTopicName(), Partitions: &obj.Spec.Partitions, Replication: &obj.Spec.Replication,
		Tags: topicTags(obj), Config: topicConfig(obj),
	}
	if err := s.Client.API().ServiceKafkaTopicCreate(ctx, s.Project, s.Service.Name, in); err != nil {
		return aiven.WriteResult{}, fmt.Errorf("creating topic: %w", err)
	}
	return aiven.WriteResult{}, nil
}

func updateTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic, diff controllers.Diff) (aiven.WriteResult, error) {
	if err := changePending(obj, diff); err != nil {
		return aiven.WriteResult{}, err
	}
	in := &kafkatopic.ServiceKafkaTopicUpdateIn{
		Partitions: &obj.Spec.Partitions, Replication: &obj.Spec.Replication, Tags: topicTags(obj), Config: topicConfig(obj),
	}
	if err := s.Client.API().ServiceKafkaTopicUpdate(ctx, s.Project, s.Service.Name, obj.GetTopicName(), in); err != nil {
		return aiven.WriteResult{}, fmt.Errorf("updating topic: %w", err)
	}
	return aiven.WriteResult{}, nil
}

func deleteTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic) error {
	if err := s.Client.API().ServiceKafkaTopicDelete(ctx, s.Project, s.Service.Name, obj.GetTopicName()); err != nil {
		return fmt.Errorf("deleting topic: %w", err)
	}
	return nil
}
