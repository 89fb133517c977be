package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const flinkName = "my-flink"

var flinkKinds = []kind{
	{
		name: "Flink", example: "flink", phase: v1alpha1.PhaseRunning,
		resource: "service", path: flinkName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.Flink).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, flinkName) },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, flinkName).Maintenance.Time == "04:30:00" },
		remove:   func(e *testenv.Env) error { return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, flinkName) },
		prefix:   "FLINK_",
		keys:     []string{"HOST", "USER", "PASSWORD", "URI", "HOSTS"},
	},
}
