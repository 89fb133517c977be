package conformance_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	postConnector = "ServiceKafkaConnectCreateConnector"
	putConnector  = "ServiceKafkaConnectEditConnector"

	removeConnector = "ServiceKafkaConnectDeleteConnector"
)

// withConnect has a Kafka service that runs connectors.
func withConnect(t *testing.T, o testenv.Options) *testenv.Env {
	t.Helper()
	o.Kinds = []string{"KafkaConnector"}
	e := testenv.New(t, o)
	makeService(e, inKafka)
	enableConnect(e)
	return e
}

// withToken is the connector of the example, with a token from a Secret.
func withToken(e *testenv.Env) *v1alpha1.KafkaConnector {
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	connector.Spec.UserConfig["http.headers.authorization"] = `Bearer {{ fromSecret "orders-api" "token" }}`
	return connector
}

func setToken(e *testenv.Env, token string) {
	e.Plant(token)
	e.SetSecret("orders-api", map[string]string{"token": token})
}

// atConsole sets the state of the connector, its tasks, or why it can't be loaded.
func atConsole(e *testenv.Env, state map[string]any) {
	e.T.Helper()
	state["name"] = connectorName
	require.NoError(e.T, e.Aiven.Patch(e.Project, kafkaName, map[string]any{"connectors": []any{state}}))
}

func TestI01_AChangedSecretReachesAConnectorByOneWrite(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := withToken(e)
	e.Create(connector)
	e.Wait(connector, testenv.Condition("SecretSourceReady", metav1.ConditionFalse, "NotFound"), testenv.Saying("Ready", "orders-api"))
	assert.Empty(t, e.Aiven.Writes(0))
	setToken(e, "the-first-token-of-orders")
	e.Wait(connector, testenv.Ready())
	assert.Equal(t, "Bearer the-first-token-of-orders", connectorAt(e).Config["http.headers.authorization"])

	setToken(e, "the-second-token-of-orders")
	e.Until(func() bool {
		return connectorAt(e).Config["http.headers.authorization"] == "Bearer the-second-token-of-orders"
	}, func() string { return "the token doesn't arrive" })
	e.Wait(connector, testenv.Ready())
	e.Rest(2)
	assert.Equal(t, []string{postConnector, putConnector}, e.Aiven.Writes(0))

	e.SetSecret("orders-api", map[string]string{"other": "a-value-under-another-key"})
	e.Wait(connector, testenv.Condition("SecretSourceReady", metav1.ConditionFalse, "KeyMissing"), testenv.Saying("SecretSourceReady", `"token"`))
	setToken(e, "the-second-token-of-orders")
	e.Wait(connector, testenv.Ready())
	assert.Equal(t, []string{postConnector, putConnector}, e.Aiven.Writes(0), "it has the value")
}

func TestAKeyThatIsRemovedFromTheSpecIsRemoved(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	e.Create(connector)
	e.Wait(connector, testenv.Ready())
	e.Change(connector, func() { delete(connector.Spec.UserConfig, "http.authorization.type") })
	e.Wait(connector, testenv.Ready())
	assert.NotContains(t, connectorAt(e).Config, "http.authorization.type")
	assert.Equal(t, []string{postConnector, putConnector}, e.Aiven.Writes(0))
}

func TestAConnectorWhosePluginIsRemovedIsNotCreatedAgain(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	e.Create(connector)
	e.Wait(connector, testenv.Ready())
	atConsole(e, map[string]any{"failed": "no plugin for " + connector.Spec.ConnectorClass})
	e.Wait(connector, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "can't load the connector: no plugin"),
		testenv.Condition("RemoteReady", metav1.ConditionFalse, "Failed"), testenv.Phase(v1alpha1.PhaseDegraded))
	e.Rest(3)
	assert.Equal(t, []string{postConnector}, e.Aiven.Writes(0))
	assert.Equal(t, "FAILED", connector.Status.State)

	e.Change(connector, func() { connector.Spec.ConnectorClass = "io.aiven.connect.jdbc.JdbcSinkConnector" })
	e.Wait(connector, testenv.Ready(), testenv.Phase(v1alpha1.PhaseReady))
	assert.Equal(t, "Aiven", connector.Status.PluginStatus.Author)
	assert.Equal(t, []string{postConnector, putConnector}, e.Aiven.Writes(0))
}

