package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var clickhouseKinds = []kind{
	{
		name: "Clickhouse", example: "clickhouse", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-clickhouse", create: "ServiceCreate", update: "ServiceUpdate",
		prefix: "CLICKHOUSE_",
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
