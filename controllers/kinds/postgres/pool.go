package postgres

import (
	"cmp"
	"context"
	"fmt"
	"net/url"

	avnpostgres "github.com/aiven/go-client-codegen/handler/postgresql"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/resource"
)

// Pool is a PgBouncer connection pool.
var Pool = controllers.Kind[*v1alpha1.ConnectionPool]{
	Object: &v1alpha1.ConnectionPool{},
	New: resource.Definition[*v1alpha1.ConnectionPool, aiven.Pool]{
		In:      []string{"pg"},
		Find:    findPool,
		Diff:    diffPool,
		Create:  createPool,
		Update:  updatePool,
		Delete:  deletePool,
		Details: poolDetails,
	}.Controller,
}

func findPool(_ context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) (*aiven.Pool, error) {
	pool, exists := s.Service.Pool(obj.GetName())
	if !exists {
		return nil, nil
	}
	return &pool, nil
}

func diffPool(_ resource.Scope, obj *v1alpha1.ConnectionPool, found *aiven.Pool) controllers.Diff {
	var diff controllers.Diff
	if mode := obj.Spec.PoolMode; mode != "" && mode != string(found.PoolMode) {
		diff.Add("spec.poolMode", mode, found.PoolMode)
	}
	if size := obj.Spec.PoolSize; size != 0 && size != found.PoolSize {
		diff.Add("spec.poolSize", size, found.PoolSize)
	}
	if database := obj.Spec.DatabaseName; database != found.Database {
		diff.Add("spec.databaseName", database, found.Database)
	}
	if user := obj.Spec.Username; user != username(found) {
		diff.Add("spec.username", user, username(found))
	}
	return diff
}

func createPool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) error {
	if err := membersPending(s, obj); err != nil {
		return err
	}
	in := &avnpostgres.ServicePGBouncerCreateIn{
		PoolName: obj.GetName(), Database: obj.Spec.DatabaseName,
		PoolMode: avnpostgres.PoolModeType(obj.Spec.PoolMode), PoolSize: poolSize(obj), Username: poolUser(obj),
	}
	if err := s.Account.Client().ServicePGBouncerCreate(ctx, s.Project, s.Service.Name, in); err != nil {
		return fmt.Errorf("creating connection pool: %w", err)
	}
	return nil
}

// membersPending waits for the database and the user of a pool: they may be objects that were applied together with it.
func membersPending(s resource.Scope, obj *v1alpha1.ConnectionPool) error {
	if name := obj.Spec.DatabaseName; !s.Service.HasDatabase(name) {
		return fault.NotYet(fmt.Sprintf("service %s has no database %q yet", s.Service.Name, name))
	}
	if name := obj.Spec.Username; name != "" {
		if _, exists := s.Service.User(name); !exists {
			return fault.NotYet(fmt.Sprintf("service %s has no user %q yet", s.Service.Name, name))
		}
	}
	return nil
}

func updatePool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool, _ controllers.Diff) error {
	in := &avnpostgres.ServicePGBouncerUpdateIn{
		Database: &obj.Spec.DatabaseName, PoolMode: avnpostgres.PoolModeType(obj.Spec.PoolMode),
		PoolSize: poolSize(obj), Username: poolUser(obj),
	}
	if err := s.Account.Client().ServicePGBouncerUpdate(ctx, s.Project, s.Service.Name, obj.GetName(), in); err != nil {
		return fmt.Errorf("updating connection pool: %w", err)
	}
	return nil
}

func deletePool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) error {
	if err := s.Account.Client().ServicePGBouncerDelete(ctx, s.Project, s.Service.Name, obj.GetName()); err != nil {
		return fmt.Errorf("deleting connection pool: %w", err)
	}
	return nil
}

// poolDetails tells the address of the pool and the name of its user. A pool without one takes every user; the details
// are those of the service's own then.
func poolDetails(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool, pool *aiven.Pool) (connection.Details, error) {
	uri, err := url.Parse(pool.ConnectionUri)
	if err != nil {
		return connection.Details{}, fmt.Errorf("reading the address of pool %s: it is no URI", pool.PoolName)
	}
	user, known := s.Service.User(cmp.Or(username(pool), s.Service.URIParams["user"]))
	if !known || user.Password == "" || uri.Host == "" {
		return connection.Details{}, nil
	}
	ca, err := s.Account.CA(ctx, s.Project)
	if err != nil {
		return connection.Details{}, err
	}
	mode := cmp.Or(uri.Query().Get("sslmode"), s.Service.URIParams["sslmode"])
	e := endpoint{
		uri.Hostname(), uri.Port(), pool.Database, user.Username, user.Password, mode, pool.ConnectionUri, ca,
	}
	details := connection.Details{Prefixed: e.prefixed(), Legacy: e.legacy()}
	details.Prefixed["NAME"] = obj.GetName()
	return details, nil
}

func username(pool *aiven.Pool) string {
	if pool.Username == nil {
		return ""
	}
	return *pool.Username
}

func poolSize(obj *v1alpha1.ConnectionPool) *int {
	if obj.Spec.PoolSize == 0 {
		return nil
	}
	return &obj.Spec.PoolSize
}

func poolUser(obj *v1alpha1.ConnectionPool) *string {
	if obj.Spec.Username == "" {
		return nil
	}
	return &obj.Spec.Username
}
