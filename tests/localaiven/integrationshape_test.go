package localaiven_test

import (
	"reflect"
	"testing"

	"github.com/aiven/go-client-codegen/handler/opensearch"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// TestIntegrationsHaveTheShapeOfThePublicClient does so for the types of services that are integrated, too.
func TestIntegrationsHaveTheShapeOfThePublicClient(t *testing.T) {
	h := integrated(t, localaiven.Options{})
	h.service(t, proj, "opensearch", "opensearch", "startup-4")
	h.service(t, proj, "graphs", "grafana", "startup-4")
	h.service(t, proj, "stream", "flink", "startup-4")
	id := h.kafkaLogs(t).ServiceIntegrationId
	monitor := h.endpoint(t, "prom", "prometheus", nil)
	spare := h.endpoint(t, "spare", "prometheus", nil)
	h.integrate(t, service.ServiceIntegrationCreateIn{IntegrationType: "prometheus", SourceService: ptr(svcName), DestEndpointId: &monitor})

	type shownACL[T any] struct {
		Config T `json:"opensearch_acl_config"`
	}
	type shownEndpoint[T any] struct {
		ServiceIntegrationEndpoint T `json:"service_integration_endpoint"`
	}
	type shownIntegration[T any] struct {
		ServiceIntegration T `json:"service_integration"`
	}
	const acls = `{"opensearch_acl_config":{"enabled":true,"acls":[{"username":"u","rules":[{"index":"*","permission":"read"}]}]}}`
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceIntegrationCreate": {post, integrationsPath, `{"integration_type":"datasource","source_service":"graphs","dest_service":"opensearch"}`, shownIntegration[service.ServiceIntegrationCreateOut]{}},
		"ServiceIntegrationGet":    {get, integrationsPath + "/" + id, "", shownIntegration[service.ServiceIntegrationGetOut]{}},
		"ServiceIntegrationUpdate": {put, integrationsPath + "/" + id, `{"user_config":{"kafka_topic":"b"}}`, shownIntegration[service.ServiceIntegrationUpdateOut]{}},
		"ServiceIntegrationEndpointCreate": {post, endpointsPath, `{"endpoint_name":"e","endpoint_type":"prometheus","user_config":{}}`,
			shownEndpoint[service.ServiceIntegrationEndpointCreateOut]{}},
		"ServiceIntegrationEndpointGet":    {get, endpointsPath + "/" + monitor, "", shownEndpoint[service.ServiceIntegrationEndpointGetOut]{}},
		"ServiceIntegrationEndpointUpdate": {put, endpointsPath + "/" + monitor, `{"user_config":{"basic_auth_username":"scraper"}}`, shownEndpoint[service.ServiceIntegrationEndpointUpdateOut]{}},
		"ServiceIntegrationEndpointList": {get, endpointsPath, "", struct {
			List []service.ServiceIntegrationEndpointOut `json:"service_integration_endpoints"`
		}{}},
		"ServiceIntegrationEndpointDelete": {del, endpointsPath + "/" + spare, "", struct{ Message string }{}},
		"ServiceOpenSearchAclSet":          {post, searchACLPath, acls, shownACL[opensearch.ServiceOpenSearchAclSetOut]{}},
		"ServiceOpenSearchAclUpdate":       {put, searchACLPath, acls, shownACL[opensearch.ServiceOpenSearchAclUpdateOut]{}},
		"ServiceOpenSearchAclGet":          {get, searchACLPath, "", shownACL[opensearch.ServiceOpenSearchAclGetOut]{}},
		"ServiceGet of PostgreSQL":         {get, servicePath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceGet of OpenSearch":         {get, servicesPath + "/opensearch", "", struct{ Service service.ServiceGetOut }{}},
		"ServiceGet of Grafana":            {get, servicesPath + "/graphs", "", struct{ Service service.ServiceGetOut }{}},
		"ServiceGet of Flink":              {get, servicesPath + "/stream", "", struct{ Service service.ServiceGetOut }{}},
		"ServiceList":                      {get, servicesPath, "", struct{ Services []service.ServiceOut }{}},
		"ServiceCreate of a replica": {post, servicesPath, `{"service_name":"copy","service_type":"pg","plan":"startup-4","service_integrations":` +
			`[{"integration_type":"read_replica","source_service":"` + svcName + `"}]}`, struct{ Service service.ServiceCreateOut }{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}
