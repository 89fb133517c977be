package integration

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	kafkalogsoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/integration/kafka_logs"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

const (
	readSource = "GET service/my-pg"
	readDest   = "GET service/my-kafka"
	create     = "POST integration"
	created    = create + ` {"dest_service":"my-kafka","integration_type":"kafka_logs","source_service":"my-pg","user_config":{"kafka_topic":"logs"}}`
	update     = "PUT integration/ours"
	updated    = update + ` {"user_config":{"kafka_topic":"logs"}}`
	remove     = "DELETE integration/ours"
)

type object = aiventest.Object

// logs sends the logs of my-pg to my-kafka.
func logs(id string, edits ...func(*v1alpha1.ServiceIntegration)) *v1alpha1.ServiceIntegration {
	obj := &v1alpha1.ServiceIntegration{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-logs"}}
	obj.Spec.Project, obj.Spec.IntegrationType = aiventest.Project, "kafka_logs"
	obj.Spec.SourceServiceName, obj.Spec.DestinationServiceName = "my-pg", "my-kafka"
	obj.Spec.KafkaLogs = &kafkalogsoptions.KafkaLogsUserConfig{KafkaTopic: "logs"}
	obj.Status.ID = id
	for _, edit := range edits {
		edit(obj)
	}
	return obj
}

func deleted(obj *v1alpha1.ServiceIntegration) {
	obj.DeletionTimestamp = &metav1.Time{Time: time.Now()}
}

// at is the integration at Aiven, with some fields changed.
func at(id string, changes object) any {
	fields := object{
		"service_integration_id": id, "integration_type": "kafka_logs", "active": true, "enabled": true,
		"source_project": aiventest.Project, "source_service": "my-pg", "dest_project": aiventest.Project, "dest_service": "my-kafka",
		"user_config": object{"kafka_topic": "logs", "selected_log_fields": []any{"MESSAGE"}},
	}
	maps.Copy(fields, changes)
	return fields
}

func answered(fields any) aiventest.Answer {
	return aiventest.OK(object{"service_integration": fields})
}

// showing is a service that shows integrations.
func showing(name string, integrations ...any) aiventest.Answer {
	return aiventest.Service(object{"service_name": name, "service_integrations": append([]any{}, integrations...)})
}

// connecting is an API with both services, which show integrations.
func connecting(t *testing.T, integrations ...any) *aiventest.Aiven {
	a := aiventest.New(t)
	a.On(readSource, showing("my-pg", integrations...))
	a.On(readDest, showing("my-kafka", integrations...))
	return a
}

func start(a *aiventest.Aiven) controllers.AivenController[*v1alpha1.ServiceIntegration] {
	return Integration.New(controllers.Env{Client: a.Client()})
}

func failing(errors ...any) object {
	return object{"integration_status": object{
		"status_user_desc": "The topic is missing", "state": object{"status": "failed", "errors": errors, "nodes": object{}},
	}}
}

func TestIntegrationObserve(t *testing.T) {
	active := status.Remote{Exists: true, Active: true}
	failed := func(text string) status.Remote { return status.Remote{Exists: true, State: "failed", Failure: text} }
	for name, tc := range map[string]struct {
		had       string // status.id
		at        []any
		remote    status.Remote
		diff      controllers.Diff
		writeOnly []string
		id        string // status.id afterwards
	}{
		"of use":                      {had: "ours", at: []any{at("ours", nil)}, remote: active, id: "ours"},
		"none":                        {had: "gone"},
		"found by its ends":           {at: []any{at("ours", nil)}, remote: active, id: "ours"},
		"made again at the console":   {had: "gone", at: []any{at("ours", nil)}, remote: active, id: "ours"},
		"the one that it had":         {had: "b", at: []any{at("a", nil), at("b", nil), at("c", nil)}, remote: active, id: "b"},
		"of several the smallest id":  {at: []any{at("c", nil), at("a", nil), at("b", nil)}, remote: active, id: "a"},
		"of another type":             {at: []any{at("x", object{"integration_type": "metrics"})}},
		"the other way round":         {at: []any{at("x", object{"source_service": "my-kafka", "dest_service": "my-pg"})}},
		"from a project of that name": {at: []any{at("x", object{"source_project": "other"})}},
		"to an endpoint":              {at: []any{at("x", object{"dest_service": nil, "dest_endpoint_id": "e"})}},
		"being started": {
			at: []any{at("ours", object{"active": false})}, id: "ours",
			remote: status.Remote{Exists: true, Message: "Waiting for Aiven to start the integration"},
		},
		"failed": {
			at: []any{at("ours", failing("no topic logs", "password=s3cret-w0rd is wrong"))}, id: "ours",
			remote: failed("The integration failed: The topic is missing: no topic logs: password=*** is wrong"),
		},
		"failed without a reason": {
			at: []any{at("ours", object{"integration_status": object{"state": object{"status": "failed"}}})}, id: "ours",
			remote: failed("The integration failed: Aiven reported no description"),
		},
		"changed at the console": {
			at: []any{at("ours", object{"user_config": object{"kafka_topic": "theirs"}})}, id: "ours", remote: active,
			diff: controllers.Diff{{Path: "spec.kafkaLogs.kafka_topic", Wanted: "logs", Found: "theirs"}},
		},
		"with options that Aiven doesn't report": {
			at: []any{at("ours", object{"user_config": object{}})}, id: "ours", remote: active,
			writeOnly: []string{"spec.kafkaLogs.kafka_topic"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t, tc.at...), logs(tc.had)
			o, err := start(a).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.remote, o.Remote)
			assert.Equal(t, tc.diff.Entries(), o.Diff.Entries())
			assert.Equal(t, tc.writeOnly, o.WriteOnly)
			assert.Equal(t, tc.id, obj.Status.ID)
			assert.Equal(t, []string{readSource, readDest}, a.Calls(), "the services show it")
			assert.Equal(t, []string{"SourceServiceReady", "DestinationServiceReady"}, []string{o.Services[0].Condition, o.Services[1].Condition})
		})
	}
}

