package serviceintegration_test

import (
	"strings"
	"testing"

	client "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
)

func newEndpoint(t *testing.T, id, name, kind string) *serviceintegration.Endpoint {
	t.Helper()
	e, fail := serviceintegration.NewEndpoint(client.ServiceIntegrationEndpointCreateIn{
		EndpointName: name, EndpointType: client.EndpointType(kind), UserConfig: map[string]any{},
	})
	require.Nil(t, fail)
	e.EndpointID = id
	return e
}

func TestNamesOfEndpoints(t *testing.T) {
	var all serviceintegration.Endpoints
	require.Nil(t, all.Add(newEndpoint(t, "1", "e", "prometheus"), false))
	assertError(t, 409, "Integration endpoint 'e' already exists", all.Add(newEndpoint(t, "2", "e", "jolokia"), false))
	assertError(t, 409, "Integration endpoint 'e' already exists", all.Add(newEndpoint(t, "2", "e", "prometheus"), true))
	require.Nil(t, all.Add(newEndpoint(t, "2", "e", "jolokia"), true))
	assert.Equal(t, []string{"p/prometheus/e#1", "p/jolokia/e#2"}, all.Paths("p"))

	_, fail := serviceintegration.NewEndpoint(client.ServiceIntegrationEndpointCreateIn{EndpointName: strings.Repeat("é", 37)})
	assertError(t, 400, "Invalid endpoint_name '"+strings.Repeat("é", 37)+"': must be 1 to 36 characters long", fail)
	_, fail = serviceintegration.NewEndpoint(client.ServiceIntegrationEndpointCreateIn{EndpointName: "e", EndpointType: "magic"})
	assertError(t, 400, "Invalid endpoint_type 'magic'", fail)
}

func TestSettingsOfAnEndpoint(t *testing.T) {
	var all serviceintegration.Endpoints
	made := newEndpoint(t, "1", "e", "prometheus")
	require.Nil(t, all.Add(made, false))
	changed, fail := all.Update("1", map[string]any{"basic_auth_username": "scraper", "basic_auth_password": "long enough"})
	require.Nil(t, fail)
	assert.Empty(t, made.UserConfig, "readers keep what they have read")
	assert.Equal(t, "long enough", changed.Shown(true).UserConfig["basic_auth_password"])
	assert.Equal(t, "<redacted>", all.Shown()[0].UserConfig["basic_auth_password"])
	_, fail = all.Update("1", map[string]any{"basic_auth_username": "scraper"})
	assertError(t, 400, "User config not changed", fail)
	_, fail = all.Update("2", map[string]any{})
	assertError(t, 404, "Integration endpoint does not exist", fail)
}

func TestAnEndpointInUseStays(t *testing.T) {
	f := newFixture()
	require.Nil(t, f.project.endpoints.Add(newEndpoint(t, "e-1", "prom", "prometheus"), false))
	_, fail := f.Create(f.project, client.ServiceIntegrationCreateIn{
		IntegrationType: "prometheus", SourceService: ptr("db"), DestEndpointId: ptr("e-1"),
	})
	require.Nil(t, fail)
	assertError(t, 409, "Integration endpoint is in use by service integration id-1 (prometheus)", f.project.endpoints.Remove("e-1", f.Integrations))
	require.Nil(t, f.Delete(f.project, "id-1"))
	require.Nil(t, f.project.endpoints.Remove("e-1", f.Integrations))
	assert.Empty(t, f.project.endpoints)
}
