package shared

import (
	"context"
	"errors"
	"fmt"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=databases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=databases/status,verbs=patch

// defaultDatabase is made by Aiven with each service.
const defaultDatabase = "defaultdb"

// Database is a logical database in a PostgreSQL or MySQL service.
var Database = resource.Definition[*v1alpha1.Database, string]{
	Object: &v1alpha1.Database{}, HoldsData: true,
	Place: resource.InService("pg", "mysql"),
	Free:  func(_ *v1alpha1.Database, found *string) bool { return *found == defaultDatabase },
	Identity: func(obj *v1alpha1.Database) controllers.Identity {
		return controllers.Identity{Entry: aiven.DatabaseEntry(obj.GetDatabaseName())}
	},
	Protected: func(obj *v1alpha1.Database) bool { return ptr.Deref(obj.Spec.TerminationProtection, false) },
	Find:      findDatabase,
	Create:    createDatabase,
	Delete:    deleteDatabase,
}.Kind()

// findDatabase compares the name only: the two locales can't be changed, and Aiven doesn't return them.
func findDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database) (*string, error) {
	name := obj.GetDatabaseName()
	exists, err := s.Service.HasDatabase(name), error(nil)
	if !exists && !s.Service.Lists(aiven.DatabaseEntry(name)) {
		exists, err = listsDatabase(ctx, s, name)
	}
	if !exists {
		return nil, err
	}
	return &name, nil
}

// listsDatabase reports whether a database is in the list of databases, which is read where the answer for the service has none.
func listsDatabase(ctx context.Context, s resource.Scope, name string) (bool, error) {
	var page [][2]string
	for after := ""; ; page = [][2]string{avnservice.ServiceDatabaseListAfter(after)} {
		out, err := s.Client.API().ServiceDatabaseList(ctx, s.Project, s.ServiceName, page...)
		switch {
		case err != nil:
			return false, fmt.Errorf("listing databases: %w", err)
		case slices.ContainsFunc(out.Databases, func(d avnservice.DatabaseOut) bool { return d.DatabaseName == name }):
			return true, nil
		case ptr.Deref(out.Next, "") == "" && out.Databases != nil:
			return false, nil
		case ptr.Deref(out.Next, "") == after:
			return false, errors.New("unclear answer: Aiven has returned no list of databases, or a page of it twice")
		}
		after = ptr.Deref(out.Next, "")
	}
}

// createDatabase returns the database only if the answer confirms it. What was ready isn't created again, so after any other answer a read
// has to show it.
func createDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database) (*string, error) {
	in := &avnservice.ServiceDatabaseCreateIn{Database: obj.GetDatabaseName()}
	if s.Service.Type == "pg" {
		in.LcCollate, in.LcCtype = aiven.Optional(obj.Spec.LcCollate), aiven.Optional(obj.Spec.LcCtype)
	}
	ctx, body := aiven.WithBody(ctx)
	if err := s.Client.API().ServiceDatabaseCreate(ctx, s.Project, s.ServiceName, in); err != nil {
		return nil, fmt.Errorf("creating database: %w", databaseFields(obj).Of(err))
	}
	if !aiven.Confirms(body.Bytes()) {
		return nil, nil
	}
	return &in.Database, nil
}

// deleteDatabase leaves the database that Aiven has made with the service.
func deleteDatabase(ctx context.Context, s resource.Scope, obj *v1alpha1.Database, _ *string) error {
	if obj.GetDatabaseName() == defaultDatabase {
		return nil
	}
	if err := s.Client.API().ServiceDatabaseDelete(ctx, s.Project, s.ServiceName, obj.GetDatabaseName()); err != nil {
		return fmt.Errorf("deleting database: %w", err)
	}
	return nil
}
