package localaiven_test

import (
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	integrationsPath = "/v1/project/" + proj + "/integration"
	logsConfig       = `{"kafka_topic":"logs"}`
)

// integrated starts a server with a PostgreSQL and a Kafka that run.
func integrated(t testing.TB, options localaiven.Options) *harness {
	t.Helper()
	h := runningKafka(t, options)
	h.create(t, service.ServiceCreateIn{})
	h.clock.Advance(provision)
	return h
}

// service creates one and lets it get ready.
func (h *harness) service(t testing.TB, project, name, kind, plan string) {
	t.Helper()
	_, err := h.client.ServiceCreate(t.Context(), project, &service.ServiceCreateIn{ServiceName: name, ServiceType: kind, Plan: plan})
	require.NoError(t, err)
	h.clock.Advance(provision)
}

func (h *harness) integrate(t testing.TB, in service.ServiceIntegrationCreateIn) *service.ServiceIntegrationCreateOut {
	t.Helper()
	out, err := h.client.ServiceIntegrationCreate(t.Context(), proj, &in)
	require.NoError(t, err)
	return out
}

// kafkaLogs sends the logs of the PostgreSQL to the Kafka.
func (h *harness) kafkaLogs(t testing.TB) *service.ServiceIntegrationCreateOut {
	t.Helper()
	return h.integrate(t, service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_logs", SourceService: ptr(svcName), DestService: ptr(kafkaName),
		UserConfig: &map[string]any{"kafka_topic": "logs"},
	})
}

// shownAt are the integrations that ServiceGet and ServiceList show for a service.
func (h *harness) shownAt(t testing.TB, project, name string) []service.ServiceIntegrationOut {
	t.Helper()
	got, err := h.client.ServiceGet(t.Context(), project, name)
	require.NoError(t, err)
	list, err := h.client.ServiceList(t.Context(), project)
	require.NoError(t, err)
	for _, svc := range list {
		if svc.ServiceName == name {
			require.Equal(t, got.ServiceIntegrations, svc.ServiceIntegrations)
		}
	}
	return got.ServiceIntegrations
}

func TestLifeOfAnIntegration(t *testing.T) {
	h := integrated(t, localaiven.Options{})
	ctx := t.Context()
	require.Empty(t, h.shownAt(t, proj, svcName))
	made := h.kafkaLogs(t)
	id := made.ServiceIntegrationId
	assert.Len(t, id, 36)
	assert.True(t, made.Active)
	assert.True(t, made.Enabled)
	assert.Equal(t, []any{proj, svcName, "pg", proj, kafkaName, "kafka"}, []any{
		made.SourceProject, made.SourceService, made.SourceServiceType, made.DestProject, *made.DestService, made.DestServiceType,
	})
	assert.Equal(t, map[string]any{"kafka_topic": "logs"}, made.UserConfig)
	for _, name := range []string{svcName, kafkaName} {
		shown := h.shownAt(t, proj, name)
		require.Len(t, shown, 1, name)
		assert.Equal(t, service.ServiceIntegrationOut(*made), shown[0], name)
	}
	assert.Contains(t, h.Resources(), localaiven.Resource{
		Type: "service_integration", ID: proj + "/kafka_logs/" + svcName + "/" + proj + "/" + kafkaName + "#" + id,
	})

	changed, err := h.client.ServiceIntegrationUpdate(ctx, proj, id, &service.ServiceIntegrationUpdateIn{UserConfig: map[string]any{"kafka_topic": "other"}})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"kafka_topic": "other"}, changed.UserConfig)
	got, err := h.client.ServiceIntegrationGet(ctx, proj, id)
	require.NoError(t, err)
	assert.Equal(t, "other", got.UserConfig["kafka_topic"])
	assert.Equal(t, "other", h.shownAt(t, proj, kafkaName)[0].UserConfig["kafka_topic"])
	_, err = h.client.ServiceIntegrationUpdate(ctx, proj, id, &service.ServiceIntegrationUpdateIn{UserConfig: map[string]any{"kafka_topic": "other"}})
	require.ErrorContains(t, err, "user config not changed")

	require.NoError(t, h.client.ServiceIntegrationDelete(ctx, proj, id))
	_, err = h.client.ServiceIntegrationGet(ctx, proj, id)
	assert.True(t, aiven.IsNotFound(err))
	assert.Empty(t, h.shownAt(t, proj, svcName))
	assert.Empty(t, h.shownAt(t, proj, kafkaName))
	assert.NotEqual(t, id, h.kafkaLogs(t).ServiceIntegrationId, "it can be made again")
}

