// Package rules computes which Aiven ACLs of a service are those of an object. It does no I/O.
package rules

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// Set has the rules of one object: the one that the spec asks for, by its id, and those that it asked for before, if they are
// still there.
type Set struct {
	Wanted string
	Old    []aiven.ACL
}

// Partial reports whether the rule of the spec may have been added, and isn't shown yet.
func (s *Set) Partial() bool { return s.Wanted == "" }

// IDs are those of some rules.
func IDs(acls []aiven.ACL) []string {
	var ids []string
	for _, acl := range acls {
		ids = append(ids, ptr.Deref(acl.Id, ""))
	}
	return ids
}

// IsDefault reports whether Aiven has made an ACL with its service. It may be managed, and is never deleted.
func IsDefault(id string) bool { return strings.HasPrefix(id, "default") }

// Shown is a rule as Aiven shows it.
func Shown(acl aiven.ACL) v1alpha1.KafkaACLRule {
	return v1alpha1.KafkaACLRule{Permission: string(acl.Permission), Topic: acl.Topic, Username: acl.Username}
}

// Entry is a rule in its service.
func Entry(rule v1alpha1.KafkaACLRule) aiven.Entry {
	return aiven.ACLEntry(rule.Permission, rule.Username, rule.Topic)
}

// Of finds the rules of an object. The one of the spec is found by what it says: its id is lost with the status.
func Of(obj *v1alpha1.KafkaACL, all []aiven.ACL) Set {
	var found Set
	for _, acl := range all {
		id := ptr.Deref(acl.Id, "")
		switch {
		case Shown(acl) == obj.GetRule():
			found.Wanted = id
		case IsDefault(id): // one of Aiven is not ours to replace
		case id != "" && id == obj.Status.ID, slices.Contains(obj.Status.Requested, Shown(acl)):
			found.Old = append(found.Old, acl)
		}
	}
	return found
}

// Disown drops from the status of an object that owns nothing the rules of earlier specs: by now they may be those of another object.
func Disown(obj *v1alpha1.KafkaACL) {
	if earlier := func(asked v1alpha1.KafkaACLRule) bool { return asked != obj.GetRule() }; !ownership.Owns(obj) {
		obj.Status.ID, obj.Status.Rule, obj.Status.Requested = "", nil, slices.DeleteFunc(obj.Status.Requested, earlier)
	}
}

// Begun reports whether the operator has begun to apply the spec of an object: without that, what exists like it may be
// another's, and the object still means the rule of an earlier spec.
func Begun(obj *v1alpha1.KafkaACL) bool {
	return slices.Contains(obj.Status.Requested, obj.GetRule()) || obj.Status.Rule != nil && *obj.Status.Rule == obj.GetRule()
}

// Keys are the rules that an object asks for or has asked for, which are those that others may ask for by now.
func Keys(obj *v1alpha1.KafkaACL) []string {
	named := append([]v1alpha1.KafkaACLRule{obj.GetRule()}, obj.Status.Requested...)
	if obj.Status.Rule != nil {
		named = append(named, *obj.Status.Rule)
	}
	var keys []string
	for _, rule := range named {
		keys = append(keys, obj.Spec.Project+"/"+obj.Spec.ServiceName+"/"+string(Entry(rule)))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Divide returns which rules of earlier specs are still those of an object, and which of them another object is about to own.
// What another one owns is neither.
func Divide(old []aiven.ACL, siblings []client.Object) (mine, awaited []aiven.ACL) {
	for _, acl := range old {
		is := func(state func(client.Object) bool) bool {
			return slices.ContainsFunc(siblings, func(sibling client.Object) bool {
				other := sibling.(*v1alpha1.KafkaACL)
				return other.GetRule() == Shown(acl) && other.DeletionTimestamp.IsZero() && state(other)
			})
		}
		switch {
		case is(ownership.Proves):
		case is(ownership.IsExpected):
			awaited = append(awaited, acl)
		default:
			mine = append(mine, acl)
		}
	}
	return mine, awaited
}
