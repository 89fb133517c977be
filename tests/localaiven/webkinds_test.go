package localaiven_test

import (
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// webService starts a server with a service of a type that runs.
func webService(t testing.TB, kind, plan string) *harness {
	t.Helper()
	h := start(t, localaiven.Options{ProvisionTime: provision})
	h.service(t, proj, kind, kind, plan)
	return h
}

// assertWeb checks what the types of services have in common that speak HTTPS: one address, and who may log in there.
func assertWeb(t *testing.T, got *service.ServiceGetOut) {
	t.Helper()
	assert.EqualValues(t, "RUNNING", got.State)
	first := got.Components[0]
	assert.Equal(t, got.ServiceType, first.Component)
	assert.Equal(t, map[string]string{
		"host": first.Host, "port": strconv.Itoa(first.Port), "user": "avnadmin", "password": got.Users[0].Password,
	}, got.ServiceUriParams)
	uri, err := url.Parse(got.ServiceUri)
	require.NoError(t, err)
	assert.Equal(t, "https", uri.Scheme)
	assert.Equal(t, net.JoinHostPort(first.Host, strconv.Itoa(first.Port)), uri.Host)
}

func TestOpenSearchReturnsConnectionDetails(t *testing.T) {
	h := webService(t, "opensearch", "business-4")
	got := h.read(t, "opensearch", withSecrets)
	assertWeb(t, got)
	assert.Len(t, got.NodeStates, 3)
	assert.Empty(t, got.Databases)
	assert.EqualValues(t, 0, got.UserConfig["max_index_count"], "a default that is a number")
	assert.IsType(t, "", got.UserConfig["opensearch_version"])
	info := got.ConnectionInfo
	assert.Equal(t, []string{got.ServiceUri}, info.Opensearch)
	assert.Equal(t, []string{"avnadmin", got.Users[0].Password}, []string{*info.OpensearchUsername, *info.OpensearchPassword})
	require.Len(t, got.Components, 2)
	assert.NotEqual(t, got.Components[0].Port, got.Components[1].Port)
	assert.Contains(t, *info.OpensearchDashboardsUri, strconv.Itoa(got.Components[1].Port))
	assert.Contains(t, got.ServiceUri, url.UserPassword("avnadmin", got.Users[0].Password).String())

	hidden := h.read(t, "opensearch")
	assert.NotContains(t, text(t, hidden), got.Users[0].Password)

	_, err := h.client.ServiceUpdate(t.Context(), proj, "opensearch", &service.ServiceUpdateIn{
		UserConfig: &map[string]any{"opensearch_dashboards": map[string]any{"enabled": false}},
	})
	require.NoError(t, err)
	got = h.read(t, "opensearch")
	assert.Len(t, got.Components, 1)
	assert.Nil(t, got.ConnectionInfo.OpensearchDashboardsUri)
}

func TestGrafanaReturnsConnectionDetails(t *testing.T) {
	h := webService(t, "grafana", "startup-1")
	got := h.read(t, "grafana", withSecrets)
	assertWeb(t, got)
	assert.Len(t, got.NodeStates, 1)
	assert.Equal(t, []string{got.ServiceUri}, got.ConnectionInfo.Grafana)
	assert.NotContains(t, text(t, h.read(t, "grafana")), got.Users[0].Password)
}

func TestFlinkReturnsConnectionDetails(t *testing.T) {
	h := webService(t, "flink", "business-4")
	got := h.read(t, "flink", withSecrets)
	assertWeb(t, got)
	uri, err := url.Parse(got.ServiceUri)
	require.NoError(t, err)
	assert.Equal(t, []string{uri.Host}, got.ConnectionInfo.Flink)
	assert.NotContains(t, text(t, h.read(t, "flink")), got.Users[0].Password)
	assertRefused(t, h, "x", badCall{put, servicesPath + "/flink", `{"user_config":{"flink_version":"1.19"}}`, 400, "flink_version"})
}

func TestSecretSettingsOfOpenSearch(t *testing.T) {
	const secret = "notforeveryone9"
	h := start(t, localaiven.Options{ProvisionTime: provision})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: "search", ServiceType: "opensearch", Plan: "startup-4", UserConfig: &map[string]any{
			"azure_migration": map[string]any{
				"account": "a", "base_path": "p", "container": "c", "indices": "*", "snapshot_name": "s", "key": secret,
			},
			"custom_keystores": []any{map[string]any{
				"name": "k", "type": "s3", "settings": map[string]any{"access_key": secret, "secret_key": secret},
			}},
		},
	})
	require.NoError(t, err)
	assert.NotContains(t, text(t, h.read(t, "search").UserConfig), secret)
	assert.Contains(t, text(t, h.read(t, "search", withSecrets).UserConfig), secret)
	assert.NotContains(t, text(t, h.Journal(0)), secret)
	assertRefused(t, h, "x", badCall{put, servicesPath + "/search",
		`{"user_config":{"custom_keystores":[{"name":"k","type":"s3","settings":{"colour":1}}]}}`, 400, "settings"})
}

func TestRefusedWebServices(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	for _, kind := range []string{"opensearch", "grafana", "flink"} {
		with := func(plan, config string) string {
			return `{"service_name":"new","service_type":"` + kind + `","plan":"` + plan + `","user_config":` + config + `}`
		}
		h.service(t, proj, kind, kind, "startup-4")
		for name, c := range map[string]badCall{
			"an unknown plan":    {post, servicesPath, with("startup-5", "{}"), 400, "startup-5"},
			"an unknown setting": {post, servicesPath, with("startup-4", `{"pg_version":"17"}`), 400, "'pg_version'"},
			"an unknown version": {post, servicesPath, with("startup-4", `{"`+kind+`_version":"0"}`), 400, kind + "_version"},
			"databases":          {post, servicesPath + "/" + kind + "/db", `{"database":"x"}`, 400, kind},
			"topics":             {get, servicesPath + "/" + kind + "/topic", "", 400, kind},
		} {
			t.Run(kind+" and "+name, func(t *testing.T) { assertRefused(t, h, "x", c) })
		}
	}
}
