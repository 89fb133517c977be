package localaiven_test

import (
	"encoding/json"
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	endpointsPath = "/v1/project/" + proj + "/integration_endpoint"
	datadogKey    = "848f30907c15c55d601fe45487cce9b6"
)

// endpoint creates one, and returns its id.
func (h *harness) endpoint(t testing.TB, name, kind string, config map[string]any) string {
	t.Helper()
	if config == nil {
		config = map[string]any{}
	}
	out, err := h.client.ServiceIntegrationEndpointCreate(t.Context(), proj, &service.ServiceIntegrationEndpointCreateIn{
		EndpointName: name, EndpointType: service.EndpointType(kind), UserConfig: config,
	})
	require.NoError(t, err)
	return out.EndpointId
}

func TestLifeOfAnEndpoint(t *testing.T) {
	h := start(t, localaiven.Options{})
	ctx := t.Context()
	none, err := h.client.ServiceIntegrationEndpointList(ctx, proj)
	require.NoError(t, err)
	assert.Empty(t, none)
	id := h.endpoint(t, "dd", "datadog", map[string]any{"datadog_api_key": datadogKey, "site": "datadoghq.eu"})
	assert.Len(t, id, 36)
	assert.Equal(t, []localaiven.Resource{{Type: "service_integration_endpoint", ID: proj + "/datadog/dd#" + id}}, h.Resources())
	list, err := h.client.ServiceIntegrationEndpointList(ctx, proj)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []any{id, "dd", service.EndpointTypeDatadog}, []any{list[0].EndpointId, list[0].EndpointName, list[0].EndpointType})

	_, err = h.client.ServiceIntegrationEndpointUpdate(ctx, proj, id, &service.ServiceIntegrationEndpointUpdateIn{
		UserConfig: map[string]any{"datadog_api_key": datadogKey, "site": "datadoghq.com"},
	})
	require.NoError(t, err)
	got, err := h.client.ServiceIntegrationEndpointGet(ctx, proj, id, service.ServiceIntegrationEndpointGetIncludeSecrets(true))
	require.NoError(t, err)
	assert.Equal(t, "datadoghq.com", got.UserConfig["site"])
	assert.Equal(t, datadogKey, got.UserConfig["datadog_api_key"])
	_, err = h.client.ServiceIntegrationEndpointUpdate(ctx, proj, id, &service.ServiceIntegrationEndpointUpdateIn{
		UserConfig: map[string]any{"datadog_api_key": datadogKey},
	})
	require.ErrorContains(t, err, "User config not changed", "what is left out stays as it is")

	require.NoError(t, h.client.ServiceIntegrationEndpointDelete(ctx, proj, id))
	_, err = h.client.ServiceIntegrationEndpointGet(ctx, proj, id)
	assert.True(t, aiven.IsNotFound(err))
	assert.Empty(t, h.Resources())
	assert.NotEqual(t, id, h.endpoint(t, "dd", "prometheus", nil), "its name is free again")
}

