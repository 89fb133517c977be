package localaiven_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/kafkaconnect"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/admin"
)

const (
	connectName    = "my-connect"
	connectPath    = servicesPath + "/" + connectName
	connectorsPath = connectPath + "/connectors"
)

// runningConnect starts a server with a service of Kafka Connect that runs.
func runningConnect(t *testing.T) *harness {
	t.Helper()
	h := runningKafka(t, localaiven.Options{})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: connectName, ServiceType: "kafka_connect", Plan: "startup-4",
		ServiceIntegrations: &[]service.ServiceIntegrationIn{{IntegrationType: "kafka_connect", SourceService: ptr(kafkaName)}},
	})
	require.NoError(t, err)
	h.clock.Advance(provision)
	return h
}

func sink(more map[string]string) *map[string]string {
	config := map[string]string{
		"name": "to-s3", "connector.class": "io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector", "tasks.max": "2",
	}
	for key, value := range more {
		config[key] = value
	}
	return &config
}

func (h *harness) connector(t *testing.T, service string) *kafkaconnect.ServiceKafkaConnectGetConnectorStatusOut {
	t.Helper()
	out, err := h.client.ServiceKafkaConnectGetConnectorStatus(t.Context(), proj, service, "to-s3")
	require.NoError(t, err)
	return out
}

func TestKafkaConnectReturnsConnectionDetails(t *testing.T) {
	h := runningConnect(t)
	got, err := h.client.ServiceGet(t.Context(), proj, connectName, withSecrets)
	require.NoError(t, err)
	assert.EqualValues(t, "RUNNING", got.State)
	require.Len(t, got.Components, 1)
	assert.Equal(t, "kafka_connect", got.Components[0].Component)
	assert.EqualValues(t, got.Components[0].Host, got.ServiceUriParams["host"])
	assert.Contains(t, got.ServiceUri, "https://avnadmin:"+got.Users[0].Password+"@")
	assert.Equal(t, []string{got.ServiceUri}, got.ConnectionInfo.KafkaConnect)
	assert.Len(t, got.NodeStates, 1)
	_, open := h.send(t, get, connectPath, "x", "")
	text, err := json.Marshal(open)
	require.NoError(t, err)
	assert.NotContains(t, string(text), got.Users[0].Password)
	assertRefused(t, h, "x", badCall{get, connectPath + "/topic", "", 400, "kafka_connect"})
}