func TestH06_AFailedTaskShowsItsErrorWithoutSecrets(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := withToken(e)
	connector.Spec.UserConfig["tasks.max"] = "3"
	setToken(e, "the-token-of-orders-1")
	e.Create(connector)
	e.Wait(connector, testenv.Ready(), testenv.Condition("TasksReady", metav1.ConditionTrue, "AllReady"))

	trace := "HTTP error: 401 for Bearer the-token-of-orders-1\n\tat io.aiven.Task\nCaused by: token=the-token-of-orders-1"
	atConsole(e, map[string]any{"tasks": []any{map[string]any{"id": 1, "state": "FAILED", "trace": trace}}})
	e.Wait(connector, testenv.Condition("TasksReady", metav1.ConditionFalse, "SomeFailed"), testenv.Saying("Ready", "1 of 3 tasks failed: HTTP error: 401 for"),
		testenv.Phase(v1alpha1.PhaseDegraded), testenv.Condition("RemoteReady", metav1.ConditionTrue, "Active"))
	shown := connector.Status.TasksStatus
	assert.Equal(t, []int{3, 2, 1}, []int{shown.Total, *shown.Running, *shown.Failed})
	assert.Contains(t, shown.StackTrace, "Failed tasks: 1\nHTTP error: 401 for Bearer ***\n\tat io.aiven.Task\nCaused by: token=***")
	assert.NotContains(t, testenv.Find(connector, "TasksReady").Message, "at io.aiven.Task", "a condition has one line of it")

	atConsole(e, map[string]any{"tasks": []any{map[string]any{"id": 1, "state": ""}}})
	e.Wait(connector, testenv.Ready(), testenv.Phase(v1alpha1.PhaseReady))
	assert.Empty(t, connector.Status.TasksStatus.StackTrace)
	assert.Equal(t, []string{postConnector}, e.Aiven.Writes(0), "tasks aren't restarted by a write")
}

func TestAConnectorThatIsPausedAtTheConsoleIsDegradedAtOnce(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	e.Create(connector)
	e.Wait(connector, testenv.Ready())
	atConsole(e, map[string]any{"state": "PAUSED"})
	e.Wait(connector, testenv.Saying("Ready", "The connector is PAUSED. Resume it at Aiven"), testenv.Phase(v1alpha1.PhaseDegraded),
		testenv.Condition("RemoteReady", metav1.ConditionFalse, "Paused"))
	e.Rest(1)
	atConsole(e, map[string]any{"state": ""})
	e.Wait(connector, testenv.Ready())
	assert.Equal(t, []string{postConnector}, e.Aiven.Writes(0))
}

func TestAConnectorWaitsForTheIntegrationOfItsService(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"KafkaConnector"}, Config: testenv.OnlyWatches})
	makeService(e, inKafka)
	makeService(e, inKafkaConnect)
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	connector.Spec.ServiceName = connectName
	e.Create(connector)
	e.Wait(connector, testenv.Saying("Ready", "needs an active integration of type kafka_connect"), testenv.Condition("ServiceReady", metav1.ConditionTrue, "Running"))
	assert.Empty(t, e.Aiven.Writes(0))
	source, dest := kafkaName, connectName
	_, err := e.Aiven.Console.ServiceIntegrationCreate(t.Context(), e.Project, &service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_connect", SourceService: &source, DestService: &dest,
	})
	require.NoError(t, err)
	e.Until(func() bool { return e.Aiven.Has("kafka_connector", e.Project+"/"+connectName+"/"+connectorName) }, func() string { return "it isn't created" })
}

func TestAConnectorIsDeletedOnceKafkaConnectIsOnAgain(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	e.Create(connector)
	e.Wait(connector, testenv.Ready())
	_, err := e.Aiven.Console.ServiceUpdate(t.Context(), e.Project, kafkaName, &service.ServiceUpdateIn{UserConfig: &map[string]any{"kafka_connect": false}})
	require.NoError(t, err)
	e.Wait(connector, testenv.Saying("Ready", "set spec.userConfig.kafka_connect of service "+e.Project+"/"+kafkaName+" to true"))
	assert.Empty(t, connector.Status.State)
	e.Delete(connector)
	e.Wait(connector, testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked"),
		testenv.Saying("Ready", "set spec.userConfig.kafka_connect of service "+e.Project+"/"+kafkaName+" to true"))
	assert.Equal(t, []string{postConnector}, e.Aiven.Writes(0))
	_, err = e.Aiven.Console.ServiceUpdate(t.Context(), e.Project, kafkaName, &service.ServiceUpdateIn{UserConfig: &map[string]any{"kafka_connect": true}})
	require.NoError(t, err)
	e.WaitGone(connector)
	assert.False(t, e.Aiven.Has("kafka_connector", e.Project+"/"+kafkaName+"/"+connectorName), "it is deleted, and doesn't run again")
}

