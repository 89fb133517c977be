package service

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=serviceusers,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceusers/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceusers/finalizers,verbs=update

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

const primaryUser = "avnadmin" // comes and goes with its service

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
	diffPassword(&diff, s, found)
	diffAccess(&diff, obj.Spec.AccessControl, found.AccessControl)
	return diff
}

// createUser makes a user, and only then gives it its password: Aiven doesn't take one at creation.
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
	afresh := len(diff) == 0 // somebody asks to have the spec applied again
	if diff.Has(pathAccess) || afresh && obj.Spec.AccessControl != nil {
		if err := setAccess(ctx, s, obj); err != nil {
			return err
		}
	}
	if diff.Has(pathPassword) || afresh {
		return setPassword(ctx, s, obj)
	}
	return nil
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
