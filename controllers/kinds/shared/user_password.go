package shared

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

const (
	referencePassword = "SecretSource"
	pathPassword      = "spec.connInfoSecretSource"
)

var passwordSource = reference.Declaration{
	Name: referencePassword, Kind: reference.SecretKind, Field: pathPassword,
	Targets: func(obj client.Object) []reference.Target {
		source := obj.(*v1alpha1.ServiceUser).Spec.ConnInfoSecretSource
		if source == nil {
			return nil
		}
		return []reference.Target{{NamespacedName: types.NamespacedName{Name: source.Name}, Key: source.PasswordKey}}
	},
}

// declaredPassword is the password that the spec brings along, or "".
func declaredPassword(s resource.Scope) (string, error) {
	value, declared := s.Refs.SecretValue(referencePassword)
	if declared && (len(value) < 8 || len(value) > 256) {
		return "", fault.InvalidSpec(pathPassword, "the password must be 8 to 256 characters long")
	}
	return string(value), nil
}

func diffPassword(diff *controllers.Diff, s resource.Scope, found *aiven.User) {
	if password, _ := declaredPassword(s); password != "" && password != found.Password {
		diff.Add(pathPassword, "(secret)", "(secret)")
	}
}

// setPassword gives the user the password that the spec brings along, if it does.
func setPassword(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) error {
	password, err := declaredPassword(s)
	if err != nil || password == "" {
		return err
	}
	in := &avnservice.ServiceUserCredentialsModifyIn{
		Operation:   avnservice.ServiceUserCredentialsModifyOperationTypeResetCredentials,
		NewPassword: &password,
	}
	if err := modifyUser(ctx, s, obj, in); err != nil {
		return fmt.Errorf("setting password: %w", err)
	}
	return nil
}

// modifyUser drops the answer, which is a whole service without its secrets: what is published has to be looked at.
func modifyUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, in *avnservice.ServiceUserCredentialsModifyIn) error {
	_, err := s.Client.API().ServiceUserCredentialsModify(ctx, s.Project, s.Service.Name, obj.GetUsername(), in)
	return err
}