func TestDefaultsOfAnIntegration(t *testing.T) {
	h := integrated(t, localaiven.Options{})
	h.service(t, proj, "search", "opensearch", "startup-4")
	made := h.integrate(t, service.ServiceIntegrationCreateIn{IntegrationType: "logs", SourceService: ptr(svcName), DestService: ptr("search")})
	assert.Equal(t, map[string]any{"elasticsearch_index_days_max": float64(3), "elasticsearch_index_prefix": "logs"}, made.UserConfig)
	path := integrationsPath + "/" + made.ServiceIntegrationId
	assertRefused(t, h, "x", badCall{put, path, `{"user_config":{"elasticsearch_index_days_max":3}}`, 400, "user config not changed"})
	assertRefused(t, h, "x", badCall{put, path, `{"user_config":{"elasticsearch_index_prefix":null}}`, 400, "user config not changed"})
	assertRefused(t, h, "x", badCall{put, path, `{"user_config":{"elasticsearch_index_days_max":0}}`, 400, "user_config.elasticsearch_index_days_max"})
	status, body := h.send(t, put, path, "x", `{"user_config":{"elasticsearch_index_days_max":7}}`)
	require.Equal(t, 200, status, body)
	assert.EqualValues(t, 7, h.shownAt(t, proj, "search")[0].UserConfig["elasticsearch_index_days_max"])
}

func TestIntegrationsBetweenProjects(t *testing.T) {
	h := integrated(t, localaiven.Options{})
	h.service(t, "other", "remote", "kafka", "business-4")
	made := h.integrate(t, service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_logs", SourceService: ptr(svcName), DestProject: ptr("other"), DestService: ptr("remote"),
		UserConfig: &map[string]any{"kafka_topic": "logs"},
	})
	assert.Equal(t, []string{proj, "other"}, []string{made.SourceProject, made.DestProject})
	assert.Equal(t, h.shownAt(t, proj, svcName), h.shownAt(t, "other", "remote"))
	for project, found := range map[string]bool{proj: true, "other": true, "third": false} {
		_, err := h.client.ServiceIntegrationGet(t.Context(), project, made.ServiceIntegrationId)
		assert.Equal(t, found, err == nil, project)
	}
	require.NoError(t, h.client.ServiceIntegrationDelete(t.Context(), "other", made.ServiceIntegrationId))
	assert.Empty(t, h.shownAt(t, proj, svcName))
}

func TestADeletedServiceTakesItsIntegrationsAlong(t *testing.T) {
	for _, name := range []string{svcName, kafkaName} {
		t.Run(name, func(t *testing.T) {
			h := integrated(t, localaiven.Options{})
			id := h.kafkaLogs(t).ServiceIntegrationId
			require.NoError(t, h.client.ServiceDelete(t.Context(), proj, name))
			_, err := h.client.ServiceIntegrationGet(t.Context(), proj, id)
			assert.True(t, aiven.IsNotFound(err))
			for _, left := range h.Resources() {
				assert.NotEqual(t, "service_integration", left.Type)
			}
			list, err := h.client.ServiceList(t.Context(), proj)
			require.NoError(t, err)
			require.Len(t, list, 1)
			assert.Empty(t, list[0].ServiceIntegrations)
		})
	}
	t.Run("one that is protected keeps them", func(t *testing.T) {
		h := integrated(t, localaiven.Options{})
		h.kafkaLogs(t)
		h.update(t, service.ServiceUpdateIn{TerminationProtection: ptr(true)})
		assert.Error(t, h.client.ServiceDelete(t.Context(), proj, svcName))
		assert.Len(t, h.shownAt(t, proj, kafkaName), 1)
	})
}

