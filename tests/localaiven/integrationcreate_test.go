package localaiven_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// replica asks for a service that copies svcName.
func (h *harness) replica(t testing.TB, name string) (*service.ServiceCreateOut, error) {
	t.Helper()
	return h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: name, ServiceType: "pg", Plan: "startup-4",
		ServiceIntegrations: &[]service.ServiceIntegrationIn{{IntegrationType: "read_replica", SourceService: ptr(svcName)}},
	})
}

func TestAReadReplicaIsCreatedWithItsIntegration(t *testing.T) {
	h := running(t, localaiven.Options{})
	made, err := h.replica(t, "copy")
	require.NoError(t, err)
	require.Len(t, made.ServiceIntegrations, 1)
	link := made.ServiceIntegrations[0]
	assert.Equal(t, []any{service.IntegrationTypeReadReplica, svcName, "copy", true, true},
		[]any{link.IntegrationType, link.SourceService, *link.DestService, link.Active, link.Enabled})
	assert.Equal(t, made.ServiceIntegrations, h.shownAt(t, proj, svcName))
	assert.Equal(t, made.ServiceIntegrations, h.shownAt(t, proj, "copy"))
	assertRefused(t, h, "x", badCall{post, integrationsPath,
		`{"integration_type":"read_replica","source_service":"` + svcName + `","dest_service":"copy"}`, 409, "already exists"})

	_, err = h.replica(t, "second")
	require.NoError(t, err)
	assert.Len(t, h.shownAt(t, proj, svcName), 2)
	require.NoError(t, h.client.ServiceIntegrationDelete(t.Context(), proj, link.ServiceIntegrationId))
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	assert.Empty(t, h.shownAt(t, proj, "second"), "a replica outlives its source")
}

func TestAServiceIsCreatedWithOtherIntegrations(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: "graphs", ServiceType: "grafana", Plan: "startup-4",
		ServiceIntegrations: &[]service.ServiceIntegrationIn{
			{IntegrationType: "kafka_logs", DestService: ptr(kafkaName), UserConfig: &map[string]any{"kafka_topic": "a"}},
			{IntegrationType: "dashboard", SourceService: ptr("graphs"), DestService: ptr(kafkaName)},
		},
	})
	require.NoError(t, err)
	var types []string
	for _, i := range h.shownAt(t, proj, kafkaName) {
		assert.Equal(t, "graphs", i.SourceService)
		types = append(types, string(i.IntegrationType))
	}
	assert.Equal(t, []string{"kafka_logs", "dashboard"}, types)
}

func TestRefusedIntegrationsOfANewService(t *testing.T) {
	h := integrated(t, localaiven.Options{})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: "building", ServiceType: "pg", Plan: "startup-4"})
	require.NoError(t, err)
	h.service(t, proj, "off", "pg", "startup-4")
	_, err = h.client.ServiceUpdate(t.Context(), proj, "off", &service.ServiceUpdateIn{Powered: ptr(false)})
	require.NoError(t, err)
	_, err = h.client.ServiceUpdate(t.Context(), proj, "building", &service.ServiceUpdateIn{Powered: ptr(false)})
	require.NoError(t, err)
	_, err = h.client.ServiceUpdate(t.Context(), proj, "building", &service.ServiceUpdateIn{Powered: ptr(true)})
	require.NoError(t, err)
	with := func(integrations string) string {
		return `{"service_name":"copy","service_type":"pg","plan":"startup-4","service_integrations":[` + integrations + `]}`
	}
	replica := func(source string) string {
		return `{"integration_type":"read_replica","source_service":"` + source + `"}`
	}
	for name, c := range map[string]badCall{
		"an unknown source":         {post, servicesPath, with(replica("nope")), 404, "Service nope does not exist"},
		"a source of another type":  {post, servicesPath, with(replica(kafkaName)), 400, "type kafka"},
		"a source that is built":    {post, servicesPath, with(replica("building")), 409, "REBUILDING"},
		"a source without power":    {post, servicesPath, with(replica("off")), 409, "POWEROFF"},
		"itself as the source":      {post, servicesPath, with(`{"integration_type":"read_replica","source_service":"copy"}`), 400, "another service"},
		"itself as both ends":       {post, servicesPath, with(`{"integration_type":"read_replica","source_service":"copy","dest_service":"copy"}`), 400, "another service"},
		"not itself at all":         {post, servicesPath, with(`{"integration_type":"read_replica","source_service":"` + svcName + `","dest_service":"off"}`), 400, "copy"},
		"itself as the source only": {post, servicesPath, with(`{"integration_type":"read_replica","dest_service":"` + svcName + `"}`), 400, "dest_service"},
		"an unknown type":           {post, servicesPath, with(`{"integration_type":"magic","source_service":"` + svcName + `"}`), 400, "magic"},
		"the same twice":            {post, servicesPath, with(replica(svcName) + "," + replica(svcName)), 409, "already exists"},
		"a good and a bad one":      {post, servicesPath, with(replica(svcName) + `,{"integration_type":"kafka_logs","dest_service":"` + kafkaName + `"}`), 400, "kafka_topic"},
		"a service that exists":     {post, servicesPath, strings.Replace(with(replica(svcName)), "copy", "off", 1), 409, "already exists"},
		"a replica of another type": {post, servicesPath, strings.NewReplacer(`"pg"`, `"kafka"`, "startup-4", "business-4").Replace(with(replica(svcName))), 400, "type kafka"},
	} {
		t.Run(name, func(t *testing.T) {
			assertRefused(t, h, "x", c)
			assert.Empty(t, h.shownAt(t, proj, svcName), "half of it was done")
		})
	}
	_, err = h.client.ServiceGet(t.Context(), proj, "copy")
	assert.Error(t, err)
}

// TestIntegrationsInParallel makes, reads and removes at once. No integration is left whose end is gone.
func TestIntegrationsInParallel(t *testing.T) {
	h := integrated(t, localaiven.Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprintf("pg-%d", i)
			body := `{"service_name":"` + name + `","service_type":"pg","plan":"startup-4","service_integrations":[` +
				`{"integration_type":"read_replica","source_service":"` + svcName + `"}]}`
			h.send(t, post, servicesPath, "x", body)
			h.send(t, post, integrationsPath, "x", `{"integration_type":"kafka_logs","source_service":"`+name+
				`","dest_service":"`+kafkaName+`","user_config":`+logsConfig+`}`)
			h.send(t, get, servicesPath, "x", "")
			if i%2 == 0 {
				h.send(t, del, servicesPath+"/"+name, "x", "")
			}
		})
	}
	all.Go(func() { h.send(t, del, servicePath, "x", "") })
	all.Wait()
	list, err := h.client.ServiceList(t.Context(), proj)
	require.NoError(t, err)
	there := map[string]bool{}
	for _, svc := range list {
		there[svc.ServiceName] = true
	}
	for _, svc := range list {
		for _, i := range svc.ServiceIntegrations {
			assert.True(t, there[i.SourceService], i.SourceService)
			assert.True(t, there[*i.DestService], *i.DestService)
		}
	}
}
