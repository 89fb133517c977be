package shared

import (
	"context"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

const pathAccess = "spec.accessControl"

// passwordOf names the Secret with the password, nil without one.
func passwordOf(obj *v1alpha1.ServiceUser) *v1alpha1.ConnInfoSecretSource {
	return obj.Spec.ConnInfoSecretSource
}

// declaredPassword is the password that the spec brings along, or "".
func declaredPassword(s resource.Scope, obj *v1alpha1.ServiceUser) (string, error) {
	return s.DeclaredPassword(obj, passwordOf(obj))
}

func diffPassword(diff *controllers.Diff, s resource.Scope, obj *v1alpha1.ServiceUser, found *aiven.User) {
	if password, _ := declaredPassword(s, obj); password != "" && password != found.Password {
		diff.AddSecret(resource.PasswordPath)
	}
}

// setPassword sets the password that the spec brings along, if it does. found is nil for a user that was just created.
func setPassword(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, found *aiven.User) error {
	password, err := declaredPassword(s, obj)
	if err != nil || password == "" {
		return err
	}
	_, err = resetPassword(ctx, s, obj, found, password)
	return err
}

// resetPassword sets a password. It sends the authentication that the user has, as Aiven documents another one as the default: that of the
// spec counts at creation only.
func resetPassword(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, found *aiven.User, password string) (*aiven.User, error) {
	authentication := avnservice.AuthenticationType(obj.Spec.Authentication)
	if found != nil {
		authentication = found.Authentication
	}
	return nil, modifyUser(ctx, s, obj, &avnservice.ServiceUserCredentialsModifyIn{
		Operation: avnservice.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: &password, Authentication: authentication,
	})
}

func acknowledgeRenewal(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) error {
	return modifyUser(ctx, s, obj, &avnservice.ServiceUserCredentialsModifyIn{Operation: avnservice.ServiceUserCredentialsModifyOperationTypeAcknowledgeRenewal})
}

// modifyUser drops the answer, which is a service without its secrets: what is published has to be read.
func modifyUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, in *avnservice.ServiceUserCredentialsModifyIn) error {
	_, err := s.Client.API().ServiceUserCredentialsModify(ctx, s.Project, s.ServiceName, obj.GetUsername(), in)
	return err
}

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
		AccessControl: accessRequest(s, obj.Spec.AccessControl),
	}
	return modifyUser(ctx, s, obj, in)
}

func layout(kafka bool) connection.Layout {
	keys := map[string]connection.Value{
		"HOST": connection.Host, "PORT": connection.Port, "USERNAME": connection.User, "PASSWORD": connection.Password,
		"ACCESS_CERT": connection.AccessCert, "ACCESS_KEY": connection.AccessKey, "CA_CERT": connection.CACert,
	}
	if kafka {
		// These keys are there, but empty, while what they lead to is off.
		keys["SASL_HOST"], keys["SASL_PORT"] = connection.HostOf(connection.SASL), connection.PortOf(connection.SASL)
		keys["SCHEMA_REGISTRY_HOST"], keys["SCHEMA_REGISTRY_PORT"] = connection.HostOf(connection.SchemaRegistry), connection.PortOf(connection.SchemaRegistry)
	}
	return connection.Layout{Prefixed: keys}
}

// userDetails are empty while Aiven doesn't return the password: half a Secret is of no use.
func userDetails(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, user *aiven.User) (connection.Info, error) {
	address, reachable := s.Service.Component(s.Service.Type)
	if !reachable || user.Password == "" {
		return connection.Info{}, nil
	}
	ca, err := s.Client.CA(ctx, s.Project)
	if err != nil {
		return connection.Info{}, err
	}
	return resource.Dated(connection.Info{
		Type: s.Service.Type, Address: connection.AddressOf(address), User: user.Username, Password: user.Password, CACert: ca,
		AccessCert: ptr.Deref(user.AccessCert, ""), AccessKey: ptr.Deref(user.AccessKey, ""),
		Layout: layout(s.Service.Type == aiven.TypeKafka), Endpoints: s.Service.Components,
		Components: connection.ComponentsOf(s.Service, connection.SASL, connection.SchemaRegistry), Fixed: s.Fixed(passwordOf(obj)),
	}, user), nil
}