func TestLifeOfAConnector(t *testing.T) {
	for name, where := range map[string]struct {
		service string
		start   func(*testing.T) *harness
	}{
		"in a service of its own": {connectName, runningConnect},
		"beside Kafka": {kafkaName, func(t *testing.T) *harness {
			h := runningKafka(t, localaiven.Options{})
			h.configureKafka(t, map[string]any{"kafka_connect": true})
			return h
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := where.start(t)
			ctx := t.Context()
			made, err := h.client.ServiceKafkaConnectCreateConnector(ctx, proj, where.service, sink(map[string]string{"aws.secret.access.key": "s3cr3t"}))
			require.NoError(t, err)
			assert.Equal(t, []string{"to-s3", "s3cr3t"}, []string{made.Name, made.Config["aws.secret.access.key"]})
			assert.EqualValues(t, "sink", made.Plugin.Type)
			assert.EqualValues(t, "UNASSIGNED", h.connector(t, where.service).State)
			assert.Empty(t, h.connector(t, where.service).Tasks)
			_, err = h.client.ServiceKafkaConnectCreateConnector(ctx, proj, where.service, sink(nil))
			assert.True(t, aiven.IsAlreadyExists(err), "%v", err)
			h.clock.Advance(provision / 10)
			running := kafkaconnect.ServiceKafkaConnectGetConnectorStatusOut{State: "RUNNING", Tasks: []kafkaconnect.ServiceKafkaConnectGetConnectorStatusTaskOut{
				{Id: 0, State: "RUNNING"}, {Id: 1, State: "RUNNING"},
			}}
			assert.Equal(t, running, *h.connector(t, where.service))
			list, err := h.client.ServiceKafkaConnectList(ctx, proj, where.service)
			require.NoError(t, err)
			require.Len(t, list.Connectors, 1)
			assert.Equal(t, []kafkaconnect.TaskOut{{Connector: "to-s3", Task: 0}, {Connector: "to-s3", Task: 1}}, list.Connectors[0].Tasks)
			assert.Equal(t, "Aiven", list.Connectors[0].Plugin.Author)
			declared, err := h.client.ServiceKafkaConnectGetConnectorConfiguration(ctx, proj, where.service, list.Connectors[0].Plugin.Class)
			require.NoError(t, err)
			assert.Contains(t, declared, kafkaconnect.ConfigurationSchemaOut{Name: "aws.secret.access.key", Type: "PASSWORD"})
			assert.Equal(t, []string{proj + "/" + where.service + "/to-s3"}, h.ofType("kafka_connector"))

			edited, err := h.client.ServiceKafkaConnectEditConnector(ctx, proj, where.service, "to-s3", sink(map[string]string{"tasks.max": "1"}))
			require.NoError(t, err)
			assert.NotContains(t, edited.Config, "aws.secret.access.key", "replaced as a whole")
			h.clock.Advance(provision / 10)
			assert.Len(t, h.connector(t, where.service).Tasks, 1)
			require.NoError(t, h.client.ServiceKafkaConnectDeleteConnector(ctx, proj, where.service, "to-s3"))
			assert.True(t, aiven.IsNotFound(h.client.ServiceKafkaConnectDeleteConnector(ctx, proj, where.service, "to-s3")))
			assert.Empty(t, h.ofType("kafka_connector"))
		})
	}
}

func TestConnectorsFailAtTheConsole(t *testing.T) {
	h := runningConnect(t)
	_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, connectName, sink(nil))
	require.NoError(t, err)
	h.clock.Advance(provision)
	console := admin.Client{URL: h.url}
	patch := func(connectors ...map[string]any) error {
		return console.Patch(t.Context(), proj, connectName, map[string]any{"connectors": connectors})
	}
	require.NoError(t, patch(map[string]any{"name": "to-s3", "tasks": []map[string]any{{"id": 1, "state": "FAILED", "trace": "boom"}}}))
	status := h.connector(t, connectName)
	assert.EqualValues(t, "RUNNING", status.State)
	assert.Equal(t, kafkaconnect.ServiceKafkaConnectGetConnectorStatusTaskOut{Id: 1, State: "FAILED", Trace: "boom"}, status.Tasks[1])
	require.NoError(t, patch(map[string]any{"name": "to-s3", "state": "PAUSED"}))
	status = h.connector(t, connectName)
	assert.EqualValues(t, "PAUSED", status.State)
	assert.Equal(t, []kafkaconnect.TaskStateType{"PAUSED", "FAILED"}, []kafkaconnect.TaskStateType{status.Tasks[0].State, status.Tasks[1].State})
	require.NoError(t, patch(map[string]any{"name": "to-s3", "tasks": []map[string]any{{"id": 1, "state": ""}}}))
	assert.EqualValues(t, "RUNNING", h.connector(t, connectName).Tasks[1].State, "its own again")

	require.NoError(t, patch(map[string]any{"name": "to-s3", "state": "FAILED"}))
	_, err = h.client.ServiceKafkaConnectEditConnector(t.Context(), proj, connectName, "to-s3", sink(nil))
	require.NoError(t, err)
	h.clock.Advance(provision)
	assert.EqualValues(t, "RUNNING", h.connector(t, connectName).State, "a change by the API restarts it")

	for name, bad := range map[string]map[string]any{
		"an unknown connector":       {"name": "nope", "state": "FAILED"},
		"an unknown state":           {"name": "to-s3", "state": "TIRED"},
		"an unknown task":            {"name": "to-s3", "tasks": []map[string]any{{"id": 2, "state": "FAILED"}}},
		"an unknown state of a task": {"name": "to-s3", "tasks": []map[string]any{{"id": 0, "state": "TIRED"}}},
	} {
		assert.Error(t, patch(map[string]any{"name": "to-s3", "state": "PAUSED"}, bad), name)
	}
	assert.EqualValues(t, "RUNNING", h.connector(t, connectName).State, "a bad change isn't half applied")
}

