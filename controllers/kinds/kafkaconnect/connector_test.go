package kafkaconnect

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

const (
	lookup = "GET service/my-kafka"
	list   = "GET service/my-kafka/connectors"
	state  = "GET service/my-kafka/connectors/sink/status"
	create = "POST service/my-kafka/connectors"
	edit   = "PUT service/my-kafka/connectors/sink"
	remove = "DELETE service/my-kafka/connectors/sink"

	class    = "io.aiven.SinkConnector"
	password = "Tr0ub4dor-and-3"
)

type fields = aiventest.Object

// sink is a connector whose password comes from a Secret.
func sink() *v1alpha1.KafkaConnector {
	obj := &v1alpha1.KafkaConnector{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "sink"}}
	obj.Spec.Project, obj.Spec.ServiceName, obj.Spec.ConnectorClass = aiventest.Project, "my-kafka", class
	obj.Spec.UserConfig = map[string]string{"topics": "orders", "password": `{{ fromSecret "db" "password" }}`}
	return obj
}

// sent is the config that the object asks for, with some keys changed. A nil value removes one.
func sent(changes fields) fields {
	config := fields{"name": "sink", "connector.class": class, "topics": "orders", "password": password}
	maps.Copy(config, changes)
	maps.DeleteFunc(config, func(_ string, value any) bool { return value == nil })
	return config
}

func inKafka(changes fields) aiventest.Answer {
	all := fields{"service_name": "my-kafka", "service_type": "kafka", "user_config": fields{"kafka_connect": true}}
	maps.Copy(all, changes)
	return aiventest.Service(all)
}

func listed(configs ...fields) aiventest.Answer {
	connectors := []any{}
	for _, config := range configs {
		connectors = append(connectors, body(config))
	}
	return aiventest.OK(fields{"connectors": connectors})
}

func body(config fields) fields {
	return fields{"name": config["name"], "config": config, "tasks": []any{}, "plugin": fields{"class": class, "docURL": "https://x", "version": "1.2"}}
}

// unloaded is the list with a connector whose plugin is missing.
func unloaded(class string) aiventest.Answer {
	return aiventest.OK(fields{"connectors": []any{}, "failed_connectors": []any{
		fields{"name": "sink", "error": "no plugin for " + password, "config": fields{"name": "sink", "connector.class": class}},
	}})
}

// in is a state with tasks such as "RUNNING" or "FAILED a trace".
func in(name string, tasks ...string) aiventest.Answer {
	all := []any{}
	for id, task := range tasks {
		taskState, trace, _ := strings.Cut(task, " ")
		all = append(all, fields{"id": id, "state": taskState, "trace": trace})
	}
	return aiventest.OK(fields{"status": fields{"state": name, "tasks": all}})
}

// scripted is an Aiven with the connector, as the object asks for it.
func scripted(t *testing.T) *aiventest.Aiven {
	a := aiventest.New(t)
	a.On(lookup, inKafka(nil))
	a.On(list, listed(sent(nil)))
	a.On(state, in("RUNNING", "RUNNING"))
	return a
}

func controllerOf(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.KafkaConnector) controllers.AivenController[*v1alpha1.KafkaConnector] {
	secret := referencetest.Secret("db", map[string]string{"password": password, "user": "joe"})
	return Connector.New(controllers.Env{Client: a.Client(), Refs: referencetest.Resolve(t, obj, Connector.References, secret)})
}

func TestAConnectorWaitsForKafkaConnect(t *testing.T) {
	integration := func(changes fields) fields {
		i := fields{
			"service_integration_id": "i", "integration_type": "kafka_connect", "active": true,
			"source_project": aiventest.Project, "source_service": "kafka", "dest_project": aiventest.Project, "dest_service": "my-kafka",
		}
		maps.Copy(i, changes)
		return i
	}
	connect := func(integrations any) aiventest.Answer {
		return inKafka(fields{"service_type": "kafka_connect", "user_config": fields{}, "service_integrations": integrations})
	}
	const off, lonely = "set spec.userConfig.kafka_connect of service demo/my-kafka to true", "service demo/my-kafka needs an active integration of type kafka_connect"
	for name, tc := range map[string]struct {
		service, list, state aiventest.Answer
		waits                string
		gone                 bool // on deletion
	}{
		"that is off":                        {service: inKafka(fields{"user_config": fields{"kafka_connect": false}}), waits: off},
		"that is off by default":             {service: inKafka(fields{"user_config": fields{}}), waits: off},
		"without an integration":             {service: connect([]any{}), waits: lonely, gone: true},
		"with an integration of another":     {service: connect([]any{integration(fields{"dest_service": "other"}), integration(fields{"integration_type": "logs"})}), waits: lonely, gone: true},
		"whose integration isn't active":     {service: connect([]any{integration(fields{"active": false})}), waits: lonely},
		"whose integration failed":           {service: connect([]any{integration(fields{"integration_status": fields{"state": fields{"status": "failed"}}})}), waits: lonely},
		"that Aiven doesn't know yet":        {service: inKafka(nil), list: aiventest.Refused(404, "Service my-kafka does not exist"), waits: "Waiting for Kafka Connect to start"},
		"that isn't there yet":               {service: inKafka(nil), list: aiventest.Refused(404, "Not found"), waits: "Waiting for Kafka Connect to start"},
		"that rebalances":                    {service: inKafka(nil), list: aiventest.Refused(409, "rebalance"), waits: "Waiting for Kafka Connect to start"},
		"that fails":                         {service: inKafka(nil), list: aiventest.Refused(503, "later"), waits: "Waiting for Kafka Connect to start"},
		"that fails when it is asked for it": {service: inKafka(nil), list: listed(sent(nil)), state: aiventest.Refused(503, "later"), waits: "Waiting for Kafka Connect to start"},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), sink()
			a.On(lookup, tc.service)
			a.On(list, tc.list)
			a.On(state, tc.state)
			o, err := controllerOf(t, a, obj).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.False(t, o.Remote.Exists)
			assert.True(t, o.Remote.Unread)
			assert.Contains(t, o.WaitFor, tc.waits)
			assert.NotContains(t, a.Calls(), create)
			if strings.Contains(tc.waits, "to start") {
				return
			}

			err = controllerOf(t, a, obj).Delete(t.Context(), deleted(obj))
			var blocked *deletion.BlockedError
			if tc.gone {
				require.NoError(t, err, "its connectors went with it")
			} else {
				require.ErrorAs(t, err, &blocked)
				assert.Contains(t, blocked.Reason, tc.waits)
				assert.Contains(t, blocked.Reason, "deletion-policy=Orphan")
			}
			assert.NotContains(t, a.Calls(), remove)
		})
	}
}

