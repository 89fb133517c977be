package service

import (
	"context"
	"fmt"
	"strconv"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

// User is a user of a service.
var User = controllers.Kind[*v1alpha1.ServiceUser]{
	Object: &v1alpha1.ServiceUser{},
	New: resource.Definition[*v1alpha1.ServiceUser, aiven.User]{
		Find:    findUser,
		Diff:    diffUser,
		Create:  createUser,
		Update:  updateUser,
		Delete:  deleteUser,
		Details: userDetails,
	}.Controller,
	References: []reference.Declaration{passwordSource},
}

const (
	sourceName  = "SecretSource"
	pathSource  = "spec.connInfoSecretSource"
	primaryUser = "avnadmin" // comes and goes with its service
)

var passwordSource = reference.Declaration{
	Name: sourceName, Kind: reference.SecretKind, Field: pathSource,
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
	value, declared := s.Refs.SecretValue(sourceName)
	if declared && (len(value) < 8 || len(value) > 256) {
		return "", fault.InvalidSpec(pathSource, "the password must be 8 to 256 characters long")
	}
	return string(value), nil
}

func findUser(_ context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) (*aiven.User, error) {
	if _, err := declaredPassword(s); err != nil {
		return nil, err
	}
	user, exists := s.Service.User(obj.GetUsername())
	if !exists {
		return nil, nil
	}
	obj.Status.Type = user.Type
	return &user, nil
}

func diffUser(s resource.Scope, obj *v1alpha1.ServiceUser, found *aiven.User) controllers.Diff {
	var diff controllers.Diff
	if password, _ := declaredPassword(s); password != "" && password != found.Password {
		diff.Add(pathSource, "(secret)", "(secret)")
	}
	diffAccess(&diff, obj.Spec.AccessControl, found.AccessControl)
	return diff
}

func createUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) error {
	in := &avnservice.ServiceUserCreateIn{
		Username: obj.GetUsername(), AccessControl: accessRequest(obj.Spec.AccessControl),
		Authentication: avnservice.AuthenticationType(obj.Spec.Authentication),
	}
	if _, err := s.Account.Client().ServiceUserCreate(ctx, s.Project, s.Service.Name, in); err != nil {
		return fmt.Errorf("creating user: %w", err)
	}
	return setPassword(ctx, s, obj)
}

func updateUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, diff controllers.Diff) error {
	if diff.Has(pathAccess) {
		in := &avnservice.ServiceUserCredentialsModifyIn{
			Operation:     avnservice.ServiceUserCredentialsModifyOperationTypeSetAccessControl,
			AccessControl: accessRequest(obj.Spec.AccessControl),
		}
		if err := modify(ctx, s, obj, in); err != nil {
			return fmt.Errorf("setting access control: %w", err)
		}
	}
	if !diff.Has(pathSource) {
		return nil
	}
	return setPassword(ctx, s, obj)
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
	if err := modify(ctx, s, obj, in); err != nil {
		return fmt.Errorf("setting password: %w", err)
	}
	return nil
}

func modify(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, in *avnservice.ServiceUserCredentialsModifyIn) error {
	_, err := s.Account.Client().ServiceUserCredentialsModify(ctx, s.Project, s.Service.Name, obj.GetUsername(), in)
	return err
}

func deleteUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) error {
	if obj.GetUsername() == primaryUser {
		return nil
	}
	if err := s.Account.Client().ServiceUserDelete(ctx, s.Project, s.Service.Name, obj.GetUsername()); err != nil {
		return fmt.Errorf("deleting user: %w", err)
	}
	return nil
}

// userDetails are empty while Aiven doesn't tell the password: half a Secret helps nobody.
func userDetails(ctx context.Context, s resource.Scope, _ *v1alpha1.ServiceUser, user *aiven.User) (connection.Details, error) {
	endpoint, reachable := s.Service.Component(s.Service.Type)
	if !reachable || user.Password == "" {
		return connection.Details{}, nil
	}
	ca, err := s.Account.CA(ctx, s.Project)
	if err != nil {
		return connection.Details{}, err
	}
	return connection.Details{Prefixed: map[string]string{
		"HOST":        endpoint.Host,
		"PORT":        strconv.Itoa(endpoint.Port),
		"USERNAME":    user.Username,
		"PASSWORD":    user.Password,
		"ACCESS_CERT": text(user.AccessCert),
		"ACCESS_KEY":  text(user.AccessKey),
		"CA_CERT":     ca,
	}}, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