// The workers answer 404, as if there were no service, after their start, and 409 after each change.
func TestAConnectorWaitsWhileTheWorkersOfKafkaConnectRestart(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{
		Aiven:  localaiven.Options{ConnectTime: 2 * time.Second},
		Config: func(c *config.Config) { c.QuietWait = time.Hour }, // the restarts are short, and the operator's timings even shorter
	})
	answers := func(operation string) map[int]int {
		statuses := map[int]int{}
		for _, call := range e.Aiven.Calls(0) {
			if call.Operation == operation {
				statuses[call.Status]++
			}
		}
		return statuses
	}
	accepted := func(operation string) {
		e.Until(func() bool { return answers(operation)[http.StatusOK] > 0 }, func() string { return "Aiven accepts no " + operation })
	}
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	e.Create(connector)
	accepted(postConnector)
	assert.NotZero(t, answers("ServiceKafkaConnectList")[http.StatusNotFound], "it has met the start")
	e.Change(connector, func() { connector.Spec.UserConfig["tasks.max"] = "3" })
	accepted(putConnector)
	assert.NotZero(t, answers(putConnector)[http.StatusConflict], "it has met the restart after the creation")
	assert.Equal(t, "3", connectorAt(e).Config["tasks.max"])
	e.Delete(connector)
	e.WaitGone(connector)
	assert.NotZero(t, answers(removeConnector)[http.StatusConflict], "it has met the restart after the change")

	e.WaitEvent(connector, corev1.EventTypeNormal, "SuccessfullyDeletedAtAiven") // the last one
	for _, event := range e.Events(connector) {
		assert.Equal(t, corev1.EventTypeNormal, event.Type, event.Note)
	}
	for _, state := range e.History(connector) {
		assert.Nil(t, testenv.Find(state, "Stalled"))
		assert.Nil(t, testenv.Find(state, "Error"))
	}
	for _, operation := range []string{postConnector, putConnector, removeConnector} {
		assert.Equal(t, 1, answers(operation)[http.StatusOK], operation)
	}
}

func TestE04_ATemplateThatCanNotBeUsedNamesItsField(t *testing.T) {
	t.Parallel()
	e := withConnect(t, testenv.Options{})
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	connector.Spec.UserConfig["http.url"] = `{{ fromSecret "orders-api" `
	e.Create(connector)
	e.Wait(connector, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Phase(v1alpha1.PhaseFailed),
		testenv.Saying("Ready", "spec.userConfig.http.url: isn't a template that can be used: line 1: unclosed action"))
	assert.Empty(t, e.Aiven.Writes(0))
	e.Change(connector, func() {
		connector.Spec.UserConfig["http.url"] = "https://orders.example.com"
		connector.Spec.UserConfig["name"] = `{{ "another" }}` // which no rule of the schema can read
	})
	e.Wait(connector, testenv.Saying("Ready", "spec.userConfig.name: must be the name of this object, "+connectorName))
	e.Change(connector, func() { delete(connector.Spec.UserConfig, "name") })
	e.Wait(connector, testenv.Ready())
}

// No timer and no poll of the project comes to the connector's help: our own deletion of the service enqueues it.
func TestI06_AConnectorIsNotReadyOnceItsServiceIsDeleted(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Kafka", "KafkaConnector"}, Config: func(c *config.Config) {
		testenv.OnlyWatches(c)
		c.WatchInterval = time.Hour
	}})
	service := e.Example("kafka").(*v1alpha1.Kafka)
	service.Spec.UserConfig.KafkaConnect = new(true)
	connector := e.Example("kafkaconnector").(*v1alpha1.KafkaConnector)
	e.Create(service)
	e.Create(connector)
	e.Wait(connector, testenv.Ready())
	assert.Equal(t, "RUNNING", connector.Status.State)
	e.Delete(service)
	e.Wait(connector, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Condition("ServiceReady", metav1.ConditionFalse, "NotFound"))
	assert.Empty(t, connector.Status.State, "what kubectl get shows")
	assert.Nil(t, connector.Status.PluginStatus)
	assert.Nil(t, connector.Status.TasksStatus)
	e.WaitGone(service)
}
