package clickhouse

import (
	"context"
	"errors"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhousedatabases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhousedatabases/status,verbs=patch

// Database is the kind ClickhouseDatabase.
var Database = resource.Definition[*v1alpha1.ClickhouseDatabase, remoteDatabase]{
	Object: &v1alpha1.ClickhouseDatabase{},
	Place:  resource.InService("clickhouse"),
	// Replace it if Aiven knows the resource by less than the fields that can't change, or by more.
	Identity: func(obj *v1alpha1.ClickhouseDatabase) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.DatabaseName}
	},
	Find:   findDatabase,
	Diff:   diffDatabase,
	Create: createDatabase,
	Update: updateDatabase,
	Delete: deleteDatabase,
}.Kind()

func findDatabase(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseDatabase) (*remoteDatabase, error) {
	return nil, errors.New("not implemented: findDatabase")
}

// diffDatabase can't return an error: what it returns is never corrected.
func diffDatabase(_ resource.Scope, _ *v1alpha1.ClickhouseDatabase, _ *remoteDatabase) controllers.Diff {
	var diff controllers.Diff
	diff.Add("spec", "not implemented: diffDatabase", "")
	return diff
}

func createDatabase(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseDatabase) (*remoteDatabase, error) {
	return nil, errors.New("not implemented: createDatabase")
}

func updateDatabase(
	_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseDatabase, _ *remoteDatabase, _ controllers.Diff,
) (*remoteDatabase, error) {
	return nil, errors.New("not implemented: updateDatabase")
}

func deleteDatabase(_ context.Context, _ resource.Scope, _ *v1alpha1.ClickhouseDatabase, _ *remoteDatabase) error {
	return errors.New("not implemented: deleteDatabase")
}
