package clickhouse

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseusers,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseusers/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseusers/finalizers,verbs=update

// User is the kind ClickhouseUser.
var User = resource.Definition[*v1alpha1.ClickhouseUser, remoteUser]{
	Object: &v1alpha1.ClickhouseUser{},
	Place:  resource.InService("clickhouse"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.ClickhouseUser) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.Username}
	},
	Find:    findUser,
	Diff:    diffUser,
	Create:  createUser,
	Update:  updateUser,
	Delete:  deleteUser,
	Details: detailsUser,
}.Kind()

func findUser(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseUser) (*remoteUser, error) {
	return nil, errors.New("not implemented: findUser")
}

// diffUser can't return an error: what it returns is never corrected.
func diffUser(_ resource.Scope, _ *v1alpha1.ClickhouseUser, _ *remoteUser) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffUser", "")
	return diff
}

func createUser(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseUser) (*remoteUser, error) {
	return nil, errors.New("not implemented: createUser")
}

func updateUser(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseUser, _ *remoteUser, _ controllers.Diff,
) (*remoteUser, error) {
	return nil, errors.New("not implemented: updateUser")
}

func deleteUser(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseUser, _ *remoteUser) error {
	return errors.New("not implemented: deleteUser")
}

func detailsUser(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseUser, _ *remoteUser,
) (connection.Details, error) {
	return connection.Details{}, errors.New("not implemented: detailsUser")
}