func TestRefusedIntegrations(t *testing.T) {
	h := integrated(t, localaiven.Options{Projects: []string{proj}})
	h.service(t, proj, "dashboard", "grafana", "startup-4")
	h.service(t, proj, "stream", "flink", "startup-4")
	prom := h.endpoint(t, "prom", "prometheus", nil)
	id := h.kafkaLogs(t).ServiceIntegrationId
	with := func(kind, rest string) string { return `{"integration_type":"` + kind + `"` + rest + `}` }
	const pgToKafka = `,"source_service":"` + svcName + `","dest_service":"` + kafkaName + `"`
	for name, c := range map[string]badCall{
		"an unknown type":           {post, integrationsPath, with("magic", pgToKafka), 400, "magic"},
		"no type":                   {post, integrationsPath, `{}`, 400, "integration_type"},
		"no source":                 {post, integrationsPath, with("kafka_logs", `,"dest_service":"`+kafkaName+`"`), 400, "source_service is required"},
		"no destination":            {post, integrationsPath, with("kafka_logs", `,"source_service":"`+svcName+`"`), 400, "dest_service is required"},
		"no endpoint":               {post, integrationsPath, with("datadog", `,"source_service":"`+svcName+`"`), 400, "dest_endpoint_id is required"},
		"neither of two":            {post, integrationsPath, with("datasource", `,"source_service":"`+svcName+`"`), 400, "dest_service or dest_endpoint_id is required"},
		"two destinations":          {post, integrationsPath, with("datasource", pgToKafka+`,"dest_endpoint_id":"x"`), 400, "only one of dest_service and dest_endpoint_id"},
		"a service for an endpoint": {post, integrationsPath, with("prometheus", pgToKafka), 400, "takes dest_endpoint_id"},
		"an endpoint for a service": {post, integrationsPath, with("kafka_logs", `,"source_service":"`+svcName+`","dest_endpoint_id":"x"`), 400, "takes dest_service"},
		"an unknown source":         {post, integrationsPath, with("kafka_logs", `,"source_service":"nope","dest_service":"`+kafkaName+`"`), 404, "Service nope does not exist"},
		"an unknown destination":    {post, integrationsPath, with("kafka_logs", `,"source_service":"`+svcName+`","dest_service":"nope"`), 404, "Service nope does not exist"},
		"an unknown endpoint":       {post, integrationsPath, with("datadog", `,"source_service":"`+svcName+`","dest_endpoint_id":"nope"`), 404, "Integration endpoint does not exist"},
		"an unknown source project": {post, integrationsPath, with("kafka_logs", pgToKafka+`,"source_project":"nope"`), 404, "Project does not exist"},
		"ends of other projects":    {post, integrationsPath, with("kafka_logs", pgToKafka+`,"source_project":"a","dest_project":"b"`), 400, "must be '" + proj + "'"},
		"an unknown project":        {post, "/v1/project/nope/integration", with("kafka_logs", pgToKafka), 404, "Project does not exist"},
		"a service that can't be":   {post, integrationsPath, with("kafka_connect", `,"source_service":"`+svcName+`","dest_service":"`+kafkaName+`"`), 400, "type pg"},
		"a wrong destination":       {post, integrationsPath, with("metrics", `,"source_service":"`+svcName+`","dest_service":"stream"`), 400, "type flink"},
		"an endpoint of other type": {post, integrationsPath, with("datadog", `,"source_service":"`+svcName+`","dest_endpoint_id":"`+prom+`"`), 400, "type prometheus"},
		"a missing setting":         {post, integrationsPath, with("kafka_logs", `,"source_service":"dashboard","dest_service":"`+kafkaName+`"`), 400, "'kafka_topic' is a required property"},
		"an unknown setting":        {post, integrationsPath, with("kafka_logs", pgToKafka+`,"user_config":{"colour":1}`), 400, "'colour'"},
		"settings where are none":   {post, integrationsPath, with("datasource", `,"source_service":"dashboard","dest_service":"`+svcName+`","user_config":{"a":1}`), 400, "'a'"},
		"an unknown key":            {post, integrationsPath, with("kafka_logs", `,"colour":1`), 400, "colour"},
		"one that exists":           {post, integrationsPath, with("kafka_logs", pgToKafka+`,"user_config":`+logsConfig), 409, "already exists"},
		"a late replica":            {post, integrationsPath, with("read_replica", `,"source_service":"`+svcName+`","dest_service":"`+svcName+`"`), 400, "when the service is created"},
		"a replica of a Flink":      {post, integrationsPath, with("read_replica", `,"source_service":"stream","dest_service":"stream"`), 400, "read_replica"},
		"reading an unknown one":    {get, integrationsPath + "/nope", "", 404, "Service integration does not exist"},
		"updating an unknown one":   {put, integrationsPath + "/nope", `{"user_config":{}}`, 404, "Service integration does not exist"},
		"deleting an unknown one":   {del, integrationsPath + "/nope", "", 404, "Service integration does not exist"},
		"reading in no project":     {get, "/v1/project/nope/integration/" + id, "", 404, "Project does not exist"},
		"updating in no project":    {put, "/v1/project/nope/integration/" + id, `{"user_config":{}}`, 404, "Project does not exist"},
		"deleting in no project":    {del, "/v1/project/nope/integration/" + id, "", 404, "Project does not exist"},
		"an update without any":     {put, integrationsPath + "/" + id, `{}`, 400, "user_config is required"},
		"an update with null":       {put, integrationsPath + "/" + id, `{"user_config":null}`, 400, "user config not changed"},
		"an update with nothing":    {put, integrationsPath + "/" + id, `{"user_config":{}}`, 400, "user config not changed"},
		"an unknown new setting":    {put, integrationsPath + "/" + id, `{"user_config":{"colour":1}}`, 400, "'colour'"},
		"an update of a wrong type": {put, integrationsPath + "/" + id, `{"user_config":7}`, 400, "user_config"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Len(t, h.shownAt(t, proj, svcName), 1, "what was refused left nothing behind")
	assert.Empty(t, h.shownAt(t, proj, "dashboard"))
}
