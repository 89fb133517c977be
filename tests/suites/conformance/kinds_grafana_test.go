package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const grafanaName = "my-grafana"

var grafanaKinds = []kind{
	{
		name: "Grafana", example: "grafana", phase: v1alpha1.PhaseRunning,
		resource: "service", path: grafanaName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.Grafana).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, grafanaName) },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, grafanaName).Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, grafanaName)
		},
		prefix: "GRAFANA_",
		keys:   []string{"HOST", "PORT", "USER", "PASSWORD", "URI", "HOSTS"},
	},
}
