package kafkaconnect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestConnectorStates(t *testing.T) {
	running := status.Remote{Exists: true, Active: true, State: "RUNNING"}
	with := func(r status.Remote, members status.Members) status.Remote { r.Members = &members; return r }
	assigning := "Waiting for Kafka Connect to assign the connector to a worker"
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		remote status.Remote
	}{
		"running":             {in("RUNNING", "RUNNING", "RUNNING"), with(running, status.Members{Total: 2})},
		"without tasks":       {in("RUNNING"), with(running, status.Members{})},
		"not assigned":        {in("UNASSIGNED"), status.Remote{Exists: true, State: "UNASSIGNED", Message: assigning}},
		"without a state yet": {aiventest.Refused(404, "No status found for connector sink"), status.Remote{Exists: true, Message: assigning}},
		"a state of tomorrow": {in("RESTARTING", "RUNNING"), status.Remote{Exists: true, State: "RESTARTING", Message: assigning}},
		"paused": {in("PAUSED", "PAUSED"), status.Remote{
			Exists: true, State: "PAUSED", Reason: "Paused", Failure: "The connector is PAUSED. Resume it at Aiven: no field of the spec does",
		}},
		"stopped": {in("STOPPED"), status.Remote{
			Exists: true, State: "STOPPED", Reason: "Paused", Failure: "The connector is STOPPED. Resume it at Aiven: no field of the spec does",
		}},
		"with a task that starts": {in("RUNNING", "RUNNING", "UNASSIGNED"), status.Remote{
			Exists: true, State: "RUNNING", Message: "Waiting for Kafka Connect: 1 of 2 tasks don't run",
		}},
		"with a task that failed": {in("RUNNING", "RUNNING", "FAILED boom\n\tat x"), with(running, status.Members{Total: 2, Failed: 1, Message: "boom"})},
		"with a task that can't log in": {in("RUNNING", "FAILED SASL authentication failed: "+password), with(running, status.Members{
			Total: 1, Failed: 1, Message: "SASL authentication failed: ***", Reason: "AuthFailed",
		})},
		"failed itself": {in("FAILED"), with(status.Remote{Exists: true, Active: true, State: "FAILED"}, status.Members{
			Total: 1, Failed: 1, Message: "the connector itself has failed. Correct spec.userConfig, or restart it at Aiven",
		})},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			a.On(state, tc.answer)
			o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.remote, o.Remote)
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.remote.State, obj.Status.State)
			assert.Equal(t, "1.2", obj.Status.PluginStatus.Version)
			assert.Equal(t, []string{lookup, list, state}, a.Calls())
		})
	}
}

func TestAConnectorThatWasSeenIsNotAbsentWhileKafkaConnectFails(t *testing.T) {
	for name, tc := range map[string]struct {
		route  string
		answer aiventest.Answer
		class  fault.Class
	}{
		"the list: 503":  {list, aiventest.Refused(503, "later"), fault.Server},
		"the list: 409":  {list, aiventest.Refused(409, "rebalance"), fault.Conflict},
		"the list: 404":  {list, aiventest.Refused(404, "Not found"), fault.Conflict},
		"the list: 403":  {list, aiventest.Refused(403, "no"), fault.Forbidden},
		"half a list":    {list, aiventest.OK(fields{"failed_connectors": []any{}}), fault.Unknown},
		"the state: 503": {state, aiventest.Refused(503, "later"), fault.Server},
		"the state: 403": {state, aiventest.Refused(403, "no"), fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			obj.Status.State = "RUNNING"
			a.On(tc.route, tc.answer)
			_, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, "RUNNING", obj.Status.State, "what is known isn't forgotten")
		})
	}
}

