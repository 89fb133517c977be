package kafka

import (
	"context"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/resource"
)

// rules are those of one object: the one that the spec asks for, by its id, and the one that it asked for before, if that
// is still there.
type rules struct {
	wanted string
	old    *aiven.ACL
}

// Partial reports whether the rule of the spec may have been added, and isn't shown yet.
func (r *rules) Partial() bool { return r.wanted == "" }

func aclEntry(obj *v1alpha1.KafkaACL) aiven.Entry {
	return aiven.ACLEntry(obj.Spec.Permission, obj.Spec.Username, obj.Spec.Topic)
}

// aclItem is the rule in the list of rules, which is read where the answer for the service leaves them out.
func aclItem(obj *v1alpha1.KafkaACL) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceKafkaAclList"}
	return aiven.Item{List: list, Key: string(aclEntry(obj))}
}

// rulesOf finds the rules of an object. The one of the spec is found by what it says: its id is lost with the status.
func rulesOf(obj *v1alpha1.KafkaACL, all []aiven.ACL) rules {
	var found rules
	for i, rule := range all {
		id := ptr.Deref(rule.Id, "")
		switch {
		case allows(obj, rule):
			found.wanted = id
		case id != "" && id == obj.Status.ID && !isDefault(id): // one of Aiven is not ours to replace
			found.old = &all[i]
		}
	}
	return found
}

func allows(obj *v1alpha1.KafkaACL, rule aiven.ACL) bool {
	return string(rule.Permission) == obj.Spec.Permission && rule.Username == obj.Spec.Username && rule.Topic == obj.Spec.Topic
}

// listACLs reads the rules of the service.
func listACLs(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL) ([]aiven.ACL, error) {
	item := aclItem(obj)
	return aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]aiven.ACL]{
		Read: func(ctx context.Context) ([]aiven.ACL, error) {
			out, err := s.Client.API().ServiceKafkaAclList(ctx, s.Project, s.ServiceName)
			if err != nil || out == nil {
				return nil, err
			}
			all := make([]aiven.ACL, 0, len(out))
			for _, rule := range out {
				all = append(all, aiven.ACL{
					Id: rule.Id, Permission: avnservice.PermissionType(rule.Permission), Topic: rule.Topic, Username: rule.Username,
				})
			}
			return all, nil
		},
		Items: aiven.IndexBy(func(rule aiven.ACL) string {
			return string(aiven.ACLEntry(string(rule.Permission), rule.Username, rule.Topic))
		}),
	}, item.Key)
}

// deleteACL lists the rules once more: one that is missed here would grant its permission for ever.
func deleteACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL, found *rules) error {
	if found == nil {
		return s.LookupErr
	}
	s.Client.InvalidateList(aclItem(obj).List)
	listed, err := listACLs(ctx, s, obj)
	if err != nil {
		return deletion.InProject(s.Project, err)
	}
	var ids []string
	if found.wanted != "" {
		ids = append(ids, found.wanted)
	}
	if found.old != nil {
		ids = append(ids, ptr.Deref(found.old.Id, ""))
	}
	for _, rule := range listed {
		if id := ptr.Deref(rule.Id, ""); id != "" && id == obj.Status.ID || allows(obj, rule) {
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
