package clickhouse

import (
	"context"
	"fmt"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseroles,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseroles/status,verbs=patch

// Role is a role of ClickHouse. It is nothing but a name: what it may do are its grants.
var Role = resource.Definition[*v1alpha1.ClickhouseRole, remoteRole]{
	Object: &v1alpha1.ClickhouseRole{},
	Place:  resource.InService("clickhouse"),
	Identity: func(obj *v1alpha1.ClickhouseRole) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.Role}
	},
	Item: func(obj *v1alpha1.ClickhouseRole) aiven.Item {
		return itemOf(&obj.Spec.ServiceDependant, listOfRoles, obj.Spec.Role)
	},
	LookupOnDelete: true,
	Find:           findRole,
	Create:         createRole,
	Delete:         deleteRole,
}.Kind()

func findRole(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseRole) (*remoteRole, error) {
	roles, err := listRoles(ctx, s, obj.Spec.Role)
	found, exists := roles[obj.Spec.Role]
	if err != nil || !exists {
		return nil, err
	}
	return &found, nil
}

func createRole(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseRole) (*remoteRole, error) {
	if err := execute(ctx, s, "CREATE ROLE IF NOT EXISTS "+quote(obj.Spec.Role)); err != nil {
		fields := fault.Fields{"code": {Path: "spec.role"}} // with which every message of ClickHouse begins
		return nil, fmt.Errorf("creating role: %w", fields.Of(err))
	}
	recordNewRole(s, obj.Spec.Role)
	return &remoteRole{Name: obj.Spec.Role}, nil
}

func deleteRole(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseRole, found *remoteRole) error {
	if found == nil {
		return s.LookupErr
	}
	if err := execute(ctx, s, "DROP ROLE IF EXISTS "+quote(obj.Spec.Role)); err != nil {
		return fmt.Errorf("deleting role: %w", err)
	}
	invalidateGrants(s)
	return nil
}
