package opensearch

import (
	"context"
	"fmt"

	avnopensearch "github.com/aiven/go-client-codegen/handler/opensearch"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=opensearchaclconfigs,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=opensearchaclconfigs/status,verbs=patch

// ACLConfig is the access control list of a service, of which there is one.
var ACLConfig = resource.Definition[*v1alpha1.OpenSearchACLConfig, avnopensearch.ServiceOpenSearchAclGetOut]{
	Object: &v1alpha1.OpenSearchACLConfig{},
	Place:  resource.InService("opensearch"),
	// It always exists: disabled and empty, it is as Aiven made it.
	Free: func(_ *v1alpha1.OpenSearchACLConfig, found *avnopensearch.ServiceOpenSearchAclGetOut) bool {
		return !found.Enabled && len(found.Acls) == 0
	},
	Identity: func(obj *v1alpha1.OpenSearchACLConfig) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName}
	},
	Item:           func(obj *v1alpha1.OpenSearchACLConfig) aiven.Item { return aiven.Item{List: aclKey(obj), Key: aclItem} },
	LookupOnDelete: true,
	Find:           findACLConfig,
	Diff:           diffACLConfig,
	Create:         createACLConfig,
	Update: func(
		ctx context.Context, s resource.Scope, obj *v1alpha1.OpenSearchACLConfig, _ *avnopensearch.ServiceOpenSearchAclGetOut,
		_ controllers.Diff,
	) (*avnopensearch.ServiceOpenSearchAclGetOut, error) {
		return createACLConfig(ctx, s, obj)
	},
	Delete: deleteACLConfig,
}.Kind()

// aclItem is the only item of what is read as a list.
const aclItem = "acl"

func aclKey(obj *v1alpha1.OpenSearchACLConfig) aiven.ListKey {
	return aiven.ListKey{Project: obj.Spec.Project, Service: obj.Spec.ServiceName, Operation: "ServiceOpenSearchAclGet"}
}

// findACLConfig returns nil for a list that is as a new service has it, unless that is what the spec asks for, or has asked for
// before an edit: a service is never without one.
func findACLConfig(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OpenSearchACLConfig,
) (*avnopensearch.ServiceOpenSearchAclGetOut, error) {
	found, err := aiven.List(ctx, s.Client, aclKey(obj), aiven.ListSource[*avnopensearch.ServiceOpenSearchAclGetOut]{
		Read: func(ctx context.Context) (*avnopensearch.ServiceOpenSearchAclGetOut, error) {
			return s.Client.API().ServiceOpenSearchAclGet(ctx, s.Project, s.ServiceName)
		},
		Items: func(out *avnopensearch.ServiceOpenSearchAclGetOut) map[string]any {
			if out.Acls == nil {
				return nil
			}
			return map[string]any{aclItem: *out}
		},
	}, aclItem)
	if err != nil {
		return nil, err
	}
	// A deletion changes the generation, too.
	edited := ownership.IsEdited(obj) && obj.DeletionTimestamp == nil
	if !found.Enabled && len(found.Acls) == 0 && (obj.Spec.Enabled || len(rulesWanted(obj)) > 0) && !edited {
		return nil, nil
	}
	return found, nil
}

// createACLConfig replaces the whole.
func createACLConfig(
	ctx context.Context, s resource.Scope, obj *v1alpha1.OpenSearchACLConfig,
) (*avnopensearch.ServiceOpenSearchAclGetOut, error) {
	config := avnopensearch.OpensearchAclConfigIn{Enabled: obj.Spec.Enabled, Acls: []avnopensearch.AclIn{}}
	for _, acl := range obj.Spec.Acls {
		rules := make([]avnopensearch.RuleIn, 0, len(acl.Rules))
		for _, rule := range acl.Rules {
			rules = append(rules, avnopensearch.RuleIn{Index: rule.Index, Permission: avnopensearch.PermissionType(rule.Permission)})
		}
		config.Acls = append(config.Acls, avnopensearch.AclIn{Username: acl.Username, Rules: rules})
	}
	set, err := setACLConfig(ctx, s, config)
	if err != nil {
		return nil, fmt.Errorf("setting access control list: %w", aclFields().Of(err))
	}
	return set, nil
}

func setACLConfig(
	ctx context.Context, s resource.Scope, config avnopensearch.OpensearchAclConfigIn,
) (*avnopensearch.ServiceOpenSearchAclGetOut, error) {
	in := &avnopensearch.ServiceOpenSearchAclSetIn{OpensearchAclConfig: config}
	out, err := s.Client.API().ServiceOpenSearchAclSet(ctx, s.Project, s.ServiceName, in)
	return (*avnopensearch.ServiceOpenSearchAclGetOut)(out), err
}

// aclFields are the fields of a list by the parameters that they are sent as.
func aclFields() fault.Fields {
	return fault.Fields{
		"opensearch_acl_config": {Path: "spec.acls"}, "acls": {Path: "spec.acls"},
		"opensearch_acl_config.acls": {Path: "spec.acls", Tree: true}, "opensearch_acl_config.enabled": {Path: pathEnabled},
	}
}

// deleteACLConfig makes the list what a new service has: nothing is enforced. OpenSearch Security, which can't be turned off,
// refuses that for good.
func deleteACLConfig(
	ctx context.Context, s resource.Scope, _ *v1alpha1.OpenSearchACLConfig, found *avnopensearch.ServiceOpenSearchAclGetOut,
) error {
	if found == nil {
		return s.LookupErr
	}
	ctx, body := aiven.WithBody(ctx)
	_, err := setACLConfig(ctx, s, avnopensearch.OpensearchAclConfigIn{Acls: []avnopensearch.AclIn{}})
	if err == nil {
		err = aiven.CheckDeletion("ServiceOpenSearchAclSet", body.Bytes(), "opensearch_acl_config")
	}
	if fault.Is(err, fault.Rejected) {
		return deletion.Refused(err)
	}
	if err != nil {
		return fmt.Errorf("resetting access control list: %w", err)
	}
	return nil
}
