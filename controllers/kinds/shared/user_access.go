package shared

import (
	"context"
	"fmt"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

const pathAccess = "spec.accessControl"

// diffAccess compares the rules of a Valkey user. Without rules in the spec, Aiven's own stay. A list that rules leave
// out is empty, but for the channels, where leaving them out means Aiven's default, which is all of them.
func diffAccess(diff *controllers.Diff, wanted *v1alpha1.ServiceUserAccessControl, found *avnservice.AccessControlOut) {
	if wanted == nil {
		return
	}
	if found == nil {
		found = &avnservice.AccessControlOut{}
	}
	same := slices.Equal(wanted.ValkeyACLKeys, found.ValkeyAclKeys) &&
		slices.Equal(wanted.ValkeyACLCommands, found.ValkeyAclCommands) &&
		slices.Equal(wanted.ValkeyACLCategories, found.ValkeyAclCategories) &&
		(wanted.ValkeyACLChannels == nil || slices.Equal(wanted.ValkeyACLChannels, found.ValkeyAclChannels))
	if !same {
		diff.Add(pathAccess, *wanted, accessOf(found))
	}
}

func accessOf(found *avnservice.AccessControlOut) v1alpha1.ServiceUserAccessControl {
	return v1alpha1.ServiceUserAccessControl{
		ValkeyACLKeys: found.ValkeyAclKeys, ValkeyACLCommands: found.ValkeyAclCommands,
		ValkeyACLCategories: found.ValkeyAclCategories, ValkeyACLChannels: found.ValkeyAclChannels,
	}
}

func setAccess(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) error {
	in := &avnservice.ServiceUserCredentialsModifyIn{
		Operation:     avnservice.ServiceUserCredentialsModifyOperationTypeSetAccessControl,
		AccessControl: accessRequest(obj.Spec.AccessControl),
	}
	if err := modifyUser(ctx, s, obj, in); err != nil {
		return fmt.Errorf("setting access control: %w", err)
	}
	return nil
}

func accessRequest(wanted *v1alpha1.ServiceUserAccessControl) *avnservice.AccessControlIn {
	if wanted == nil {
		return nil
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

// list is never null in a request.
func list(entries []string) *[]string {
	out := append([]string{}, entries...)
	return &out
}
