package kafka

import (
	"context"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/resource"
)

// rules are those of one object: the one that the spec asks for, by its id, and those that it asked for before, if they are
// still there.
type rules struct {
	wanted string
	old    []aiven.ACL
}

// Partial reports whether the rule of the spec may have been added, and isn't shown yet.
func (r *rules) Partial() bool { return r.wanted == "" }

// ids are those of all rules.
func (r *rules) ids() []string {
	var ids []string
	if r.wanted != "" {
		ids = append(ids, r.wanted)
	}
	for _, rule := range r.old {
		ids = append(ids, ptr.Deref(rule.Id, ""))
	}
	return ids
}

// shownRule is a rule as Aiven shows it.
func shownRule(rule aiven.ACL) v1alpha1.KafkaACLRule {
	return v1alpha1.KafkaACLRule{Permission: string(rule.Permission), Topic: rule.Topic, Username: rule.Username}
}

func entryOfRule(rule v1alpha1.KafkaACLRule) aiven.Entry {
	return aiven.ACLEntry(rule.Permission, rule.Username, rule.Topic)
}

func aclEntry(obj *v1alpha1.KafkaACL) aiven.Entry { return entryOfRule(obj.GetRule()) }

// requestedEntries are the rules of earlier specs: one that was added and isn't shown yet is no less granted.
func requestedEntries(obj *v1alpha1.KafkaACL) []aiven.Entry {
	var entries []aiven.Entry
	for _, rule := range obj.Status.Requested {
		entries = append(entries, entryOfRule(rule))
	}
	return entries
}

// requestRule records the rule of the spec before it is added: no later spec would know it.
func requestRule(obj *v1alpha1.KafkaACL, _ *rules) {
	if !slices.Contains(obj.Status.Requested, obj.GetRule()) {
		obj.Status.Requested = append(obj.Status.Requested, obj.GetRule())
	}
}

// aclItem is the rule in the list of rules, which is read where the answer for the service leaves them out.
func aclItem(obj *v1alpha1.KafkaACL) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceKafkaAclList"}
	return aiven.Item{List: list, Key: string(aclEntry(obj))}
}

// disown drops from the status of an object that owns nothing the rules of earlier specs: by now they may be those of another object.
func disown(obj *v1alpha1.KafkaACL) {
	if earlier := func(asked v1alpha1.KafkaACLRule) bool { return asked != obj.GetRule() }; !ownership.Owns(obj) {
		obj.Status.ID, obj.Status.Rule, obj.Status.Requested = "", nil, slices.DeleteFunc(obj.Status.Requested, earlier)
	}
}

// rulesOf finds the rules of an object. The one of the spec is found by what it says: its id is lost with the status.
func rulesOf(obj *v1alpha1.KafkaACL, all []aiven.ACL) rules {
	var found rules
	for _, rule := range all {
		id := ptr.Deref(rule.Id, "")
		switch {
		case shownRule(rule) == obj.GetRule():
			found.wanted = id
		case isDefault(id): // one of Aiven is not ours to replace
		case id != "" && id == obj.Status.ID, slices.Contains(obj.Status.Requested, shownRule(rule)):
			found.old = append(found.old, rule)
		}
	}
	return found
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
		Items: aiven.IndexBy(func(rule aiven.ACL) string { return string(entryOfRule(shownRule(rule))) }),
	}, item.Key)
}

// deleteACL lists the rules once more: one that is missed here would grant its permission for ever.
func deleteACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaACL, found *rules) error {
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
	ours := rulesOf(obj, listed)
	if s.Shared { // the rule of the spec is another object's
		return removeRules(ctx, s, (&rules{old: append(found.old, ours.old...)}).ids()...)
	}
	ids := append(found.ids(), ours.ids()...)
	for _, rule := range listed {
		if shownRule(rule) == obj.GetRule() {
			ids = append(ids, ptr.Deref(rule.Id, ""))
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
