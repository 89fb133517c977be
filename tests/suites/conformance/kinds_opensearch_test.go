package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var opensearchKinds = []kind{
	{
		name: "OpenSearch", example: "opensearch", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-opensearch", create: "ServiceCreate", update: "ServiceUpdate",
		prefix: "OPENSEARCH_",
	},
	{
		name: "OpenSearchACLConfig", example: "opensearchaclconfig", phase: v1alpha1.PhaseReady,
		in: inOpenSearch,
	},
}
