package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	avnclickhouse "github.com/aiven/go-client-codegen/handler/clickhouse"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/kinds/clickhouse/internal/lists"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=clickhousedatabases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=clickhousedatabases/status,verbs=patch

// Database is a database of ClickHouse. Nothing of it can be changed.
var Database = resource.Definition[*v1alpha1.ClickhouseDatabase, lists.Database]{
	Object: &v1alpha1.ClickhouseDatabase{}, HoldsData: true,
	Place: resource.InService("clickhouse"),
	Free:  func(_ *v1alpha1.ClickhouseDatabase, found *lists.Database) bool { return found.Required },
	Identity: func(obj *v1alpha1.ClickhouseDatabase) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.GetDatabaseName()}
	},
	Named: func(obj *v1alpha1.ClickhouseDatabase) (string, string) {
		return "spec.databaseName", obj.GetDatabaseName()
	},
	Item:           databaseItem,
	LookupOnDelete: true,
	Find:           findDatabase,
	State:          databaseState,
	Create:         createDatabase,
	Delete:         deleteDatabase,
}.Kind()

func databaseItem(obj *v1alpha1.ClickhouseDatabase) aiven.Item {
	return lists.Item(&obj.Spec.ServiceDependant, lists.Databases, obj.GetDatabaseName())
}

func findDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseDatabase) (*lists.Database, error) {
	item := databaseItem(obj)
	databases, err := lists.ReadDatabases(ctx, s, item.Key)
	found, exists := databases[item.Key]
	if err != nil || !exists {
		return nil, cmp.Or(err, checkName(obj))
	}
	if !databaseState(&found).Active {
		s.Client.InvalidateList(item.List) // so that the next reconcile sees what has become of it
	}
	return &found, nil
}

// databaseState is Active for a database without a state: Aiven may leave it out.
func databaseState(found *lists.Database) status.Remote {
	r := status.Remote{Exists: true, State: string(found.State)}
	switch found.State {
	case avnclickhouse.DatabaseStateTypePendingRemoval:
		return status.Remote{Message: "Waiting for Aiven to delete the database that had this name before"}
	case avnclickhouse.DatabaseStateTypePendingCreation:
		r.Message = "Waiting for Aiven to create the database: it is " + r.State
	default:
		r.Active = true
	}
	return r
}

// checkName refuses the databases of ClickHouse itself, which Aiven doesn't list, and refuses to create for now.
func checkName(obj *v1alpha1.ClickhouseDatabase) error {
	name := obj.GetDatabaseName()
	if !obj.DeletionTimestamp.IsZero() || name != lists.SystemDatabase && !strings.EqualFold(name, "information_schema") {
		return nil
	}
	field := fault.NameField("spec.databaseName", obj.Spec.DatabaseName)
	return fault.InvalidSpec(field.Path, fmt.Sprintf("%q is a database of ClickHouse itself. %s", name, field.Remedy))
}

// createDatabase doesn't return the database: the answer doesn't hold its state.
func createDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseDatabase) (*lists.Database, error) {
	in := &avnclickhouse.ServiceClickHouseDatabaseCreateIn{Database: obj.GetDatabaseName()}
	if err := s.Client.API().ServiceClickHouseDatabaseCreate(ctx, s.Project, s.ServiceName, in); err != nil {
		return nil, fmt.Errorf("creating database: %w", fault.Fields{"database": fault.NameField("spec.databaseName", obj.Spec.DatabaseName)}.Of(err))
	}
	return nil, nil
}

// deleteDatabase ends once the list no longer has the database. The one that Aiven itself needs stays.
func deleteDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.ClickhouseDatabase, found *lists.Database) error {
	switch {
	case found == nil:
		return s.LookupErr
	case found.Required:
		return nil
	case found.State != avnclickhouse.DatabaseStateTypePendingRemoval:
		err := s.Client.API().ServiceClickHouseDatabaseDelete(ctx, s.Project, s.ServiceName, found.Name)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return fmt.Errorf("deleting database: %w", err)
		}
	}
	item := databaseItem(obj)
	s.Client.InvalidateList(item.List)
	databases, err := lists.ReadDatabases(ctx, s, item.Key)
	if _, left := databases[item.Key]; left || err != nil {
		return deletion.ErrPending // the next attempt reads it again, and meets the error if there still is one
	}
	return nil
}