func TestAConnectorOfAServiceThatIsGoneIsWaitedForInTheNextOne(t *testing.T) {
	a, obj := scripted(t), sink()
	_, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
	require.NoError(t, err)
	require.Equal(t, 1, *obj.Status.TasksStatus.Running)

	a.On(lookup, aiventest.Missing())
	_, err = controllerOf(t, a, obj).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Empty(t, obj.Status.State)
	assert.Nil(t, obj.Status.PluginStatus)
	assert.Nil(t, obj.Status.TasksStatus)

	a.On(lookup, inKafka(nil))
	a.On(list, aiventest.Refused(404, "Service my-kafka does not exist"))
	o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
	require.NoError(t, err, "it starts")
	assert.Contains(t, o.WaitFor, "Waiting for Kafka Connect to start")
}

func TestAConnectorThatCouldNotBeLoadedExists(t *testing.T) {
	a, obj := scripted(t), sink()
	a.On(list, unloaded("x.Former"))
	o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Exists, "it isn't created again")
	assert.Equal(t, "Kafka Connect can't load the connector: no plugin for ***. Correct spec.connectorClass, or install its plugin", o.Remote.Failure)
	assert.Equal(t, controllers.Diff{{Path: "spec.connectorClass", Wanted: class, Found: "x.Former"}}.Entries(), o.Diff.Entries(), "a corrected class is sent")
	assert.Equal(t, "FAILED", obj.Status.State)
	assert.Nil(t, obj.Status.PluginStatus)
	assert.Equal(t, []string{lookup, list}, a.Calls(), "it has no state")
}

func TestTasksOfAConnector(t *testing.T) {
	a, obj := scripted(t), sink()
	trace := "boom: " + password + "\n\tat x\nCaused by: https://joe:" + password + "@h"
	a.On(state, in("RUNNING", "FAILED "+trace, "RUNNING", "PAUSED", "UNASSIGNED", "STOPPED"), in("RUNNING", "FAILED at another time", "RUNNING"),
		in("RUNNING", "FAILED at another time", "FAILED "+strings.Repeat("ä", 4<<10)), in("RUNNING", "RUNNING"))
	observe := func() *v1alpha1.KafkaConnectorTasksStatus {
		_, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
		require.NoError(t, err)
		return obj.Status.TasksStatus
	}
	one, five := 1, 5
	first := "Failed tasks: 0\nboom: ***\n\tat x\nCaused by: https://joe:***@h"
	assert.Equal(t, &v1alpha1.KafkaConnectorTasksStatus{
		Total: five, Running: &one, Failed: &one, Paused: &one, Unassigned: &one, Unknown: &one, StackTrace: first,
	}, observe())
	assert.Equal(t, first, observe().StackTrace, "the same task has failed: nothing is written")
	second := observe().StackTrace
	assert.Contains(t, second, "Failed tasks: 0, 1\nat another time\nä")
	assert.LessOrEqual(t, len(second), 4<<10)
	assert.NotContains(t, second, "\uFFFD")
	assert.Empty(t, observe().StackTrace)
}

// Kafka Connect quotes the config in its errors, and users may write credentials into the spec.
func TestCredentialsInTheConfigAreNeverShown(t *testing.T) {
	const literal = "CorrectHorse Battery"
	for name, key := range map[string]string{
		"dots": "aws.secret.access.key", "dashes": "api-key", "a login": "sasl.jaas.config", "a password": "connection.password",
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			obj.Spec.UserConfig[key] = literal
			a.On(list, listed(sent(fields{key: literal})))
			a.On(state, in("FAILED", "FAILED refused "+literal+" and "+password))
			_, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, "Failed tasks: 0\nrefused *** and ***", obj.Status.TasksStatus.StackTrace)
			assert.Contains(t, Connector.Secrets(obj), literal, "the engine removes it from all other texts")
		})
	}
}

// The Secret has changed, and Aiven has the former value still, for as long as a policy or a refusal keeps the update back.
func TestTheFormerValueOfASecretIsInNoTrace(t *testing.T) {
	const former = "Former-Tr0ub4dor-2"
	a, obj := scripted(t), sink()
	a.On(list, listed(sent(fields{"password": former})))
	a.On(state, in("RUNNING", "FAILED ConnectException: cannot log in as joe with "+former))
	o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "ConnectException: cannot log in as joe with ***", o.Remote.Members.Message)
	assert.NotContains(t, obj.Status.TasksStatus.StackTrace, former)
}
