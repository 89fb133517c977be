package shared

import (
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// databaseFields are the fields of a database by the parameters that they are sent as.
func databaseFields(obj *v1alpha1.Database) fault.Fields {
	return fault.Fields{
		"database":   fault.NameField("spec.databaseName", obj.Spec.DatabaseName),
		"lc_collate": fault.Fixed("spec.lcCollate"), "lc_ctype": fault.Fixed("spec.lcCtype"),
	}
}

// userFields are the fields of a user by the parameters that they are sent as.
func userFields(s resource.Scope, obj *v1alpha1.ServiceUser) fault.Fields {
	access := fault.Field{Path: pathAccess}
	if s.Service.Type != "valkey" {
		access.Remedy = "Only users of Valkey have it. Remove it"
	}
	return fault.Fields{
		"username":       fault.NameField("spec.username", obj.Spec.Username),
		"authentication": {Path: "spec.authentication"}, "access_control": access,
		"new_password": {Path: resource.PasswordPath, Remedy: "Change it in the Secret"},
	}
}

// checkUserService refuses to create a user where Aiven has another API for users.
func checkUserService(s resource.Scope) error {
	if s.Service.Type != "clickhouse" {
		return nil
	}
	return fault.InvalidSpec("spec.serviceName", fmt.Sprintf("service %s/%s is of type %s: this kind needs a service of another type. "+
		"Use the kind ClickhouseUser", s.Project, s.ServiceName, s.Service.Type))
}

// accessRequest is how the rules of a Valkey user are sent. In another service, which has none, only those that the spec sets are: Aiven
// names the first of them that it doesn't know.
func accessRequest(s resource.Scope, wanted *v1alpha1.ServiceUserAccessControl) *avnservice.AccessControlIn {
	if wanted == nil {
		return nil
	}
	list := func(entries []string) *[]string {
		if len(entries) == 0 && s.Service.Type != "valkey" {
			return nil
		}
		return ptr.To(append([]string{}, entries...)) // never null in a request
	}
	in := &avnservice.AccessControlIn{
		ValkeyAclKeys: list(wanted.ValkeyACLKeys), ValkeyAclCommands: list(wanted.ValkeyACLCommands),
		ValkeyAclCategories: list(wanted.ValkeyACLCategories),
	}
	if wanted.ValkeyACLChannels != nil {
		in.ValkeyAclChannels = &wanted.ValkeyACLChannels
	}
	return in
}
