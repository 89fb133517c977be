package conformance_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// loss is something at Aiven that an object can't be used without, and how it goes.
type loss struct {
	setup func(t *testing.T) (*testenv.Env, testenv.Object)
	lose  func(e *testenv.Env)
	says  string
	// remote is what RemoteReady says: whether the resource is there can be asked for, or not.
	remote string
}

func TestWhatWasUsableAndLosesWhatItNeedsIsDegraded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]loss{
		"a schema, the registry":       {schemaWithRegistry, withoutRegistry, "set spec.userConfig.schema_registry of service", "Unknown"},
		"a connector, Kafka Connect":   {connectorInKafka, withoutConnect, "set spec.userConfig.kafka_connect of service", "Unknown"},
		"a connector, the integration": {connectorInConnect, withoutIntegrations, "needs an active integration of type kafka_connect", "Unknown"},
		"a grant, its user":            {grantToUser, withoutUser, "Waiting for user my-user", "Missing"},
		"a grant, one of two grantees": {grantToBoth, withoutRole, "Waiting for role my-role", "Missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, obj := tc.setup(t)
			e.Create(obj)
			e.Wait(obj, testenv.Ready())
			tc.lose(e)
			e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", tc.says),
				testenv.Phase(v1alpha1.PhaseDegraded), testenv.Condition("RemoteReady", metav1.ConditionFalse, tc.remote))
			e.Rest(2)
			e.Get(obj)
			assert.Equal(t, v1alpha1.PhaseDegraded, obj.GetCommonStatus().Phase)
		})
	}
}

func schemaWithRegistry(t *testing.T) (*testenv.Env, testenv.Object) {
	e := withRegistry(t, testenv.Options{})
	return e, e.Example("kafkaschema")
}

func withoutRegistry(e *testenv.Env) { setRegistry(e, false) }

func connectorInKafka(t *testing.T) (*testenv.Env, testenv.Object) {
	e := withConnect(t, testenv.Options{})
	return e, e.Example("kafkaconnector")
}

func withoutConnect(e *testenv.Env) {
	e.T.Helper()
	_, err := e.Aiven.Console.ServiceUpdate(e.T.Context(), e.Project, kafkaName, &service.ServiceUpdateIn{UserConfig: &map[string]any{"kafka_connect": false}})
	require.NoError(e.T, err)
}

func connectorInConnect(t *testing.T) (*testenv.Env, testenv.Object) {
	e := testenv.New(t, testenv.Options{Kinds: []string{"KafkaConnector"}})
	makeService(e, inKafka)
	makeService(e, inKafkaConnect)
	source, dest := kafkaName, connectName
	_, err := e.Aiven.Console.ServiceIntegrationCreate(t.Context(), e.Project, &service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_connect", SourceService: &source, DestService: &dest,
	})
	require.NoError(t, err)
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	connector.Spec.ServiceName = connectName
	return e, connector
}

func withoutIntegrations(e *testenv.Env) {
	e.T.Helper()
	found, err := e.Aiven.Console.ServiceGet(e.T.Context(), e.Project, connectName)
	require.NoError(e.T, err)
	require.NotEmpty(e.T, found.ServiceIntegrations)
	for _, integration := range found.ServiceIntegrations {
		require.NoError(e.T, e.Aiven.Console.ServiceIntegrationDelete(e.T.Context(), e.Project, integration.ServiceIntegrationId))
	}
}

func grantToUser(t *testing.T) (*testenv.Env, testenv.Object) {
	return grantCase(t, testenv.Options{})
}

func grantToBoth(t *testing.T) (*testenv.Env, testenv.Object) {
	e, obj := grantCase(t, testenv.Options{})
	require.NoError(t, clickhouseQuery(e, "CREATE ROLE `"+clickhouseRole+"`"))
	grantees := &obj.Spec.PrivilegeGrants[0].Grantees
	*grantees = append(*grantees, v1alpha1.ClickhouseGrantee{Role: clickhouseRole})
	return e, obj
}

func withoutUser(e *testenv.Env) {
	e.T.Helper()
	require.NoError(e.T, e.Aiven.Console.ServiceClickHouseUserDelete(e.T.Context(), e.Project, clickhouseName, clickhouseUserID(e)))
}

func withoutRole(e *testenv.Env) {
	e.T.Helper()
	require.NoError(e.T, clickhouseQuery(e, "DROP ROLE `"+clickhouseRole+"`"))
}
