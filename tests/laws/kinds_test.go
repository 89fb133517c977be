package laws_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds"
	"github.com/aero-operator/aero/tests/env"
)

// Names in the examples.
const (
	serviceName  = "my-pg"
	databaseName = "orders"
	userName     = "orders-app"
	poolName     = "orders-pool"
)

// kind is everything that the laws need to know about a kind.
type kind struct {
	name    string
	example string         // file in docs/examples
	phase   v1alpha1.Phase // that it ends in
	// resource and path say what it is at the local Aiven: its type, and its id behind the project.
	resource, path string
	// create and update are the one operation that each takes.
	create, update string
	// service is true for what lives in one: it is made before the object is.
	service bool
	// inside makes what else has to be in the service; nil if nothing.
	inside func(*env.Env)
	// change edits the spec in a way that takes one update; nil for kinds that have no such field.
	change func(*env.Env, env.Object)
	// meddle makes a difference at the console to the changed object; repaired says whether it is gone again.
	meddle   func(*env.Env)
	repaired func(*env.Env) bool
	// remove removes the resource at the console.
	remove func(*env.Env) error
	// keys get the prefix in the Secret, legacy don't; none for kinds without a Secret.
	prefix       string
	keys, legacy []string
}

// publishes says whether the kind has a Secret.
func (k kind) publishes() bool { return len(k.keys) > 0 }

var libpq = []string{"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSSLMODE", "DATABASE_URI"}

// allKinds is the one place to add a kind.
var allKinds = []kind{
	{
		name: "ConnectionPool", example: "connectionpool", phase: v1alpha1.PhaseReady,
		resource: "connection_pool", path: serviceName + "/" + poolName,
		create: "ServicePGBouncerCreate", update: "ServicePGBouncerUpdate",
		service: true, inside: func(e *env.Env) { makeDatabase(e); makeUser(e) },
		change: func(_ *env.Env, obj env.Object) { obj.(*v1alpha1.ConnectionPool).Spec.PoolSize = 21 },
		meddle: func(e *env.Env) {
			size := 5
			require.NoError(e.T, e.Aiven.Console.ServicePGBouncerUpdate(e.T.Context(), e.Project, serviceName, poolName,
				&postgresql.ServicePGBouncerUpdateIn{PoolSize: &size}))
		},
		repaired: func(e *env.Env) bool { return look(e).ConnectionPools[0].PoolSize == 21 },
		remove: func(e *env.Env) error {
			return e.Aiven.Console.ServicePGBouncerDelete(e.T.Context(), e.Project, serviceName, poolName)
		},
		prefix: "CONNECTIONPOOL_", legacy: libpq,
		keys: []string{"NAME", "HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSLMODE", "DATABASE_URI", "CA_CERT"},
	},
	{
		name: "Database", example: "database", phase: v1alpha1.PhaseReady,
		resource: "database", path: serviceName + "/" + databaseName,
		create: "ServiceDatabaseCreate", service: true,
		remove: func(e *env.Env) error {
			return e.Aiven.Console.ServiceDatabaseDelete(e.T.Context(), e.Project, serviceName, databaseName)
		},
	},
	{
		name: "PostgreSQL", example: "postgresql", phase: v1alpha1.PhaseRunning,
		resource: "service", path: serviceName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *env.Env, obj env.Object) {
			obj.(*v1alpha1.PostgreSQL).Spec.MaintenanceWindowTime = "04:30:00"
		},
		meddle: func(e *env.Env) {
			require.NoError(e.T, e.Aiven.Patch(e.Project, serviceName, map[string]any{
				"maintenance": map[string]any{"dow": "tuesday", "time": "11:00:00"},
			}))
		},
		repaired: func(e *env.Env) bool { return look(e).Maintenance.Time == "04:30:00" },
		remove:   func(e *env.Env) error { return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, serviceName) },
		prefix:   "POSTGRESQL_", legacy: libpq,
		keys: []string{"HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSLMODE", "DATABASE_URI", "CA_CERT"},
	},
	{
		name: "ServiceUser", example: "serviceuser", phase: v1alpha1.PhaseReady,
		resource: "user", path: serviceName + "/" + userName,
		create: "ServiceUserCreate", update: "ServiceUserCredentialsModify", service: true,
		change: func(e *env.Env, obj env.Object) {
			e.SetSecret(sourceSecret, map[string]string{sourceKey: declaredPassword})
			obj.(*v1alpha1.ServiceUser).Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{
				Name: sourceSecret, PasswordKey: sourceKey,
			}
		},
		meddle:   func(e *env.Env) { setPassword(e, "changed-at-the-console") },
		repaired: func(e *env.Env) bool { return passwordOf(e, userName) == declaredPassword },
		remove: func(e *env.Env) error {
			return e.Aiven.Console.ServiceUserDelete(e.T.Context(), e.Project, serviceName, userName)
		},
		prefix: "SERVICEUSER_",
		keys:   []string{"HOST", "PORT", "USERNAME", "PASSWORD", "ACCESS_CERT", "ACCESS_KEY", "CA_CERT"},
	},
}

// The Secret with a declared password.
const (
	sourceSecret     = "orders-app-password"
	sourceKey        = "password"
	declaredPassword = "declared-by-the-user"
)

func TestEveryKindOfTheOperatorIsUnderTheLaws(t *testing.T) {
	require.Len(t, allKinds, len(kinds.All()), "add the new kind to allKinds")
}

// look is the service as the console shows it.
func look(e *env.Env) *service.ServiceGetOut {
	found, err := e.Aiven.Console.ServiceGet(e.T.Context(), e.Project, serviceName, service.ServiceGetIncludeSecrets(true))
	require.NoError(e.T, err)
	return found
}

func makeDatabase(e *env.Env) {
	require.NoError(e.T, e.Aiven.Console.ServiceDatabaseCreate(e.T.Context(), e.Project, serviceName,
		&service.ServiceDatabaseCreateIn{Database: databaseName}))
}

func makeUser(e *env.Env) {
	_, err := e.Aiven.Console.ServiceUserCreate(e.T.Context(), e.Project, serviceName,
		&service.ServiceUserCreateIn{Username: userName})
	require.NoError(e.T, err)
}

func setPassword(e *env.Env, password string) {
	e.Plant(password)
	require.NoError(e.T, e.Aiven.Patch(e.Project, serviceName, map[string]any{
		"users": []any{map[string]any{"username": userName, "password": password}},
	}))
}

func passwordOf(e *env.Env, name string) string {
	for _, user := range look(e).Users {
		if user.Username == name {
			return user.Password
		}
	}
	return ""
}
