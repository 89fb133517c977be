package postgres

import (
	"context"
	"errors"
	"fmt"

	avnpostgres "github.com/aiven/go-client-codegen/handler/postgresql"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=connectionpools,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=connectionpools/status,verbs=patch
// +kubebuilder:rbac:groups=aiven.io,resources=connectionpools/finalizers,verbs=update

const (
	pathDatabase = "spec.databaseName"
	pathUser     = "spec.username"
)

// foundPool is a pool, and what it leads to and Aiven no longer has.
type foundPool struct {
	aiven.Pool
	lacks string
}

// Pool is a PgBouncer connection pool.
var Pool = resource.Definition[*v1alpha1.ConnectionPool, foundPool]{
	Object: &v1alpha1.ConnectionPool{},
	Place:  resource.InService("pg"),
	Identity: func(obj *v1alpha1.ConnectionPool) controllers.Identity {
		return controllers.Identity{Entry: aiven.PoolEntry(obj.GetName())}
	},
	Reads:   poolReads,
	Find:    findPool,
	Awaits:  missingMember,
	State:   poolState,
	Diff:    diffPool,
	Create:  createPool,
	Update:  updatePool,
	Delete:  deletePool,
	Details: poolDetails,
}.Kind()

// poolFields are the fields of a pool by the parameters that they are sent as.
func poolFields() fault.Fields {
	return fault.Fields{
		"pool_name": fault.NameField("", ""), "database": fault.Fixed(pathDatabase), "username": fault.Fixed(pathUser),
		"pool_mode": {Path: "spec.poolMode"}, "pool_size": {Path: "spec.poolSize"},
	}
}

func findPool(_ context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) (*foundPool, error) {
	pool, exists := s.Service.Pool(obj.GetName())
	if !exists && !s.Service.Lists(aiven.PoolEntry(obj.GetName())) {
		return nil, errors.New("unclear answer: Aiven has returned the service without its list of connection pools")
	}
	if !exists {
		return nil, nil
	}
	return &foundPool{Pool: pool, lacks: goneMember(s, obj)}, nil
}

func poolState(found *foundPool) status.Remote {
	return status.Remote{Exists: true, Active: found.lacks == "", Lacks: found.lacks}
}

func diffPool(_ resource.Scope, obj *v1alpha1.ConnectionPool, found *foundPool) controllers.Diff {
	var diff controllers.Diff
	if mode := obj.Spec.PoolMode; mode != "" && mode != string(found.PoolMode) {
		diff.Add("spec.poolMode", mode, found.PoolMode)
	}
	if size := obj.Spec.PoolSize; size != 0 && size != found.PoolSize {
		diff.Add("spec.poolSize", size, found.PoolSize)
	}
	if database := obj.Spec.DatabaseName; database != found.Database {
		diff.Add(pathDatabase, database, found.Database)
	}
	if user := ptr.Deref(found.Username, ""); obj.Spec.Username != "" && obj.Spec.Username != user {
		diff.Add(pathUser, obj.Spec.Username, user)
	}
	return diff
}

func createPool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool) (*foundPool, error) {
	in := &avnpostgres.ServicePGBouncerCreateIn{
		PoolName: obj.GetName(), Database: obj.Spec.DatabaseName,
		PoolMode: avnpostgres.PoolModeType(obj.Spec.PoolMode), PoolSize: aiven.Optional(obj.Spec.PoolSize), Username: aiven.Optional(obj.Spec.Username),
	}
	if err := s.Client.API().ServicePGBouncerCreate(ctx, s.Project, s.ServiceName, in); err != nil {
		return nil, fmt.Errorf("creating connection pool: %w", poolFields().Of(err))
	}
	return nil, nil
}

func updatePool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool, _ *foundPool, _ controllers.Diff) (*foundPool, error) {
	in := &avnpostgres.ServicePGBouncerUpdateIn{
		Database: &obj.Spec.DatabaseName, PoolMode: avnpostgres.PoolModeType(obj.Spec.PoolMode),
		PoolSize: aiven.Optional(obj.Spec.PoolSize), Username: aiven.Optional(obj.Spec.Username),
	}
	if err := s.Client.API().ServicePGBouncerUpdate(ctx, s.Project, s.ServiceName, obj.GetName(), in); err != nil {
		return nil, fmt.Errorf("updating connection pool: %w", poolFields().Of(err))
	}
	return nil, nil
}

func deletePool(ctx context.Context, s resource.Scope, obj *v1alpha1.ConnectionPool, _ *foundPool) error {
	if err := s.Client.API().ServicePGBouncerDelete(ctx, s.Project, s.ServiceName, obj.GetName()); err != nil {
		return fmt.Errorf("deleting connection pool: %w", err)
	}
	return nil
}

// poolReads are the database and the user that a pool leads to.
func poolReads(obj *v1alpha1.ConnectionPool) []aiven.Entry {
	entries := []aiven.Entry{aiven.DatabaseEntry(obj.Spec.DatabaseName)}
	if name := obj.Spec.Username; name != "" {
		entries = append(entries, aiven.UserEntry(name))
	}
	return entries
}

// member is the database or the user that a pool leads to.
type member struct {
	field, kind, name string
	entry             aiven.Entry
	exists            bool
}

func (m member) missing(s resource.Scope) string {
	return fmt.Sprintf("%s: service %s/%s has no %s %q. Create it, or recreate the pool with another %s",
		m.field, s.Project, s.ServiceName, m.kind, m.name, m.field)
}

func membersOf(s resource.Scope, obj *v1alpha1.ConnectionPool) []member {
	database, user := obj.Spec.DatabaseName, obj.Spec.Username
	members := []member{{
		pathDatabase, "database", database, aiven.DatabaseEntry(database), s.Service.HasDatabase(database),
	}}
	if user != "" {
		_, exists := s.Service.User(user)
		members = append(members, member{pathUser, "user", user, aiven.UserEntry(user), exists})
	}
	return members
}

// missingMember names the database or the user that a new pool waits for: they may be objects that were applied together with it. What
// Aiven leaves out, it knows itself.
func missingMember(s resource.Scope, obj *v1alpha1.ConnectionPool) string {
	for _, m := range membersOf(s, obj) {
		if !m.exists && s.Service.Lists(m.entry) {
			return m.missing(s)
		}
	}
	return ""
}

// goneMember is why a pool that exists leads nowhere; empty if it doesn't. A list that Aiven leaves out, or that may be older
// than a write, proves no absence.
func goneMember(s resource.Scope, obj *v1alpha1.ConnectionPool) string {
	for _, m := range membersOf(s, obj) {
		if !m.exists && s.Service.Lists(m.entry) && !s.Reads.WritePending(s.Project, s.ServiceName, m.entry) {
			return m.missing(s)
		}
	}
	return ""
}
