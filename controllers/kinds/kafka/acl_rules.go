package kafka

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/resource"
)

// rules are those of one object: the one that the spec asks for, by its id, and the one that it asked for before, if that
// is still there.
type rules struct {
	wanted string
	old    *aiven.ACL
}

// rulesOf finds the rules of an object. The one of the spec is found by what it says: its id is lost with the status.
func rulesOf(s resource.Scope, obj *v1alpha1.KafkaACL) rules {
	var found rules
	for i, rule := range s.Service.ACLs {
		id := ptr.Deref(rule.Id, "")
		switch {
		case allows(obj, string(rule.Permission), rule.Username, rule.Topic):
			found.wanted = id
		case id != "" && id == obj.Status.ID && !isDefault(id): // one of Aiven is not ours to replace
			found.old = &s.Service.ACLs[i]
		}
	}
	return found
}

func allows(obj *v1alpha1.KafkaACL, permission, username, topic string) bool {
	return permission == obj.Spec.Permission && username == obj.Spec.Username && topic == obj.Spec.Topic
}

// deleteACL lists the rules again: a rule that is missed here would grant its permission for ever.
func deleteACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL, _ *rules) error {
	listed, err := s.Client.API().ServiceKafkaAclList(ctx, s.Project, s.ServiceName)
	if err != nil {
		return fmt.Errorf("listing rules: %w", err)
	}
	var ids []string
	for _, rule := range listed {
		id := ptr.Deref(rule.Id, "")
		if id != "" && id == obj.Status.ID || allows(obj, string(rule.Permission), rule.Username, rule.Topic) {
			ids = append(ids, id)
		}
	}
	return removeRules(ctx, s, ids...)
}

func removeRules(ctx context.Context, s resource.Scope, ids ...string) error {
	return removeEach(ids, func(id string) error {
		_, err := s.Client.API().ServiceKafkaAclDelete(ctx, s.Project, s.ServiceName, id)
		return err
	})
}
