package conformance_test

import "github.com/aero-operator/aero/api/v1alpha1"

var kafkaconnectKinds = []kind{
	{
		name: "KafkaConnect", example: "kafkaconnect", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-kafkaconnect", create: "ServiceCreate", update: "ServiceUpdate",
	},
	{
		name: "KafkaConnector", example: "kafkaconnector", phase: v1alpha1.PhaseReady,
		in: inKafkaConnect,
	},
}
