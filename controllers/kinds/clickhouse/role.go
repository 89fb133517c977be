package clickhouse

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseroles,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseroles/status,verbs=patch

// Role is the kind ClickhouseRole.
var Role = resource.Definition[*v1alpha1.ClickhouseRole, remoteRole]{
	Object: &v1alpha1.ClickhouseRole{},
	Place:  resource.InService("clickhouse"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.ClickhouseRole) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.Role}
	},
	Find:   findRole,
	Diff:   diffRole,
	Create: createRole,
	Update: updateRole,
	Delete: deleteRole,
}.Kind()

func findRole(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseRole) (*remoteRole, error) {
	return nil, errors.New("not implemented: findRole")
}

// diffRole can't return an error: what it returns is never corrected.
func diffRole(_ resource.Scope, _ *v1alpha1.ClickhouseRole, _ *remoteRole) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffRole", "")
	return diff
}

func createRole(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseRole) (*remoteRole, error) {
	return nil, errors.New("not implemented: createRole")
}

func updateRole(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseRole, _ *remoteRole, _ controllers.Diff,
) (*remoteRole, error) {
	return nil, errors.New("not implemented: updateRole")
}

func deleteRole(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseRole, _ *remoteRole) error {
	return errors.New("not implemented: deleteRole")
}