func TestAnAnswerWithoutTheListOfIntegrationsIsNoAbsence(t *testing.T) {
	const list = "GET service/my-pg/integration"
	for name, tc := range map[string]struct {
		list   aiventest.Answer
		exists bool
		class  fault.Class
	}{
		"it is there":       {list: aiventest.OK(object{"service_integrations": []any{at("ours", nil)}}), exists: true},
		"it isn't":          {list: aiventest.OK(object{"service_integrations": []any{}})},
		"it can't be known": {list: aiventest.Refused(503, "try later"), class: fault.Server},
	} {
		t.Run(name, func(t *testing.T) {
			a := connecting(t)
			a.On(readSource, aiventest.Service(object{"service_integrations": nil}))
			a.On(list, tc.list)
			obj := logs("ours")
			o, err := start(a).Observe(t.Context(), obj)
			assert.Equal(t, []string{readSource, readDest, list}, a.Calls())
			if tc.class != "" {
				assert.Equal(t, tc.class, fault.Of(err).Class)
				assert.Equal(t, "ours", obj.Status.ID, "what is known isn't forgotten")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.exists, o.Remote.Exists)
		})
	}
}

func TestIntegrationCreate(t *testing.T) {
	a := connecting(t)
	a.On(create, answered(at("ours", nil)))
	obj := logs("")
	c := start(a)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err := c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.Equal(t, []string{readSource, readDest, created}, a.Calls())
	assert.Equal(t, "ours", obj.Status.ID)
}

func TestIntegrationSendsWhatTheSpecSets(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.ServiceIntegration)
		want string
	}{
		"no block": {func(obj *v1alpha1.ServiceIntegration) { obj.Spec.KafkaLogs = nil },
			`{"dest_service":"my-kafka","integration_type":"kafka_logs","source_service":"my-pg"}`},
		"projects": {func(obj *v1alpha1.ServiceIntegration) {
			obj.Spec.SourceProjectName, obj.Spec.DestinationProjectName = aiventest.Project, aiventest.Project
		}, `{"dest_project":"demo","dest_service":"my-kafka","integration_type":"kafka_logs","source_project":"demo",` +
			`"source_service":"my-pg","user_config":{"kafka_topic":"logs"}}`},
		"endpoints": {func(obj *v1alpha1.ServiceIntegration) {
			obj.Spec.IntegrationType, obj.Spec.SourceServiceName, obj.Spec.SourceEndpointID = "kafka_connect", "", "e"
		}, `{"dest_service":"my-kafka","integration_type":"kafka_connect","source_endpoint_id":"e"}`},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t), logs("", tc.edit)
			a.On(create, aiventest.Refused(400, "no"))
			c := start(a)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			a.Calls()
			_, err = c.Create(t.Context(), obj)
			assert.ErrorContains(t, err, "creating integration")
			assert.Equal(t, []string{create + " " + tc.want}, a.Calls())
		})
	}
}

