package monitoring_test

import (
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// apiKey is for the collector alone.
const apiKey = "k3y-of-the-collector"

// comeAndGo lets a service and a database in it come and go.
func comeAndGo(m *manager) {
	m.T.Helper()
	service, database := m.Example("postgresql"), m.Example("database")
	m.Create(service)
	m.Create(database)
	m.Wait(service, testenv.Ready())
	m.Wait(database, testenv.Ready())
	for _, value := range m.Secret("my-pg-admin").Data {
		if text := string(value); strings.Contains(text, "AVNS_") || strings.Contains(text, "://") {
			m.Plant(text)
		}
	}
	m.Delete(database)
	m.WaitGone(database)
	m.Delete(service)
	m.WaitGone(service)
}

func TestALifeIsTraced(t *testing.T) {
	dir := t.TempDir()
	pair(t, dir)
	certificate, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	require.NoError(t, err)
	c := collect(t, "127.0.0.1:0", certificate)
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", filepath.Join(dir, "ca.crt"))
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key="+apiKey)
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1") // the flags win
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	e := testenv.New(t, testenv.Options{Outside: true})
	e.Plant(apiKey)
	m := start(e, "--tracing-endpoint=https://"+c.address)
	comeAndGo(m)
	require.NoError(t, m.program.End(stopTime), "the last spans are sent at the end")

	assert.Equal(t, []string{apiKey}, c.header("api-key"))
	assert.Equal(t, "aero", c.resource()["service.name"])
	assert.Equal(t, "test", c.resource()["deployment.environment.name"])
	assert.NotEmpty(t, c.resource()["host.name"])
	assert.False(t, m.Leaks(c.text()), "no token, password or URI with one is in any span")

	traces := c.traces(t)
	calls := map[string]int{}
	for _, trace := range traces {
		switch name, _, _ := strings.Cut(trace.GetName(), " "); name {
		case "reconcile":
			assert.Equal(t, m.Namespace, trace.attrs["k8s.namespace.name"])
			assert.NotEmpty(t, trace.attrs["aero.reconcile_id"])
		default:
			assert.Contains(t, []string{"pollProject", "pollService"}, trace.GetName())
		}
		trace.each(func(s *span, _ int) {
			if operation := s.attrs["aero.aiven.operation"]; operation != "" {
				calls[operation]++
				assert.Equal(t, operation, s.GetName())
				assert.NotContains(t, s.attrs["url.template"], m.Project)
			}
		}, 0)
	}
	made := map[string]int{}
	for _, call := range m.Aiven.Calls(0) {
		made[call.Operation]++
	}
	assert.Equal(t, made, calls, "each call is a span")

	for _, tc := range []struct {
		kind, name string
		path       []string
		method     string
		route      string
	}{
		{"PostgreSQL", "my-pg", []string{"apply", "create", "ServiceCreate"}, "POST", "/v1/project/{project}/service"},
		{"PostgreSQL", "my-pg", []string{"observe", "ServiceGet"}, "GET", "/v1/project/{project}/service/{service}"},
		{"PostgreSQL", "my-pg", []string{"delete", "ServiceDelete"}, "DELETE", "/v1/project/{project}/service/{service}"},
		{"Database", "orders", []string{"apply", "create", "ServiceDatabaseCreate"}, "POST", "/v1/project/{project}/service/{service}/db"},
		{"Database", "orders", []string{"delete", "ServiceDatabaseDelete"}, "DELETE", "/v1/project/{project}/service/{service}/db/{database}"},
	} {
		var found *span
		for _, trace := range traces {
			if found = trace.find(tc.path...); found != nil && trace.attrs["aero.kind"] == tc.kind {
				assert.Equal(t, tc.name, trace.attrs["aero.name"])
				t.Log("\n" + trace.tree())
				break
			}
			found = nil
		}
		if assert.NotNil(t, found, "%s %v", tc.kind, tc.path) {
			assert.Equal(t, tc.method, found.attrs["http.request.method"])
			assert.Equal(t, tc.route, found.attrs["url.template"])
			assert.Equal(t, "127.0.0.1", found.attrs["server.address"])
			assert.NotEmpty(t, found.attrs["http.response.status_code"])
		}
	}
}

func TestACollectorThatIsDownIsNoError(t *testing.T) {
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100") // milliseconds
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "500")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())

	m := start(testenv.New(t, testenv.Options{Outside: true}), "--tracing-endpoint=http://"+address)
	comeAndGo(m)
	said := func(text string) func() bool {
		return func() bool {
			log, err := os.ReadFile(m.program.Log)
			return err == nil && strings.Count(string(log), text) == 1
		}
	}
	require.Eventually(t, said("Could not send spans: they are dropped"), time.Minute, 50*time.Millisecond, "once, however many batches there were")
	c := collect(t, address)
	require.Eventually(t, func() bool { return c.text() != "" }, time.Minute, 50*time.Millisecond, "it is found when it is back")
	require.Eventually(t, said("Sending spans again"), time.Minute, 50*time.Millisecond)
	assert.True(t, said("Could not send spans: they are dropped")())
	assert.False(t, m.Leaks(c.text()))
}
