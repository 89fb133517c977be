package export

import (
	"context"

	avnopensearch "github.com/aiven/go-client-codegen/handler/opensearch"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/kinds/opensearch"
)

// searchRules exports the access control list of an OpenSearch service, unless it is as Aiven makes it.
func searchRules(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("OpenSearchACLConfig") || !e.answers(s, "access control list") {
		return
	}
	d := about(s, "access control list", "")
	found, read := ask(ctx, e, d.what, func(ctx context.Context) (*avnopensearch.ServiceOpenSearchAclGetOut, error) {
		return e.client.API().ServiceOpenSearchAclGet(ctx, s.Project, s.Name)
	})
	if !read || !found.Enabled && len(found.Acls) == 0 {
		return
	}
	d.real = s.Name
	obj := exportSearchRules(found)
	obj.Spec.ServiceDependant = in(s)
	add(e, opensearch.ACLConfig, obj, d)
}

func exportSearchRules(found *avnopensearch.ServiceOpenSearchAclGetOut) *v1alpha1.OpenSearchACLConfig {
	obj := &v1alpha1.OpenSearchACLConfig{}
	obj.Spec.Enabled = found.Enabled
	for _, of := range found.Acls {
		acl := v1alpha1.OpenSearchACLConfigAcls{Username: of.Username, Rules: []v1alpha1.OpenSearchACLConfigRules{}}
		for _, rule := range of.Rules {
			acl.Rules = append(acl.Rules, v1alpha1.OpenSearchACLConfigRules{Index: rule.Index, Permission: string(rule.Permission)})
		}
		obj.Spec.Acls = append(obj.Spec.Acls, acl)
	}
	return obj
}
