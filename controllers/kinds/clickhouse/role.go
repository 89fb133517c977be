package clickhouse

import (
	"context"
	"fmt"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseroles,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhouseroles/status,verbs=patch

// Role is a role of ClickHouse. It is nothing but a name: what it may do are its grants.
var Role = resource.Definition[*v1alpha1.ClickhouseRole, lists.Role]{
	Object: &v1alpha1.ClickhouseRole{},
	Place:  resource.InService("clickhouse"),
	Identity: func(obj *v1alpha1.ClickhouseRole) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.Role}
	},
	Item: func(obj *v1alpha1.ClickhouseRole) aiven.Item {
		return lists.Item(&obj.Spec.ServiceDependant, lists.Roles, obj.Spec.Role)
	},
	LookupOnDelete: true,
	Find:           findRole,
	Create:         createRole,
	Delete:         deleteRole,
}.Kind()

func findRole(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseRole) (*lists.Role, error) {
	roles, err := lists.ReadRoles(ctx, s, obj.Spec.Role)
	found, exists := roles[obj.Spec.Role]
	if err != nil || !exists {
		return nil, err
	}
	return &found, nil
}

func createRole(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseRole) (*lists.Role, error) {
	// Without IF NOT EXISTS: the list may be older than a role that another client has made, which isn't the object's.
	if err := lists.Execute(ctx, s, "CREATE ROLE "+lists.Quote(obj.Spec.Role)); err != nil {
		fields := fault.Fields{"code": {Path: "spec.role"}} // with which every message of ClickHouse begins
		return nil, fmt.Errorf("creating role: %w", fields.Of(err))
	}
	lists.RecordNewRole(s, obj.Spec.Role)
	return &lists.Role{Name: obj.Spec.Role}, nil
}

func deleteRole(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseRole, found *lists.Role) error {
	if found == nil {
		return s.LookupErr
	}
	ctx, body := aiven.WithBody(ctx)
	err := lists.Execute(ctx, s, "DROP ROLE IF EXISTS "+lists.Quote(obj.Spec.Role))
	if err == nil {
		err = aiven.CheckDeletion("ServiceClickHouseQuery", body.Bytes(), "data", "meta", "summary")
	}
	if err != nil {
		return fmt.Errorf("deleting role: %w", err)
	}
	lists.InvalidateGrants(s)
	return nil
}
