package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var clickhouseKinds = []kind{
	{
		name: "Clickhouse", example: "clickhouse", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-clickhouse", create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.Clickhouse).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, "my-clickhouse") },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, "my-clickhouse").Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, "my-clickhouse")
		},
		prefix: "CLICKHOUSE_", keys: []string{"HOST", "PORT", "USER", "PASSWORD"},
		legacy: []string{"HOST", "PORT", "USER", "PASSWORD"},
	},
	{
		name: "ClickhouseDatabase", example: "clickhousedatabase", phase: v1alpha1.PhaseReady,
		in: inClickhouse,
	},
	{
		name: "ClickhouseGrant", example: "clickhousegrant", phase: v1alpha1.PhaseReady,
		in: inClickhouse,
	},
	{
		name: "ClickhouseRole", example: "clickhouserole", phase: v1alpha1.PhaseReady,
		in: inClickhouse,
	},
	{
		name: "ClickhouseUser", example: "clickhouseuser", phase: v1alpha1.PhaseReady,
		in:     inClickhouse,
		prefix: "CLICKHOUSEUSER_",
	},
}
