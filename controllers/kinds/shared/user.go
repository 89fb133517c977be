package shared

import (
	"context"
	"errors"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=serviceusers,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceusers/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=serviceusers/finalizers,verbs=update

// User is a user of a service.
var User = resource.Definition[*v1alpha1.ServiceUser, aiven.User]{
	Object: &v1alpha1.ServiceUser{},
	Place:  resource.InService(),
	Free:   func(_ *v1alpha1.ServiceUser, found *aiven.User) bool { return aiven.IsPrimary(*found) },
	Identity: func(obj *v1alpha1.ServiceUser) controllers.Identity {
		return controllers.Identity{Entry: aiven.UserEntry(obj.GetUsername())}
	},
	Named:      func(obj *v1alpha1.ServiceUser) (string, string) { return "spec.username", obj.GetUsername() },
	References: []reference.Declaration{resource.PasswordSource(passwordOf)},
	Find:       findUser,
	Diff:       diffUser,
	Create:     createUser,
	Update:     updateUser,
	Delete:     deleteUser,
	Details:    userDetails, SetPassword: resetPassword, AcknowledgeRenewal: acknowledgeRenewal,
}.Kind()

func findUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) (*aiven.User, error) {
	if _, err := declaredPassword(s, obj); err != nil {
		return nil, err
	}
	switch user, exists := s.Service.User(obj.GetUsername()); {
	case exists:
		obj.Status.Type = user.Type
		return &user, nil
	case s.Service.Lists(aiven.UserEntry(obj.GetUsername())):
		return nil, nil
	}
	return getUser(ctx, s, obj)
}

// getUser asks for the user alone, where the answer for the service has no list of users.
func getUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) (*aiven.User, error) {
	out, err := s.Client.API().ServiceUserGet(ctx, s.Project, s.ServiceName, obj.GetUsername(), avnservice.ServiceUserGetIncludeSecrets(true))
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading user: %w", err)
	case out.Username != obj.GetUsername():
		return nil, errors.New("unclear answer: Aiven has returned another user, or none")
	}
	obj.Status.Type = out.Type
	return (*aiven.User)(out), nil
}

func diffUser(s resource.Scope, obj *v1alpha1.ServiceUser, found *aiven.User) controllers.Diff {
	var diff controllers.Diff
	diffPassword(&diff, s, obj, found)
	diffAccess(&diff, obj.Spec.AccessControl, found.AccessControl)
	return diff
}

// createUser sets a declared password after the creation, which accepts none.
func createUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser) (*aiven.User, error) {
	if err := checkUserService(s); err != nil {
		return nil, err
	}
	in := &avnservice.ServiceUserCreateIn{
		Username: obj.GetUsername(), AccessControl: accessRequest(s, obj.Spec.AccessControl),
		Authentication: avnservice.AuthenticationType(obj.Spec.Authentication),
	}
	var out *avnservice.ServiceUserCreateOut
	var calls fault.Sequence
	calls.Then("creating user", func() (err error) {
		out, err = s.Client.API().ServiceUserCreate(ctx, s.Project, s.ServiceName, in)
		return err
	})
	if passwordOf(obj) != nil {
		calls.Then("setting password", func() error { return setPassword(ctx, s, obj, nil) })
	}
	if passwordOf(obj) != nil || out == nil || out.Username != obj.GetUsername() {
		return nil, userFields(s, obj).Of(calls.Err()) // an answer about another user is none: the user is read
	}
	obj.Status.Type = out.Type
	return (*aiven.User)(out), nil
}

func updateUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, found *aiven.User, diff controllers.Diff) (*aiven.User, error) {
	afresh := len(diff) == 0 // a user asks for a fresh apply
	var calls fault.Sequence
	if diff.Has(pathAccess) || afresh && obj.Spec.AccessControl != nil {
		calls.Then("setting access control", func() error { return setAccess(ctx, s, obj) })
	}
	if diff.Has(resource.PasswordPath) || afresh {
		calls.Then("setting password", func() error { return setPassword(ctx, s, obj, found) })
	}
	return nil, userFields(s, obj).Of(calls.Err())
}

func deleteUser(ctx context.Context, s resource.Scope, obj *v1alpha1.ServiceUser, _ *aiven.User) error {
	if aiven.IsPrimary(aiven.User{Username: obj.GetUsername(), Type: obj.Status.Type}) {
		return nil
	}
	if err := s.Client.API().ServiceUserDelete(ctx, s.Project, s.ServiceName, obj.GetUsername()); err != nil {
		return fmt.Errorf("deleting user: %w", err)
	}
	return nil
}
