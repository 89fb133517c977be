package kafka

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/kinds/kafka/internal/settings"
	"github.com/aero-operator/aero/controllers/resource"
)

const (
	topicActive    = string(kafkatopic.TopicStateTypeActive)
	pathPartitions = "spec.partitions"
)

// diffTopic compares what the spec sets. Tags are a whole: without any in the spec there are to be none.
func diffTopic(_ resource.Scope, obj *v1alpha1.KafkaTopic, found *aiven.TopicDetail) controllers.Diff {
	var diff controllers.Diff
	if has := len(found.Partitions); obj.Spec.Partitions != has {
		diff.Add(pathPartitions, obj.Spec.Partitions, has)
	}
	if obj.Spec.Replication != found.Replication {
		diff.Add("spec.replication", obj.Spec.Replication, found.Replication)
	}
	if wanted, has := printedTags(obj.Spec.Tags), printedTags(found.Tags); !reflect.DeepEqual(wanted.Value, has.Value) {
		diff.Add("spec.tags", wanted, has)
	}
	settings.Compare(&diff, obj, found)
	return diff
}

// topicState is the state of a topic at Aiven.
func topicState(found *aiven.TopicDetail) status.Remote {
	remote := status.Remote{Exists: true, State: string(found.State), Active: string(found.State) == topicActive}
	if !remote.Active {
		remote.Message = "Waiting for Aiven: the topic is " + cmp.Or(remote.State, "being created")
	}
	return remote
}

// requested is a topic as it was created. Its answer is empty, and Aiven is at work on the topic now: the next reconcile reads
// it, together with others that were created meanwhile.
func requested(obj *v1alpha1.KafkaTopic) *aiven.TopicDetail {
	topic := &aiven.TopicDetail{
		TopicName: obj.GetTopicName(), Replication: obj.Spec.Replication, Partitions: make([]kafkatopic.PartitionOut, obj.Spec.Partitions),
	}
	for _, tag := range obj.Spec.Tags {
		topic.Tags = append(topic.Tags, kafkatopic.TagOut(tag))
	}
	return topic
}

// missingNodes is why the nodes that are to hold the copies of a new topic are too few; empty if they aren't. More copies than the service
// has nodes are refused by Aiven.
func missingNodes(s resource.Scope, obj *v1alpha1.KafkaTopic) string {
	running := 0
	for _, node := range s.Service.NodeStates {
		if node.State == avnservice.NodeStateTypeRunning {
			running++
		}
	}
	if needed := min(len(s.Service.NodeStates), obj.Spec.Replication); running < needed {
		return fmt.Sprintf("Waiting for service %s: it has %d running nodes, and the topic needs %d", s.Service.Name, running, needed)
	}
	return ""
}

// changePending waits for a topic that Aiven is working on, and refuses what no topic can do.
func changePending(obj *v1alpha1.KafkaTopic, found *aiven.TopicDetail) error {
	if found.State != kafkatopic.TopicStateTypeActive {
		return fault.NotYet("the topic is " + string(found.State))
	}
	if has := len(found.Partitions); obj.Spec.Partitions < has {
		return fault.InvalidSpec(pathPartitions, fmt.Sprintf("must be at least %d, as the topic has that many: partitions can't be removed", has))
	}
	return nil
}

// topicTags are never null in a request: an empty list takes all tags away.
func topicTags(obj *v1alpha1.KafkaTopic) *[]kafkatopic.TagIn {
	in := make([]kafkatopic.TagIn, 0, len(obj.Spec.Tags))
	for _, tag := range obj.Spec.Tags {
		in = append(in, kafkatopic.TagIn(tag))
	}
	return &in
}

// printedTags are tags as the spec has them, so that the same ones make the same list: their order means nothing.
func printedTags[T v1alpha1.KafkaTopicTag | kafkatopic.TagOut](tags []T) plan.Printed {
	list, texts := make([]v1alpha1.KafkaTopicTag, 0, len(tags)), make([]string, 0, len(tags))
	for _, tag := range tags {
		list, texts = append(list, v1alpha1.KafkaTopicTag(tag)), append(texts, kafkatopic.TagIn(tag).Key+"="+kafkatopic.TagIn(tag).Value)
	}
	slices.SortFunc(list, func(a, b v1alpha1.KafkaTopicTag) int { return cmp.Compare(fmt.Sprintf("%q", a), fmt.Sprintf("%q", b)) })
	slices.Sort(texts)
	return plan.Printed{Text: fmt.Sprint(texts), Value: list}
}
