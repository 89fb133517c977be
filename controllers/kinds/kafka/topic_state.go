package kafka

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
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
	if wanted, has := tagTexts(*topicTags(obj)), tagTexts(found.Tags); !slices.Equal(wanted, has) {
		diff.Add("spec.tags", wanted, has)
	}
	diffSettings(&diff, obj, found)
	return diff
}

// topicState says how far Aiven is with a topic.
func topicState(found *aiven.TopicDetail) status.Remote {
	remote := status.Remote{Exists: true, State: string(found.State), Active: string(found.State) == topicActive}
	if !remote.Active {
		remote.Message = "Waiting for Aiven: the topic is " + remote.State
	}
	return remote
}

// nodesPending waits for the nodes that are to hold the copies of a new topic. More copies than the service has nodes are
// refused by Aiven.
func nodesPending(s resource.Scope, obj *v1alpha1.KafkaTopic) error {
	running := 0
	for _, node := range s.Service.NodeStates {
		if node.State == avnservice.NodeStateTypeRunning {
			running++
		}
	}
	if needed := min(len(s.Service.NodeStates), obj.Spec.Replication); running < needed {
		return fault.NotYet(fmt.Sprintf("service %s has %d running nodes, and the topic needs %d", s.Service.Name, running, needed))
	}
	return nil
}

// changePending waits for a topic that Aiven is at work on, and refuses what no topic can do.
func changePending(obj *v1alpha1.KafkaTopic, diff controllers.Diff) error {
	if obj.Status.State != topicActive {
		return fault.NotYet("the topic is " + obj.Status.State)
	}
	i := slices.IndexFunc(diff, func(d v1alpha1.DriftEntry) bool { return d.Path == pathPartitions })
	if i < 0 {
		return nil
	}
	if has, _ := strconv.Atoi(diff[i].Found); has > obj.Spec.Partitions {
		return fault.InvalidSpec(pathPartitions, fmt.Sprintf("can't be lowered, and the topic has %d", has))
	}
	return nil
}
