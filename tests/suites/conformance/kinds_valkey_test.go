package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var valkeyKinds = []kind{
	{
		name: "Valkey", example: "valkey", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-valkey", create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.Valkey).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, "my-valkey") },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, "my-valkey").Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, "my-valkey")
		},
		prefix: "VALKEY_", keys: []string{"HOST", "PORT", "USER", "PASSWORD", "SSL"},
	},
}