func TestRefusedConnectors(t *testing.T) {
	h := runningConnect(t)
	_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, connectName, sink(nil))
	require.NoError(t, err)
	good := `{"name":"x","connector.class":"a.b.C","tasks.max":"1"}`
	with := func(was, is string) string { return strings.Replace(good, was, is, 1) }
	one := connectorsPath + "/to-s3"
	for name, c := range map[string]badCall{
		"no name":                  {post, connectorsPath, with(`"name":"x",`, ""), 400, "'name' is required"},
		"no class":                 {post, connectorsPath, with(`"connector.class":"a.b.C",`, ""), 400, "'connector.class' is required"},
		"a class that can't be":    {post, connectorsPath, with("a.b.C", "a b"), 400, "Java class"},
		"no number of tasks":       {post, connectorsPath, with(`"1"`, `"many"`), 400, "tasks.max"},
		"not even one task":        {post, connectorsPath, with(`"1"`, `"0"`), 400, "tasks.max"},
		"a number that isn't text": {post, connectorsPath, with(`"1"`, `1`), 400, "tasks.max"},
		"no object":                {post, connectorsPath, `[]`, 400, "array"},
		"one that is there":        {post, connectorsPath, with(`"x"`, `"to-s3"`), 409, "already exists"},
		"another name":             {put, one, good, 400, "can't be renamed"},
		"changing without a class": {put, one, `{"name":"to-s3"}`, 400, "'connector.class' is required"},
		"changing an unknown one":  {put, connectorsPath + "/x", good, 404, "Connector 'x' does not exist"},
		"deleting an unknown one":  {del, connectorsPath + "/x", "", 404, "Connector 'x' does not exist"},
		"status of an unknown one": {get, connectorsPath + "/x/status", "", 404, "Connector 'x' does not exist"},
		"an unknown service":       {get, servicesPath + "/nope/connectors", "", 404, "Service nope does not exist"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Len(t, h.ofType("kafka_connector"), 1)
	t.Run("a service without Kafka Connect", func(t *testing.T) {
		h := runningKafka(t, localaiven.Options{})
		assertRefused(t, h, "x", badCall{get, kafkaPath + "/connectors", "", 400, "user_config.kafka_connect"})
		assertRefused(t, h, "x", badCall{post, kafkaPath + "/connectors", good, 400, "user_config.kafka_connect"})
	})
	t.Run("a service without power", func(t *testing.T) {
		_, err := h.client.ServiceUpdate(t.Context(), proj, connectName, &service.ServiceUpdateIn{Powered: ptr(false)})
		require.NoError(t, err)
		assertRefused(t, h, "x", badCall{get, connectorsPath, "", 409, "powered off"})
	})
}

func TestSecretsOfConnectorsStayOutOfTheJournal(t *testing.T) {
	h := runningConnect(t)
	secret := []string{
		"connection.password", "aws.secret.access.key", "aws.access.key.id", "connection.url", "connection.uri", "gcs.credentials.json",
		"snowflake.private.key", "sasl.jaas.config", "value.converter.basic.auth.user.info", "http.headers.authorization",
		"azure.storage.connection.string", "connect.cosmos.master.key", "keyfile", "ssl.keystore.key",
	}
	config := map[string]string{"topics": "in plain sight"}
	for _, key := range secret {
		config[key] = "top-s3cr3t"
	}
	_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, connectName, sink(config))
	require.NoError(t, err)
	journal := h.Journal(0)
	var noted map[string]string
	require.NoError(t, json.Unmarshal(journal[len(journal)-1].Body, &noted))
	assert.Equal(t, "in plain sight", noted["topics"])
	for _, key := range secret {
		assert.Equal(t, "<redacted>", noted[key], key)
	}
}

