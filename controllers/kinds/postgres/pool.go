package postgres

import (
	"context"
	"fmt"

	avnpostgres "github.com/aiven/go-client-codegen/handler/postgresql"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=connectionpools,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=connectionpools/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=connectionpools/finalizers,verbs=update

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
	Parts: poolParts,
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
	if user := ptr.Deref(found.Username, ""); obj.Spec.Username != "" && obj.Spec.Username != user {
		diff.Add("spec.username", obj.Spec.Username, user)
	}
	return diff
}

func createPool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) (aiven.WriteResult, error) {
	if err := membersPending(s, obj); err != nil {
		return aiven.WriteResult{}, err
	}
	in := &avnpostgres.ServicePGBouncerCreateIn{
		PoolName: obj.GetName(), Database: obj.Spec.DatabaseName,
		PoolMode: avnpostgres.PoolModeType(obj.Spec.PoolMode), PoolSize: aiven.Optional(obj.Spec.PoolSize), Username: aiven.Optional(obj.Spec.Username),
	}
	if err := s.Client.API().ServicePGBouncerCreate(ctx, s.Project, s.Service.Name, in); err != nil {
		return aiven.WriteResult{}, fmt.Errorf("creating connection pool: %w", err)
	}
	return aiven.WriteResult{}, nil
}

func updatePool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool, _ controllers.Diff) (aiven.WriteResult, error) {
	in := &avnpostgres.ServicePGBouncerUpdateIn{
		Database: &obj.Spec.DatabaseName, PoolMode: avnpostgres.PoolModeType(obj.Spec.PoolMode),
		PoolSize: aiven.Optional(obj.Spec.PoolSize), Username: aiven.Optional(obj.Spec.Username),
	}
	if err := s.Client.API().ServicePGBouncerUpdate(ctx, s.Project, s.Service.Name, obj.GetName(), in); err != nil {
		return aiven.WriteResult{}, fmt.Errorf("updating connection pool: %w", err)
	}
	return aiven.WriteResult{}, nil
}

func deletePool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) error {
	if err := s.Client.API().ServicePGBouncerDelete(ctx, s.Project, s.Service.Name, obj.GetName()); err != nil {
		return fmt.Errorf("deleting connection pool: %w", err)
	}
	return nil
}
