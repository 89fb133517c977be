package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var valkeyKinds = []kind{
	{
		name: "Valkey", example: "valkey", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-valkey", create: "ServiceCreate", update: "ServiceUpdate",
		prefix: "VALKEY_",
	},
}