func TestSecretsOfAnEndpointAreShownByItsGetOnly(t *testing.T) {
	const secret = "notforeveryone9"
	for kind, config := range map[string]map[string]any{
		"datadog":                     {"datadog_api_key": secret},
		"rsyslog":                     {"server": "log.example.com", "port": 514, "format": "rfc5424", "tls": true, "key": secret},
		"external_opensearch_logs":    {"url": "https://" + secret, "index_prefix": "logs"},
		"external_postgresql":         {"host": "h", "port": 1, "username": "u", "password": secret, "ssl_client_key": secret},
		"external_azure_blob_storage": {"connection_string": "AccountKey=" + secret, "container": "c"},
		"external_kafka":              {"bootstrap_servers": "h:1", "security_protocol": "SSL", "ssl_client_key": secret},
	} {
		t.Run(kind, func(t *testing.T) {
			h := start(t, localaiven.Options{})
			body, err := json.Marshal(map[string]any{"endpoint_name": "e", "endpoint_type": kind, "user_config": config})
			require.NoError(t, err)
			status, made := h.send(t, post, endpointsPath, "x", string(body))
			require.Equal(t, 200, status, made)
			assert.NotContains(t, text(t, made), secret)
			made, _ = made["service_integration_endpoint"].(map[string]any)
			path, _ := made["endpoint_id"].(string)
			path = endpointsPath + "/" + path
			for _, hiding := range []string{path, endpointsPath, endpointsPath + "?include_secrets=true", path + "?include_secrets=false"} {
				_, answer := h.send(t, get, hiding, "x", "")
				assert.NotContains(t, text(t, answer), secret, hiding)
				assert.Contains(t, text(t, answer), "redacted", hiding)
			}
			_, answer := h.send(t, get, path+"?include_secrets=true", "x", "")
			assert.Contains(t, text(t, answer), secret)
			assert.NotContains(t, text(t, h.Journal(0)), secret)
		})
	}
}

func text(t testing.TB, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	require.NoError(t, err)
	return string(out)
}

func TestIntegrationsWithEndpoints(t *testing.T) {
	h := running(t, localaiven.Options{})
	id := h.endpoint(t, "dd", "datadog", map[string]any{"datadog_api_key": datadogKey})
	other := h.endpoint(t, "dd2", "datadog", map[string]any{"datadog_api_key": datadogKey})
	made := h.integrate(t, service.ServiceIntegrationCreateIn{IntegrationType: "datadog", SourceService: ptr(svcName), DestEndpointId: &id})
	assert.Equal(t, []string{id, "dd", proj, "datadog"}, []string{*made.DestEndpointId, *made.DestEndpoint, made.DestProject, made.DestServiceType})
	assert.Nil(t, made.DestService)
	assert.Equal(t, []service.ServiceIntegrationOut{service.ServiceIntegrationOut(*made)}, h.shownAt(t, proj, svcName))
	assertRefused(t, h, "x", badCall{del, endpointsPath + "/" + id, "", 409, made.ServiceIntegrationId})
	assertRefused(t, h, "x", badCall{post, integrationsPath,
		`{"integration_type":"datadog","source_service":"` + svcName + `","dest_endpoint_id":"` + id + `"}`, 409, "already exists"})
	h.integrate(t, service.ServiceIntegrationCreateIn{IntegrationType: "datadog", SourceService: ptr(svcName), DestEndpointId: &other})

	require.NoError(t, h.client.ServiceIntegrationDelete(t.Context(), proj, made.ServiceIntegrationId))
	require.NoError(t, h.client.ServiceIntegrationEndpointDelete(t.Context(), proj, id))
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	require.NoError(t, h.client.ServiceIntegrationEndpointDelete(t.Context(), proj, other), "a deleted service uses none")
}

func TestAnEndpointCanBeTheSource(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	h.service(t, proj, "stream", "flink", "startup-4")
	id := h.endpoint(t, "pg", "external_postgresql", map[string]any{"host": "h", "port": 1, "username": "u"})
	made := h.integrate(t, service.ServiceIntegrationCreateIn{
		IntegrationType: "flink_external_postgresql", SourceEndpointId: &id, DestService: ptr("stream"),
		UserConfig: &map[string]any{"stringtype": "unspecified"},
	})
	assert.Equal(t, []string{id, "", "external_postgresql"}, []string{*made.SourceEndpointId, made.SourceService, made.SourceServiceType})
	assert.Len(t, h.shownAt(t, proj, "stream"), 1)
	assertRefused(t, h, "x", badCall{del, endpointsPath + "/" + id, "", 409, "in use"})
}

