package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var mysqlKinds = []kind{
	{
		name: "MySQL", example: "mysql", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-mysql", create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.MySQL).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, "my-mysql") },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, "my-mysql").Maintenance.Time == "04:30:00" },
		remove:   func(e *testenv.Env) error { return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, "my-mysql") },
		prefix:   "MYSQL_", keys: []string{"HOST", "PORT", "DATABASE", "USER", "PASSWORD", "SSL_MODE", "URI", "REPLICA_URI", "CA_CERT"},
	},
}
