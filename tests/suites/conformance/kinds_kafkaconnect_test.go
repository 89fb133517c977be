package conformance_test

import (
	"maps"

	"github.com/aiven/go-client-codegen/handler/kafkaconnect"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	connectName   = "my-kafkaconnect"
	connectorName = "orders-to-http"
)

var kafkaconnectKinds = []kind{
	{
		name: "KafkaConnect", example: "kafkaconnect", phase: v1alpha1.PhaseRunning,
		resource: "service", path: connectName,
		create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.KafkaConnect).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, connectName) },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, connectName).Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, connectName)
		},
	},
	{
		name: "KafkaConnector", example: "kafkaconnector", phase: v1alpha1.PhaseReady,
		resource: "kafka_connector", path: kafkaName + "/" + connectorName,
		create: "ServiceKafkaConnectCreateConnector", update: "ServiceKafkaConnectEditConnector",
		in: inKafka, inside: enableConnect,
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.KafkaConnector).Spec.UserConfig["tasks.max"] = "3"
		},
		drift:    func(e *testenv.Env) { editConnector(e, "tasks.max", "1") },
		repaired: func(e *testenv.Env) bool { return connectorAt(e).Config["tasks.max"] == "3" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceKafkaConnectDeleteConnector(e.T.Context(), e.Project, kafkaName, connectorName)
		},
	},
}

// enableConnect makes the Kafka service run connectors.
func enableConnect(e *testenv.Env) {
	_, err := e.Aiven.Console.ServiceUpdate(e.T.Context(), e.Project, kafkaName,
		&service.ServiceUpdateIn{UserConfig: &map[string]any{"kafka_connect": true}})
	require.NoError(e.T, err)
}

// connectorAt is the connector of the example.
func connectorAt(e *testenv.Env) *kafkaconnect.ConnectorOut {
	listed, err := e.Aiven.Console.ServiceKafkaConnectList(e.T.Context(), e.Project, kafkaName)
	require.NoError(e.T, err)
	for i := range listed.Connectors {
		if listed.Connectors[i].Name == connectorName {
			return &listed.Connectors[i]
		}
	}
	return &kafkaconnect.ConnectorOut{}
}

// editConnector changes a key of the connector at the console.
func editConnector(e *testenv.Env, key, value string) {
	config := maps.Clone(connectorAt(e).Config)
	config[key] = value
	_, err := e.Aiven.Console.ServiceKafkaConnectEditConnector(e.T.Context(), e.Project, kafkaName, connectorName, &config)
	require.NoError(e.T, err)
}
