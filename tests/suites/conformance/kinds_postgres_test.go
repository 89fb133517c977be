package conformance_test

import (
	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var postgresKinds = []kind{
	{
		name: "ConnectionPool", example: "connectionpool", phase: v1alpha1.PhaseReady,
		resource: "connection_pool", path: serviceName + "/" + poolName,
		create: "ServicePGBouncerCreate", update: "ServicePGBouncerUpdate",
		in: inPostgres, inside: func(e *testenv.Env) { makeDatabase(e); makeUser(e) },
		change: func(_ *testenv.Env, obj testenv.Object) { obj.(*v1alpha1.ConnectionPool).Spec.PoolSize = 21 },
		drift: func(e *testenv.Env) {
			size := 5
			require.NoError(e.T, e.Aiven.Console.ServicePGBouncerUpdate(e.T.Context(), e.Project, serviceName, poolName,
				&postgresql.ServicePGBouncerUpdateIn{PoolSize: &size}))
		},
		repaired: func(e *testenv.Env) bool { return mainService(e).ConnectionPools[0].PoolSize == 21 },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServicePGBouncerDelete(e.T.Context(), e.Project, serviceName, poolName)
		},
		prefix: "CONNECTIONPOOL_", legacy: libpq,
		keys: []string{"NAME", "HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSLMODE", "DATABASE_URI", "CA_CERT"},
	},
	{
		name: "PostgreSQL", example: "postgresql", phase: v1alpha1.PhaseRunning,
		resource: "service", path: serviceName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.PostgreSQL).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, serviceName) },
		repaired: func(e *testenv.Env) bool { return mainService(e).Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, serviceName)
		},
		prefix: "POSTGRESQL_", legacy: libpq,
		keys: []string{"HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSLMODE", "DATABASE_URI", "CA_CERT"},
	},
}
