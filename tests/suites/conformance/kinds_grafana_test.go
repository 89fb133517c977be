package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var grafanaKinds = []kind{
	{
		name: "Grafana", example: "grafana", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-grafana", create: "ServiceCreate", update: "ServiceUpdate",
		prefix: "GRAFANA_",
	},
}
