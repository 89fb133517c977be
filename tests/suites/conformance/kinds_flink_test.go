package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var flinkKinds = []kind{
	{
		name: "Flink", example: "flink", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-flink", create: "ServiceCreate", update: "ServiceUpdate",
		prefix: "FLINK_",
	},
}
