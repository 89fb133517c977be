package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var mysqlKinds = []kind{
	{
		name: "MySQL", example: "mysql", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-mysql", create: "ServiceCreate", update: "ServiceUpdate",
		prefix: "MYSQL_",
	},
}
