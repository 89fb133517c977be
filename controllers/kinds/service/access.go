package service

import (
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
)

const pathAccess = "spec.accessControl"

// diffAccess compares the rules of a Valkey user. Without rules in the spec, Aiven's own stay.
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
		slices.Equal(wanted.ValkeyACLChannels, found.ValkeyAclChannels)
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

func accessRequest(wanted *v1alpha1.ServiceUserAccessControl) *avnservice.AccessControlIn {
	if wanted == nil {
		return nil
	}
	return &avnservice.AccessControlIn{
		ValkeyAclKeys: &wanted.ValkeyACLKeys, ValkeyAclCommands: &wanted.ValkeyACLCommands,
		ValkeyAclCategories: &wanted.ValkeyACLCategories, ValkeyAclChannels: &wanted.ValkeyACLChannels,
	}
}
