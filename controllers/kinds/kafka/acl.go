package kafka

import (
	"context"
	"fmt"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/kafka/internal/rules"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaacls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaacls/status,verbs=patch

// ACL is an Aiven ACL, as opposed to one of Kafka's own.
var ACL = resource.Definition[*v1alpha1.KafkaACL, rules.Set]{
	Object: &v1alpha1.KafkaACL{}, IsRule: true,
	Place:          resource.InService(serviceType),
	Identity:       func(obj *v1alpha1.KafkaACL) controllers.Identity { return controllers.Identity{Entry: aclEntry(obj)} },
	LookupOnDelete: true,
	Reads:          requestedEntries,
	Item:           aclItem,
	Shares:         rules.Keys,
	Intent:         requestRule,
	Find:           findACL,
	Diff:           diffACL,
	Create:         createACL,
	Update:         updateACL,
	Delete:         deleteACL,
}.Kind()

// findACL lets go of old rules only when they are gone, or another object's: until then, status.id and status.requested are all that is
// known of them. Before the operator has begun to apply the spec they are what the object has, also where another one asks for them.
func findACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL) (*rules.Set, error) {
	all, err := s.Service.ACLs, error(nil)
	if !s.Service.Lists(aclEntry(obj)) {
		all, err = listACLs(ctx, s, obj)
	}
	if err != nil {
		return nil, err
	}
	rules.Disown(obj)
	found := rules.Of(obj, all)
	if found.Wanted == "" && found.Old == nil {
		return nil, nil
	}
	// What is observed may be another object's, and isn't this one's later.
	if s.ObservesOnly || found.Wanted == "" || found.Old != nil && !rules.Begun(obj) {
		return &found, nil
	}
	mine, awaited, err := divide(ctx, s, found.Old)
	if err != nil {
		return nil, err
	}
	if found.Old = mine; len(mine) == 0 {
		settle(s, obj, found.Wanted, awaited)
	}
	return &found, nil
}

// diffACL lists what an old rule allows differently. It is there until a change of the spec is complete.
func diffACL(_ resource.Scope, obj *v1alpha1.KafkaACL, found *rules.Set) controllers.Diff {
	var diff controllers.Diff
	if len(found.Old) == 0 {
		return nil
	}
	wanted, old := obj.GetRule(), rules.Shown(found.Old[0])
	for _, f := range [][3]string{
		{"spec.permission", wanted.Permission, old.Permission}, {"spec.topic", wanted.Topic, old.Topic}, {"spec.username", wanted.Username, old.Username},
	} {
		if f[1] != f[2] {
			diff.Add(f[0], f[1], f[2])
		}
	}
	return diff
}

// createACL passes on nothing of the answer, which has all rules: of several answers, the one that comes in last needn't be the latest.
func createACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL) (*rules.Set, error) {
	in := &avnkafka.ServiceKafkaAclAddIn{
		Permission: avnkafka.PermissionType(obj.Spec.Permission), Topic: obj.Spec.Topic, Username: obj.Spec.Username,
	}
	if _, err := s.Client.API().ServiceKafkaAclAdd(ctx, s.Project, s.ServiceName, in); err != nil {
		fields := fault.Fields{"permission": {Path: "spec.permission"}, "topic": {Path: "spec.topic"}, "username": {Path: "spec.username"}}
		return nil, fmt.Errorf("adding rule: %w", fields.Of(err))
	}
	return nil, nil
}

// updateACL replaces a rule, which Aiven can't change: the new one comes before the old one goes.
func updateACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL, found *rules.Set, _ controllers.Diff) (*rules.Set, error) {
	var calls fault.Sequence
	if found.Wanted == "" {
		calls.Then("replacing rule", func() error {
			_, err := createACL(ctx, s, obj)
			if fault.Is(err, fault.Exists) {
				return nil
			}
			return err
		})
	}
	if found.Old != nil {
		calls.Then("replacing rule", func() error {
			mine, _, err := divide(ctx, s, found.Old)
			if err != nil {
				return err
			}
			return removeRules(ctx, s, rules.IDs(mine)...)
		})
	}
	return nil, calls.Err()
}
