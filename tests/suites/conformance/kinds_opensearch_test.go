package conformance_test

import (
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

var opensearchKinds = []kind{
	{
		name: "OpenSearch", example: "opensearch", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-opensearch", create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.OpenSearch).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, "my-opensearch") },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, "my-opensearch").Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, "my-opensearch")
		},
		prefix: "OPENSEARCH_", keys: []string{"URI", "HOST", "PORT", "USER", "PASSWORD"},
		legacy: []string{"HOST", "PORT", "USER", "PASSWORD"},
	},
	{
		name: "OpenSearchACLConfig", example: "opensearchaclconfig", phase: v1alpha1.PhaseReady,
		in: inOpenSearch,
	},
}