func deleted(obj *v1alpha1.KafkaConnector) *v1alpha1.KafkaConnector {
	obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	return obj
}

func TestConnectorsAreWritten(t *testing.T) {
	text := `{"connector.class":"` + class + `","name":"sink","password":"` + password + `","topics":"orders"}`
	t.Run("by a POST", func(t *testing.T) {
		a, obj := scripted(t), sink()
		a.On(list, listed())
		a.On(create, aiventest.OK(fields{"connector": body(sent(nil))}))
		c := controllerOf(t, a, obj)
		_, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		o, err := c.Create(t.Context(), obj)
		require.NoError(t, err)
		assert.True(t, o.Remote.Exists)
		assert.False(t, o.Remote.Active, "it isn't assigned yet")
		assert.Equal(t, []string{lookup, list, create + " " + text}, a.Calls(), "no read is needed")
	})
	t.Run("by a PUT of the whole config", func(t *testing.T) {
		a, obj := scripted(t), sink()
		obj.Status.TasksStatus = &v1alpha1.KafkaConnectorTasksStatus{StackTrace: "Failed tasks: 0\nof the former password"}
		a.On(list, listed(sent(fields{"password": "former", "extra": "x"})))
		a.On(edit, aiventest.OK(fields{"connector": body(sent(nil))}))
		c := controllerOf(t, a, obj)
		o, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		require.Len(t, o.Diff, 2)
		a.Calls()
		o, err = c.Update(t.Context(), obj, o)
		require.NoError(t, err)
		assert.Empty(t, o.Diff)
		assert.False(t, o.Remote.Active)
		assert.Nil(t, obj.Status.TasksStatus, "its tasks start again")
		assert.Equal(t, []string{edit + " " + text}, a.Calls())
	})
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		class  fault.Class
		says   string
	}{
		"refused for good":   {aiventest.Refused(400, "Invalid topics 'orders': quota exceeded"), fault.Rejected, "spec.userConfig.topics"},
		"refused by class":   {aiventest.Refused(400, "Invalid connector.class 'x'"), fault.Rejected, "spec.connectorClass"},
		"there already":      {aiventest.Refused(409, "Connector sink already exists"), fault.Exists, ""},
		"during a rebalance": {aiventest.Refused(409, "Cannot complete request because of a conflicting operation"), fault.Conflict, ""},
		"before it starts":   {aiventest.Refused(404, "Service my-kafka does not exist"), fault.NotReady, ""},
		"while it fails":     {aiventest.Refused(502, "bad gateway"), fault.NotReady, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := scripted(t), sink()
			a.On(list, listed())
			a.On(create, tc.answer)
			c := controllerOf(t, a, obj)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.ErrorContains(t, err, tc.says)
		})
	}
}

func TestConnectorsAreDeleted(t *testing.T) {
	a, obj := scripted(t), deleted(sink())
	obj.Spec.UserConfig["password"] = `{{ fromSecret "gone" "password" }}{{` // what can't be rendered isn't needed
	a.On(remove, aiventest.OK(nil))
	require.NoError(t, controllerOf(t, a, obj).Delete(t.Context(), obj))
	assert.Equal(t, []string{lookup, list, remove}, a.Calls())

	a.On(list, listed())
	require.NoError(t, controllerOf(t, a, obj).Delete(t.Context(), obj))
	assert.NotContains(t, a.Calls(), remove)

	a.On(list, aiventest.Refused(503, "later"))
	assert.Equal(t, fault.Server, fault.Of(controllerOf(t, a, obj).Delete(t.Context(), obj)).Class)
}

func TestAConnectorIsNotGoneByA404OfItsService(t *testing.T) {
	idle := aiventest.Service(fields{
		"service_name": "my-kafka", "service_type": "kafka_connect", "user_config": fields{}, "service_integrations": []any{},
	})
	for name, tc := range map[string]struct {
		services []any
		want     deletion.Outcome
	}{
		"its project lists the service": {
			services: []any{aiventest.ServiceFields(fields{"service_name": "my-kafka", "service_type": "kafka_connect"})},
			want:     deletion.Outcome{Blocked: "Aiven lists service demo/my-kafka, and answers 404 for it"},
		},
		"its project lists no service": {services: []any{}, want: deletion.Outcome{Done: true}},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), deleted(sink())
			a.On(lookup, idle, aiventest.Missing())
			a.On("GET service", aiventest.OK(fields{"services": tc.services}))
			assert.Equal(t, tc.want, deletion.Of(controllerOf(t, a, obj).Delete(t.Context(), obj)))
			assert.Equal(t, []string{lookup, lookup, "GET service"}, a.Calls())
		})
	}
}
