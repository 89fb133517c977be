package kafka

import (
	"context"
	"fmt"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/kafka/internal/settings"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkatopics,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkatopics/status,verbs=patch

// Topic is a topic.
var Topic = resource.Definition[*v1alpha1.KafkaTopic, aiven.TopicDetail]{
	Object: &v1alpha1.KafkaTopic{}, HoldsData: true,
	Place: resource.InService(serviceType),
	Identity: func(obj *v1alpha1.KafkaTopic) controllers.Identity {
		return controllers.Identity{Entry: aiven.TopicEntry(obj.GetTopicName())}
	},
	Named:     func(obj *v1alpha1.KafkaTopic) (string, string) { return "spec.topicName", obj.GetTopicName() },
	Protected: func(obj *v1alpha1.KafkaTopic) bool { return ptr.Deref(obj.Spec.TerminationProtection, false) },
	Forget:    func(obj *v1alpha1.KafkaTopic) { obj.Status.State = "" },
	Find:      findTopic,
	Awaits:    missingNodes,
	Diff:      diffTopic,
	WriteOnly: settings.Unreturned,
	State:     topicState,
	Create:    createTopic,
	Update:    updateTopic,
	Delete:    deleteTopic,
}.Kind()

func findTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic) (*aiven.TopicDetail, error) {
	topic, err := s.Client.Topic(ctx, s.Project, s.ServiceName, obj.GetTopicName())
	if fault.Is(err, fault.NotFound) {
		obj.Status.State = ""
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	obj.Status.State = string(topic.State)
	return topic, nil
}

func createTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic) (*aiven.TopicDetail, error) {
	in := &kafkatopic.ServiceKafkaTopicCreateIn{
		TopicName: obj.GetTopicName(), Partitions: &obj.Spec.Partitions, Replication: &obj.Spec.Replication,
		Tags: topicTags(obj), Config: settings.Request(obj),
	}
	if err := s.Client.API().ServiceKafkaTopicCreate(ctx, s.Project, s.ServiceName, in); err != nil {
		return nil, fmt.Errorf("creating topic: %w", topicFields(obj).Of(err))
	}
	return requested(obj), nil
}

func updateTopic(
	ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic, found *aiven.TopicDetail, _ controllers.Diff,
) (*aiven.TopicDetail, error) {
	if err := changePending(obj, found); err != nil {
		return nil, err
	}
	in := &kafkatopic.ServiceKafkaTopicUpdateIn{
		Partitions: &obj.Spec.Partitions, Replication: &obj.Spec.Replication, Tags: topicTags(obj), Config: settings.Request(obj),
	}
	if err := s.Client.API().ServiceKafkaTopicUpdate(ctx, s.Project, s.ServiceName, obj.GetTopicName(), in); err != nil {
		return nil, fmt.Errorf("updating topic: %w", topicFields(obj).Of(err))
	}
	return nil, nil
}

// topicFields are the fields of a topic by the parameters that they are sent as, and by what Aiven calls them.
func topicFields(obj *v1alpha1.KafkaTopic) fault.Fields {
	return fault.Fields{
		"topic_name": fault.NameField("spec.topicName", obj.Spec.TopicName),
		"partitions": {Path: pathPartitions}, "number of partitions": {Path: pathPartitions},
		"replication": {Path: "spec.replication"}, "replication factor": {Path: "spec.replication"},
		"tag": {Path: "spec.tags"}, "tags": {Path: "spec.tags"}, "config": {Path: settings.Path, Tree: true},
	}
}

func deleteTopic(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaTopic, _ *aiven.TopicDetail) error {
	if err := s.Client.API().ServiceKafkaTopicDelete(ctx, s.Project, s.ServiceName, obj.GetTopicName()); err != nil {
		return fmt.Errorf("deleting topic: %w", err)
	}
	return nil
}
