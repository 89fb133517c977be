package conformance_test

import (
	"context"
	"slices"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	endpointName = "my-external-postgresql"
	endpointType = "external_postgresql"
)

var integrationKinds = []kind{
	{
		name: "ServiceIntegration", example: "serviceintegration", phase: v1alpha1.PhaseReady,
		resource: "service_integration", path: "kafka_logs/" + serviceName + "/{project}/" + kafkaName,
		create: "ServiceIntegrationCreate", update: "ServiceIntegrationUpdate",
		in: inPostgres, condition: "SourceServiceReady", inside: func(e *testenv.Env) { makeService(e, inKafka) },
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.ServiceIntegration).Spec.KafkaLogs.KafkaTopic = "changed"
		},
		drift: func(e *testenv.Env) {
			found := integrationAtAiven(e)
			_, err := e.Aiven.Console.ServiceIntegrationUpdate(e.T.Context(), e.Project, found.ServiceIntegrationId,
				&service.ServiceIntegrationUpdateIn{UserConfig: map[string]any{"kafka_topic": "theirs"}})
			require.NoError(e.T, err)
		},
		repaired: func(e *testenv.Env) bool { return integrationAtAiven(e).UserConfig["kafka_topic"] == "changed" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceIntegrationDelete(e.T.Context(), e.Project, integrationAtAiven(e).ServiceIntegrationId)
		},
	},
	{
		name: "ServiceIntegrationEndpoint", example: "serviceintegrationendpoint", phase: v1alpha1.PhaseReady,
		resource: "service_integration_endpoint", path: endpointType + "/" + endpointName,
		create: "ServiceIntegrationEndpointCreate", update: "ServiceIntegrationEndpointUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.ServiceIntegrationEndpoint).Spec.ExternalPostgresql.Host = "changed.example.com"
		},
		drift:    func(e *testenv.Env) { setEndpoint(e, "password", "TheirOwnWords") },
		repaired: func(e *testenv.Env) bool { return endpointAtAiven(e).UserConfig["password"] == "change-me-please" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceIntegrationEndpointDelete(e.T.Context(), e.Project, endpointAtAiven(e).EndpointId)
		},
	},
}

// integrationAtAiven is the integration of the example.
func integrationAtAiven(e *testenv.Env) service.ServiceIntegrationOut {
	all := serviceAt(e, serviceName).ServiceIntegrations
	require.Len(e.T, all, 1)
	return all[0]
}

// endpointAtAiven is the endpoint of the example, with its password.
func endpointAtAiven(e *testenv.Env) *service.ServiceIntegrationEndpointGetOut {
	ctx := context.WithoutCancel(e.T.Context())
	all, err := e.Aiven.Console.ServiceIntegrationEndpointList(ctx, e.Project)
	require.NoError(e.T, err)
	at := slices.IndexFunc(all, func(one service.ServiceIntegrationEndpointOut) bool { return one.EndpointName == endpointName })
	require.GreaterOrEqual(e.T, at, 0)
	found, err := e.Aiven.Console.ServiceIntegrationEndpointGet(ctx, e.Project, all[at].EndpointId,
		service.ServiceIntegrationEndpointGetIncludeSecrets(true))
	require.NoError(e.T, err)
	return found
}

// setEndpoint changes an option of the endpoint at the console.
func setEndpoint(e *testenv.Env, option string, value any) {
	found := endpointAtAiven(e)
	found.UserConfig[option] = value
	_, err := e.Aiven.Console.ServiceIntegrationEndpointUpdate(e.T.Context(), e.Project, found.EndpointId,
		&service.ServiceIntegrationEndpointUpdateIn{UserConfig: found.UserConfig})
	require.NoError(e.T, err)
}