func TestRefusedEndpoints(t *testing.T) {
	h := start(t, localaiven.Options{Projects: []string{proj, "other"}})
	id := h.endpoint(t, "dd", "datadog", map[string]any{"datadog_api_key": datadogKey})
	with := func(name, kind, config string) string {
		return `{"endpoint_name":"` + name + `","endpoint_type":"` + kind + `","user_config":` + config + `}`
	}
	for name, c := range map[string]badCall{
		"a name that is taken":       {post, endpointsPath, with("dd", "prometheus", "{}"), 409, "already exists"},
		"no name":                    {post, endpointsPath, with("", "prometheus", "{}"), 400, "endpoint_name"},
		"a name that is too long":    {post, endpointsPath, with(strings.Repeat("n", 37), "prometheus", "{}"), 400, "endpoint_name"},
		"an unknown type":            {post, endpointsPath, with("e", "magic", "{}"), 400, "magic"},
		"an old type":                {post, endpointsPath, with("e", "external_redis", "{}"), 400, "external_redis"},
		"another old type":           {post, endpointsPath, with("e", "external_sumologic_logs", "{}"), 400, "external_sumologic_logs"},
		"a missing setting":          {post, endpointsPath, with("e", "datadog", "{}"), 400, "'datadog_api_key' is a required property"},
		"an unknown setting":         {post, endpointsPath, with("e", "prometheus", `{"colour":1}`), 400, "'colour'"},
		"a setting of a wrong type":  {post, endpointsPath, with("e", "autoscaler", `{"autoscaling":"yes"}`), 400, "user_config.autoscaling"},
		"a setting inside a list":    {post, endpointsPath, with("e", "autoscaler", `{"autoscaling":[{"type":"autoscale_disk","cap_gb":1}]}`), 400, "cap_gb"},
		"an unknown key":             {post, endpointsPath, `{"colour":1}`, 400, "colour"},
		"creating in no project":     {post, "/v1/project/nope/integration_endpoint", with("e", "prometheus", "{}"), 404, "Project does not exist"},
		"listing in no project":      {get, "/v1/project/nope/integration_endpoint", "", 404, "Project does not exist"},
		"reading an unknown one":     {get, endpointsPath + "/nope", "", 404, "Integration endpoint does not exist"},
		"updating an unknown one":    {put, endpointsPath + "/nope", `{"user_config":{}}`, 404, "Integration endpoint does not exist"},
		"deleting an unknown one":    {del, endpointsPath + "/nope", "", 404, "Integration endpoint does not exist"},
		"reading in no project":      {get, "/v1/project/nope/integration_endpoint/" + id, "", 404, "Project does not exist"},
		"updating in no project":     {put, "/v1/project/nope/integration_endpoint/" + id, `{"user_config":{}}`, 404, "Project does not exist"},
		"deleting in no project":     {del, "/v1/project/nope/integration_endpoint/" + id, "", 404, "Project does not exist"},
		"one of another project":     {get, "/v1/project/other/integration_endpoint/" + id, "", 404, "Integration endpoint does not exist"},
		"an update without settings": {put, endpointsPath + "/" + id, `{}`, 400, "user_config is required"},
		"an update of a part":        {put, endpointsPath + "/" + id, `{"user_config":{"site":"datadoghq.com"}}`, 400, "'datadog_api_key' is a required property"},
		"an update without a change": {put, endpointsPath + "/" + id, `{"user_config":{"datadog_api_key":"` + datadogKey + `"}}`, 400, "User config not changed"},
		"an update to a wrong value": {put, endpointsPath + "/" + id, `{"user_config":{"datadog_api_key":"` + datadogKey + `","site":"mars.example"}}`, 400, "mars.example"},
		"removing what is required":  {put, endpointsPath + "/" + id, `{"user_config":{"datadog_api_key":null}}`, 400, "'datadog_api_key' is a required property"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	got, err := h.client.ServiceIntegrationEndpointList(t.Context(), proj)
	require.NoError(t, err)
	assert.Len(t, got, 1, "what was refused left nothing behind")
}
