package shared

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=databases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=databases/status,verbs=patch

// Database is a logical database in a PostgreSQL or MySQL service.
var Database = resource.Definition[*v1alpha1.Database, string]{
	Object: &v1alpha1.Database{},
	Place:  resource.InService("pg", "mysql"),
	Identity: func(obj *v1alpha1.Database) controllers.Identity {
		return controllers.Identity{Entry: aiven.DatabaseEntry(obj.GetDatabaseName())}
	},
	Protected: func(obj *v1alpha1.Database) bool { return ptr.Deref(obj.Spec.TerminationProtection, false) },
	Find:      findDatabase,
	Create:    createDatabase,
	Delete:    deleteDatabase,
}.Kind()

// findDatabase compares the name only: the two locales can't be changed, and Aiven doesn't return them.
func findDatabase(_ context.Context, s resource.Scope, obj *v1alpha1.Database) (*string, error) {
	name := obj.GetDatabaseName()
	if !s.Service.HasDatabase(name) {
		return nil, nil
	}
	return &name, nil
}

func createDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database) (*string, error) {
	in := &avnservice.ServiceDatabaseCreateIn{Database: obj.GetDatabaseName()}
	if s.Service.Type == "pg" {
		in.LcCollate, in.LcCtype = aiven.Optional(obj.Spec.LcCollate), aiven.Optional(obj.Spec.LcCtype)
	}
	if err := s.Client.API().ServiceDatabaseCreate(ctx, s.Project, s.ServiceName, in); err != nil {
		return nil, fmt.Errorf("creating database: %w", databaseFields(obj).Of(err))
	}
	return &in.Database, nil
}

func deleteDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database, _ *string) error {
	if err := s.Client.API().ServiceDatabaseDelete(ctx, s.Project, s.ServiceName, obj.GetDatabaseName()); err != nil {
		return fmt.Errorf("deleting database: %w", err)
	}
	return nil
}
