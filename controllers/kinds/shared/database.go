package shared

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=databases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=databases/status,verbs=patch

// Database is a logical database in a PostgreSQL or MySQL service.
var Database = controllers.Kind[*v1alpha1.Database]{
	Object: &v1alpha1.Database{},
	New: resource.Definition[*v1alpha1.Database, string]{
		In:     []string{"pg", "mysql"},
		Find:   findDatabase,
		Create: createDatabase,
		Delete: deleteDatabase,
	}.Controller,
	Parts: func(obj *v1alpha1.Database) []aiven.Entry {
		return []aiven.Entry{aiven.DatabaseEntry(obj.GetDatabaseName())}
	},
	Protected: func(obj *v1alpha1.Database) bool {
		return obj.Spec.TerminationProtection != nil && *obj.Spec.TerminationProtection
	},
}

// findDatabase looks at the names only: the two locales can't be changed, and the service doesn't tell them.
func findDatabase(_ context.Context, s resource.Scope, obj *v1alpha1.Database) (*string, error) {
	name := obj.GetDatabaseName()
	if !s.Service.HasDatabase(name) {
		return nil, nil
	}
	return &name, nil
}

func createDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database) (aiven.WriteResult, error) {
	in := &avnservice.ServiceDatabaseCreateIn{Database: obj.GetDatabaseName()}
	if s.Service.Type == "pg" {
		in.LcCollate, in.LcCtype = aiven.Optional(obj.Spec.LcCollate), aiven.Optional(obj.Spec.LcCtype)
	}
	if err := s.Client.API().ServiceDatabaseCreate(ctx, s.Project, s.Service.Name, in); err != nil {
		return aiven.WriteResult{}, fmt.Errorf("creating database: %w", err)
	}
	return aiven.WriteResult{Entry: &in.Database}, nil
}

func deleteDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database) error {
	if err := s.Client.API().ServiceDatabaseDelete(ctx, s.Project, s.Service.Name, obj.GetDatabaseName()); err != nil {
		return fmt.Errorf("deleting database: %w", err)
	}
	return nil
}