func TestAnswersAboutConnectorsHaveTheShapeOfThePublicClient(t *testing.T) {
	h := runningConnect(t)
	_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, connectName, sink(nil))
	require.NoError(t, err)
	h.clock.Advance(provision)
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceGet of Kafka Connect": {get, connectPath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceKafkaConnectList":     {get, connectorsPath, "", kafkaconnect.ServiceKafkaConnectListOut{}},
		"ServiceKafkaConnectGetConnectorStatus": {get, connectorsPath + "/to-s3/status", "", struct {
			Status kafkaconnect.ServiceKafkaConnectGetConnectorStatusOut
		}{}},
		"ServiceKafkaConnectCreateConnector": {post, connectorsPath, `{"name":"x","connector.class":"a.b.C"}`, struct {
			Connector kafkaconnect.ServiceKafkaConnectCreateConnectorOut
		}{}},
		"ServiceKafkaConnectEditConnector": {put, connectorsPath + "/to-s3", `{"name":"to-s3","connector.class":"a.b.C"}`, struct {
			Connector kafkaconnect.ServiceKafkaConnectEditConnectorOut
		}{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}

func TestKafkaConnectNeedsAnActiveIntegration(t *testing.T) {
	h := runningKafka(t, localaiven.Options{IntegrationTime: provision})
	ctx := t.Context()
	_, err := h.client.ServiceCreate(ctx, proj, &service.ServiceCreateIn{ServiceName: connectName, ServiceType: "kafka_connect", Plan: "startup-4"})
	require.NoError(t, err)
	h.clock.Advance(provision)
	refused := badCall{get, connectorsPath, "", 400, "no active kafka_connect integration"}
	assertRefused(t, h, "x", refused)
	made, err := h.client.ServiceIntegrationCreate(ctx, proj, &service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_connect", SourceService: ptr(kafkaName), DestService: ptr(connectName),
	})
	require.NoError(t, err)
	assertRefused(t, h, "x", refused)
	h.clock.Advance(provision)
	_, err = h.client.ServiceKafkaConnectCreateConnector(ctx, proj, connectName, sink(nil))
	require.NoError(t, err)
	require.NoError(t, h.PatchIntegration(proj, made.ServiceIntegrationId, map[string]any{"active": false}))
	assertRefused(t, h, "x", refused)
	require.NoError(t, h.PatchIntegration(proj, made.ServiceIntegrationId, map[string]any{"active": true}))
	listed, err := h.client.ServiceKafkaConnectList(ctx, proj, connectName)
	require.NoError(t, err)
	assert.Len(t, listed.Connectors, 1)
}

func TestAConnectorWithoutItsPluginIsListedAsFailed(t *testing.T) {
	h := runningConnect(t)
	_, err := h.client.ServiceKafkaConnectCreateConnector(t.Context(), proj, connectName, sink(nil))
	require.NoError(t, err)
	fail := func(why string) {
		require.NoError(t, h.Patch(proj, connectName, map[string]any{"connectors": []any{map[string]any{"name": "to-s3", "failed": why}}}))
	}
	fail("Failed to find any class that implements Connector")
	listed, err := h.client.ServiceKafkaConnectList(t.Context(), proj, connectName)
	require.NoError(t, err)
	assert.Empty(t, listed.Connectors)
	require.Len(t, listed.FailedConnectors, 1)
	assert.Equal(t, "to-s3", listed.FailedConnectors[0].Name)
	assert.Contains(t, listed.FailedConnectors[0].Error, "Failed to find any class")
	body, err := json.Marshal(sink(nil))
	require.NoError(t, err)
	assertRefused(t, h, "x", badCall{post, connectorsPath, string(body), 409, "already exists"})
	fail("")
	listed, err = h.client.ServiceKafkaConnectList(t.Context(), proj, connectName)
	require.NoError(t, err)
	assert.Len(t, listed.Connectors, 1)
	assert.Empty(t, listed.FailedConnectors)
}