func TestIntegrationUpdateSendsTheWholeBlock(t *testing.T) {
	theirs := at("ours", object{"user_config": object{"kafka_topic": "theirs"}})
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		class  fault.Class
		calls  []string
	}{
		"accepted":     {answer: answered(at("ours", nil)), calls: []string{updated}},
		"not changed":  {answer: aiventest.Refused(400, "Service integration user config not changed"), calls: []string{updated, readSource, readDest}},
		"not known":    {answer: aiventest.Refused(404, "Service integration does not exist"), class: fault.NotReady, calls: []string{updated}},
		"not accepted": {answer: aiventest.Refused(400, "Invalid input for user_config.kafka_topic: too long"), class: fault.Rejected, calls: []string{updated}},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := connecting(t, theirs), logs("ours")
			a.On(update, tc.answer)
			c := start(a)
			seen, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			a.Calls()
			_, err = c.Update(t.Context(), obj, seen)
			assert.Equal(t, tc.calls, a.Calls())
			assert.Equal(t, "ours", obj.Status.ID, "the id stays")
			if tc.class == "" {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, tc.class, fault.Of(err).Class)
			if tc.class == fault.Rejected {
				assert.Contains(t, (*fault.Secrets)(nil).Refusal(err, "", ""), "Aiven rejected spec.kafkaLogs.kafka_topic: ")
			}
		})
	}
}

func TestATypeWithoutOptionsHasNoUpdate(t *testing.T) {
	a := connecting(t, at("ours", object{"integration_type": "dashboard"}))
	obj := logs("ours", func(obj *v1alpha1.ServiceIntegration) { obj.Spec.IntegrationType = "dashboard" })
	c := start(a)
	seen, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Empty(t, seen.Diff)
	a.Calls()
	_, err = c.Update(t.Context(), obj, seen)
	require.NoError(t, err)
	assert.Empty(t, a.Calls(), "also if a user asks for one")
}

func TestTheIntegrationOfAReadReplicaIsAwaited(t *testing.T) {
	replica := func(obj *v1alpha1.ServiceIntegration) { obj.Spec.IntegrationType = "read_replica" }
	a, obj := connecting(t), logs("", replica)
	o, err := start(a).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.False(t, o.Remote.Exists)
	assert.Contains(t, o.WaitFor, "Aiven makes this integration together with it", "and nothing is written")

	a = connecting(t, at("ours", object{"integration_type": "read_replica"}))
	o, err = start(a).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.Equal(t, "ours", obj.Status.ID)
}

func TestTheIdentityOfAnIntegrationHasItsEndsWithTheirProjects(t *testing.T) {
	identity := func(edits ...func(*v1alpha1.ServiceIntegration)) controllers.Identity {
		return Integration.Identity(logs("", edits...))
	}
	ref := func(name, id string) func(*v1alpha1.ServiceIntegration) {
		return func(obj *v1alpha1.ServiceIntegration) {
			obj.Spec.DestinationServiceName, obj.Spec.DestinationEndpointRef = "", &v1alpha1.EndpointReference{Name: name}
			obj.Status.DestinationEndpointID = id
		}
	}
	assert.Equal(t, identity(), identity(func(obj *v1alpha1.ServiceIntegration) { obj.Spec.SourceProjectName = aiventest.Project }))
	assert.NotEqual(t, identity(), identity(func(obj *v1alpha1.ServiceIntegration) { obj.Spec.SourceProjectName = "other" }))
	assert.NotEqual(t, identity(), identity(func(obj *v1alpha1.ServiceIntegration) { obj.Spec.IntegrationType = "metrics" }))
	assert.NotEqual(t, identity(ref("a", "")), identity(ref("b", "")), "ids that aren't known yet aren't the same")
	assert.Equal(t, identity(ref("a", "e")), identity(ref("b", "e")))
	assert.Equal(t, identity(ref("a", "e")), identity(func(obj *v1alpha1.ServiceIntegration) {
		obj.Spec.DestinationServiceName, obj.Spec.DestinationEndpointID = "", "e"
	}))
}
