package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	avnkafka "github.com/aiven/go-client-codegen/handler/kafka"
	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkanativeacls,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkanativeacls/status,verbs=patch

// NativeACL is an ACL of Kafka itself, as opposed to an Aiven ACL. Nothing of it can be changed.
var NativeACL = resource.Definition[*v1alpha1.KafkaNativeACL, aiven.KafkaACL]{
	Object: &v1alpha1.KafkaNativeACL{}, IsRule: true,
	Place: resource.InService(serviceType),
	Identity: func(obj *v1alpha1.KafkaNativeACL) controllers.Identity {
		return controllers.Identity{Entry: nativeACLEntry(obj)}
	},
	LookupOnDelete: true,
	Item:           nativeACLItem,
	Forget:         func(obj *v1alpha1.KafkaNativeACL) { obj.Status.ID = "" },
	Find:           findNativeACL,
	Create:         createNativeACL,
	Delete:         deleteNativeACL,
}.Kind()

// nativeACLOf is what the spec asks for: an ACL without an id. A host that is empty gets no default of the schema.
func nativeACLOf(obj *v1alpha1.KafkaNativeACL) aiven.KafkaACL {
	return aiven.KafkaACL{
		Host: cmp.Or(obj.Spec.Host, "*"), Principal: obj.Spec.Principal, ResourceName: obj.Spec.ResourceName,
		Operation: avnservice.OperationType(obj.Spec.Operation), PatternType: avnservice.PatternType(obj.Spec.PatternType),
		PermissionType: avnservice.KafkaAclPermissionType(obj.Spec.PermissionType),
		ResourceType:   avnservice.ResourceType(obj.Spec.ResourceType),
	}
}

func nativeACLEntry(obj *v1alpha1.KafkaNativeACL) aiven.Entry {
	return aiven.NativeACLEntry(nativeACLOf(obj))
}

// nativeACLItem is the ACL in the list of ACLs, which is read where the answer for the service leaves them out.
func nativeACLItem(obj *v1alpha1.KafkaNativeACL) aiven.Item {
	list := aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceKafkaNativeAclList"}
	return aiven.Item{List: list, Key: string(nativeACLEntry(obj))}
}

// sameNativeACLs are the ACLs with the fields of the spec. The fields decide: an id is lost with the status.
func sameNativeACLs(obj *v1alpha1.KafkaNativeACL, all []aiven.KafkaACL) []aiven.KafkaACL {
	wanted := nativeACLOf(obj)
	return slices.DeleteFunc(slices.Clone(all), func(acl aiven.KafkaACL) bool {
		acl.Id = ""
		return acl != wanted
	})
}

func findNativeACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaNativeACL) (*aiven.KafkaACL, error) {
	found := sameNativeACLs(obj, s.Service.KafkaACLs)
	if len(found) == 0 && !s.Service.Lists(nativeACLEntry(obj)) {
		listed, err := listNativeACLs(ctx, s, obj)
		if err != nil {
			return nil, err
		}
		found = listed
	}
	obj.Status.ID = ""
	if len(found) == 0 {
		return nil, nil
	}
	obj.Status.ID = found[0].Id
	return &found[0], nil
}

// listNativeACLs reads the list, and returns the ACLs with the fields of the spec.
func listNativeACLs(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaNativeACL) ([]aiven.KafkaACL, error) {
	item := nativeACLItem(obj)
	all, err := aiven.List(ctx, s.Client, item.List, aiven.ListSource[[]aiven.KafkaACL]{
		Read: func(ctx context.Context) ([]aiven.KafkaACL, error) {
			out, err := s.Client.API().ServiceKafkaNativeAclList(ctx, s.Project, s.ServiceName)
			if err != nil || out.KafkaAcl == nil {
				return nil, err
			}
			return asInService(out.KafkaAcl), nil
		},
		Items: aiven.IndexBy(func(acl aiven.KafkaACL) string { return string(aiven.NativeACLEntry(acl)) }),
	}, item.Key)
	return sameNativeACLs(obj, all), err
}

// asInService converts listed ACLs to the type that they have in a service.
func asInService(listed []avnkafka.KafkaAclOut) []aiven.KafkaACL {
	all := make([]aiven.KafkaACL, 0, len(listed))
	for _, acl := range listed {
		all = append(all, aiven.KafkaACL{
			Id: acl.Id, Host: acl.Host, Principal: acl.Principal, ResourceName: acl.ResourceName,
			Operation: avnservice.OperationType(acl.Operation), PatternType: avnservice.PatternType(acl.PatternType),
			PermissionType: avnservice.KafkaAclPermissionType(acl.PermissionType),
			ResourceType:   avnservice.ResourceType(acl.ResourceType),
		})
	}
	return all
}

// nativeACLFields are the fields of an ACL by the parameters that they are sent as.
func nativeACLFields() fault.Fields {
	return fault.Fields{
		"host": fault.Fixed("spec.host"), "operation": fault.Fixed("spec.operation"),
		"pattern_type": fault.Fixed("spec.patternType"), "permission_type": fault.Fixed("spec.permissionType"),
		"principal": fault.Fixed("spec.principal"), "resource_name": fault.Fixed("spec.resourceName"),
		"resource_type": fault.Fixed("spec.resourceType"),
	}
}

func createNativeACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaNativeACL) (*aiven.KafkaACL, error) {
	made := nativeACLOf(obj)
	out, err := s.Client.API().ServiceKafkaNativeAclAdd(ctx, s.Project, s.ServiceName, &avnkafka.ServiceKafkaNativeAclAddIn{
		Host: &made.Host, Principal: made.Principal, ResourceName: made.ResourceName,
		Operation: avnkafka.OperationType(made.Operation), PatternType: avnkafka.PatternType(made.PatternType),
		PermissionType: avnkafka.ServiceKafkaNativeAclPermissionType(made.PermissionType),
		ResourceType:   avnkafka.ResourceType(made.ResourceType),
	})
	if err != nil {
		return nil, fmt.Errorf("creating ACL: %w", nativeACLFields().Of(err))
	}
	if out.Id == "" {
		return nil, nil
	}
	made.Id, obj.Status.ID = out.Id, out.Id
	return &made, nil
}

// deleteNativeACL lists the ACLs once more: one that is missed here would be in force for ever.
func deleteNativeACL(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaNativeACL, found *aiven.KafkaACL) error {
	if found == nil {
		return s.LookupErr
	}
	s.Client.InvalidateList(nativeACLItem(obj).List)
	listed, err := listNativeACLs(ctx, s, obj)
	if err != nil {
		return deletion.InProject(s.Project, err)
	}
	ids := []string{found.Id}
	for _, acl := range listed {
		ids = append(ids, acl.Id)
	}
	return removeEach(ids, func(id string) error {
		return s.Client.API().ServiceKafkaNativeAclDelete(ctx, s.Project, s.ServiceName, id)
	})
}
