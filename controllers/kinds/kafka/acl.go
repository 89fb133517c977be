package kafka

import (
	"context"
	"fmt"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaacls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaacls/status,verbs=patch

// ACL is an Aiven ACL, as opposed to one of Kafka's own.
var ACL = resource.Definition[*v1alpha1.KafkaACL, rules]{
	Object: &v1alpha1.KafkaACL{}, IsRule: true,
	Place:          resource.InService(serviceType),
	Identity:       func(obj *v1alpha1.KafkaACL) controllers.Identity { return controllers.Identity{Entry: aclEntry(obj)} },
	LookupOnDelete: true,
	Reads:          requestedEntries,
	Item:           aclItem,
	Intent:         requestRule,
	Find:           findACL,
	Diff:           diffACL,
	Create:         createACL,
	Update:         updateACL,
	Delete:         deleteACL,
}.Kind()

// findACL lets go of old rules only when they are gone: until then, status.id and status.requested are all that is known of them.
func findACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL) (*rules, error) {
	all, err := s.Service.ACLs, error(nil)
	if !s.Service.Lists(aclEntry(obj)) {
		all, err = listACLs(ctx, s, obj)
	}
	if err != nil {
		return nil, err
	}
	disown(obj)
	found := rulesOf(obj, all)
	switch {
	case found.wanted == "" && found.old == nil:
		return nil, nil
	case found.old == nil && !s.ObservesOnly: // what is observed may be another object's, and isn't this one's later
		obj.Status.ID, obj.Status.Rule = found.wanted, ptr.To(obj.GetRule())
		if !s.Reads.EarlierWritesPending() {
			obj.Status.Requested = nil
		}
	}
	return &found, nil
}

// diffACL lists what an old rule allows differently. It is there until a change of the spec is complete.
func diffACL(_ resource.Scope, obj *v1alpha1.KafkaACL, found *rules) controllers.Diff {
	var diff controllers.Diff
	if len(found.old) == 0 {
		return nil
	}
	wanted, old := obj.GetRule(), shownRule(found.old[0])
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
func createACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL) (*rules, error) {
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
func updateACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL, found *rules, _ controllers.Diff) (*rules, error) {
	var calls fault.Sequence
	if found.wanted == "" {
		calls.Then("replacing rule", func() error {
			_, err := createACL(ctx, s, obj)
			if fault.Is(err, fault.Exists) {
				return nil
			}
			return err
		})
	}
	if found.old != nil {
		calls.Then("replacing rule", func() error { return removeRules(ctx, s, (&rules{old: found.old}).ids()...) })
	}
	return nil, calls.Err()
}
