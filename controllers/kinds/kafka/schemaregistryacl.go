package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	avnregistry "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/schemaregistry"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemaregistryacls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemaregistryacls/status,verbs=patch

// SchemaRegistryACL is an ACL of the schema registry. Nothing of it can be changed, and Aiven accepts a second one like it:
// LookupOnDelete also makes a creation wait for what an earlier process may have created.
var SchemaRegistryACL = resource.Definition[*v1alpha1.KafkaSchemaRegistryACL, aiven.SchemaRegistryACL]{
	Object: &v1alpha1.KafkaSchemaRegistryACL{}, IsRule: true,
	Place: resource.InService(serviceType).Awaiting(schemaregistry.Awaited),
	Identity: func(obj *v1alpha1.KafkaSchemaRegistryACL) controllers.Identity {
		return controllers.Identity{Entry: schemaACLEntry(obj)}
	},
	LookupOnDelete: true,
	Item:           schemaACLItem,
	Find:           findSchemaACL,
	Create:         createSchemaACL,
	Delete:         deleteSchemaACL,
}.Kind()

func schemaACLEntry(obj *v1alpha1.KafkaSchemaRegistryACL) aiven.Entry {
	return aiven.SchemaACLEntry(obj.Spec.Permission, obj.Spec.Username, obj.Spec.Resource)
}

// schemaACLItem is the ACL in the list of ACLs, which is read where the answer for the service leaves them out.
func schemaACLItem(obj *v1alpha1.KafkaSchemaRegistryACL) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceSchemaRegistryAclList"}
	return aiven.Item{List: list, Key: string(schemaACLEntry(obj))}
}

// sameSchemaACLs are the ACLs with the fields of the spec. aiven-operator may have left several.
func sameSchemaACLs(obj *v1alpha1.KafkaSchemaRegistryACL, all []aiven.SchemaRegistryACL) []aiven.SchemaRegistryACL {
	return slices.DeleteFunc(slices.Clone(all), func(acl aiven.SchemaRegistryACL) bool {
		return string(acl.Permission) != obj.Spec.Permission || acl.Username != obj.Spec.Username || acl.Resource != obj.Spec.Resource
	})
}

func findSchemaACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchemaRegistryACL) (*aiven.SchemaRegistryACL, error) {
	found := sameSchemaACLs(obj, s.Service.SchemaRegistryACLs)
	if len(found) == 0 && !s.Service.Lists(schemaACLEntry(obj)) {
		listed, err := listSchemaACLs(ctx, s, obj)
		if err != nil {
			return nil, err
		}
		found = listed
	}
	had := slices.IndexFunc(found, func(acl aiven.SchemaRegistryACL) bool { return ptr.Deref(acl.Id, "") == obj.Status.ACLID })
	obj.Status.ACLID = ""
	if len(found) == 0 {
		return nil, nil
	}
	shown := &found[max(0, had)]
	obj.Status.ACLID = ptr.Deref(shown.Id, "")
	return shown, nil
}

// listSchemaACLs reads the list, and returns the ACLs with the fields of the spec.
func listSchemaACLs(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchemaRegistryACL) ([]aiven.SchemaRegistryACL, error) {
	item := schemaACLItem(obj)
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]aiven.SchemaRegistryACL]{
		Read: func(ctx context.Context) ([]aiven.SchemaRegistryACL, error) {
			out, err := s.Client.API().ServiceSchemaRegistryAclList(ctx, s.Project, s.ServiceName)
			return schemaACLsInService(out), err
		},
		Items: aiven.IndexBy(func(acl aiven.SchemaRegistryACL) string {
			return string(aiven.SchemaACLEntry(string(acl.Permission), acl.Username, acl.Resource))
		}),
	}, item.Key)
	return sameSchemaACLs(obj, all), switchedOff(s, err)
}

// schemaACLsInService converts listed ACLs to the type that they have in a service. It keeps the difference between no list and an
// empty one.
func schemaACLsInService(listed []avnregistry.AclOut) []aiven.SchemaRegistryACL {
	if listed == nil {
		return nil
	}
	all := make([]aiven.SchemaRegistryACL, 0, len(listed))
	for _, acl := range listed {
		all = append(all, aiven.SchemaRegistryACL{
			Id: acl.Id, Permission: avnservice.SchemaRegistryAclPermissionType(acl.Permission), Resource: acl.Resource, Username: acl.Username,
		})
	}
	return all
}

// switchedOff makes a wait of the refusal of a deletion where the service has no registry: what Aiven refuses to list or delete
// grants its permission again once the registry is on.
func switchedOff(s resource.Scope, err error) error {
	if schemaregistry.IsOff(s.Service) && fault.Is(err, fault.Rejected) && fault.IsBadRequest(err) {
		return deletion.SwitchedOff(schemaregistry.SwitchOn(s.Project, s.ServiceName))
	}
	return err
}

// schemaACLFields are the fields of an ACL by the parameters that they are sent as.
func schemaACLFields() fault.Fields {
	return fault.Fields{
		"permission": fault.Fixed("spec.permission"), "resource": fault.Fixed("spec.resource"), "username": fault.Fixed("spec.username"),
	}
}

// createSchemaACL takes from the answer, which has all ACLs of the service, no more than its own: where several objects write
// at the same time, the answer that comes in last needn't be the youngest.
func createSchemaACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchemaRegistryACL) (*aiven.SchemaRegistryACL, error) {
	out, err := s.Client.API().ServiceSchemaRegistryAclAdd(ctx, s.Project, s.ServiceName, &avnregistry.ServiceSchemaRegistryAclAddIn{
		Permission: avnregistry.PermissionType(obj.Spec.Permission), Resource: obj.Spec.Resource, Username: obj.Spec.Username,
	})
	if err != nil {
		return nil, fmt.Errorf("creating ACL: %w", schemaACLFields().Of(err))
	}
	for _, made := range sameSchemaACLs(obj, schemaACLsInService(out)) {
		if made.Id != nil {
			obj.Status.ACLID = *made.Id
			return &made, nil
		}
	}
	return nil, nil
}

// deleteSchemaACL lists the ACLs once more: one that is missed here would grant its permission for ever. For the same reason an
// ACL that isn't shown while the registry is off isn't gone.
func deleteSchemaACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchemaRegistryACL, found *aiven.SchemaRegistryACL) error {
	if found == nil {
		return cmp.Or(s.LookupErr, hiddenWhileOff(s))
	}
	s.Client.InvalidateList(schemaACLItem(obj).List)
	listed, err := listSchemaACLs(ctx, s, obj)
	if err != nil {
		return deletion.InProject(s.Project, err)
	}
	var ids []string
	for _, acl := range append(listed, *found) {
		ids = append(ids, ptr.Deref(acl.Id, ""))
	}
	return removeEach(ids, func(id string) error {
		_, err := s.Client.API().ServiceSchemaRegistryAclDelete(ctx, s.Project, s.ServiceName, id)
		return switchedOff(s, err)
	})
}

// hiddenWhileOff is the wait for a registry without which nothing is proven. s.Service is nil, or of another type, if the one that
// had the ACL is gone.
func hiddenWhileOff(s resource.Scope) error {
	if s.Service == nil || s.Service.Type != serviceType || !schemaregistry.IsOff(s.Service) {
		return nil
	}
	return deletion.SwitchedOff(schemaregistry.SwitchOn(s.Project, s.ServiceName))
}
