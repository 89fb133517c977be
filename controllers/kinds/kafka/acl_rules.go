package kafka

import (
	"context"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/kinds/kafka/internal/rules"
	"github.com/aero-operator/aero/controllers/resource"
)

func aclEntry(obj *v1alpha1.KafkaACL) aiven.Entry { return rules.Entry(obj.GetRule()) }

// requestedEntries are the rules of earlier specs: one that was added and isn't shown yet is no less granted.
func requestedEntries(obj *v1alpha1.KafkaACL) []aiven.Entry {
	var entries []aiven.Entry
	for _, rule := range obj.Status.Requested {
		entries = append(entries, rules.Entry(rule))
	}
	return entries
}

// requestRule records the rule of the spec before it is added: no later spec would know it.
func requestRule(obj *v1alpha1.KafkaACL, _ *rules.Set) {
	if !slices.Contains(obj.Status.Requested, obj.GetRule()) {
		obj.Status.Requested = append(obj.Status.Requested, obj.GetRule())
	}
}

// aclItem is the rule in the list of rules, which is read where the answer for the service leaves them out.
func aclItem(obj *v1alpha1.KafkaACL) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceKafkaAclList"}
	return aiven.Item{List: list, Key: string(aclEntry(obj))}
}

// settle records the rule of the spec as the object's. One that another object is about to own, which may never come to that, stays
// known by what was asked for.
func settle(s resource.Scope, obj *v1alpha1.KafkaACL, id string, awaited []aiven.ACL) {
	obj.Status.ID, obj.Status.Rule = id, ptr.To(obj.GetRule())
	if !s.Reads.EarlierWritesPending() {
		obj.Status.Requested = nil
	}
	for _, acl := range awaited {
		if rule := rules.Shown(acl); !slices.Contains(obj.Status.Requested, rule) {
			obj.Status.Requested = append(obj.Status.Requested, rule)
		}
	}
}

// divide asks which rules of earlier specs are still the object's, and which of them another object is about to own. To know
// what others own at the time of a removal, it is asked right before that.
func divide(ctx context.Context, s resource.Scope, old []aiven.ACL) (mine, awaited []aiven.ACL, err error) {
	if len(old) == 0 {
		return nil, nil, nil
	}
	siblings, err := s.Siblings(ctx)
	if err != nil {
		return nil, nil, err
	}
	mine, awaited = rules.Divide(old, siblings)
	return mine, awaited, nil
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
				all = append(all, aiven.ACL{Id: rule.Id, Permission: avnservice.PermissionType(rule.Permission), Topic: rule.Topic, Username: rule.Username})
			}
			return all, nil
		},
		Items: aiven.IndexBy(func(rule aiven.ACL) string { return string(rules.Entry(rules.Shown(rule))) }),
	}, item.Key)
}

// deleteACL lists the rules once more: one that is missed here would grant its permission for ever.
func deleteACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL, found *rules.Set) error {
	for _, entry := range requestedEntries(obj) {
		if s.Reads.EarlierWritesPending() || s.Reads.WritePending(s.Project, s.ServiceName, entry) {
			return deletion.WritePending()
		}
	}
	if found == nil {
		return s.LookupErr
	}
	s.Client.InvalidateList(aclItem(obj).List)
	listed, err := listACLs(ctx, s, obj)
	if err != nil {
		return deletion.InProject(s.Project, err)
	}
	old, awaited, err := divide(ctx, s, append(found.Old, rules.Of(obj, listed).Old...))
	switch {
	case err != nil:
		return err
	case len(awaited) > 0: // nothing would remove it if that object never comes to own it
		return &deletion.BlockedError{Reason: "Waiting for another object, which asks for an ACL that this one has asked for before"}
	}
	ids := rules.IDs(old)
	if s.Shared { // the rule of the spec is another object's
		return removeRules(ctx, s, ids...)
	}
	for _, rule := range listed {
		if rules.Shown(rule) == obj.GetRule() {
			ids = append(ids, ptr.Deref(rule.Id, ""))
		}
	}
	if found.Wanted != "" {
		ids = append(ids, found.Wanted)
	}
	return removeRules(ctx, s, ids...)
}

func removeRules(ctx context.Context, s resource.Scope, ids ...string) error {
	return removeEach(ids, func(id string) error {
		_, err := s.Client.API().ServiceKafkaAclDelete(ctx, s.Project, s.ServiceName, id)
		return err
	})
}
