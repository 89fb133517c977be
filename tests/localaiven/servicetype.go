package localaiven

import (
	"fmt"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// typeRoutes describe types of services, and their plans.
func (s *Server) typeRoutes() []route {
	return []route{
		{"GET /service-types/{type}", "ProjectServiceTypesGet", s.typeGet},
		{"GET /service-types/{type}/plans/{plan}", "ProjectServicePlanSpecsGet", s.planGet},
		{"GET /pricing/service-types/{type}/plans/{plan}/clouds/{cloud}", "ProjectServicePlanPriceGet", s.priceGet},
	}
}

// typeOf is the type that a path names, in a project that the caller may read.
func (s *Server) typeOf(c *call) (*kind, *apiError) {
	if _, fail := s.read(c); fail != nil {
		return nil, fail
	}
	known, ok := kinds[c.PathValue("type")]
	if !ok {
		return nil, notFound("Service type")
	}
	return known, nil
}

func (s *Server) typeGet(c *call) (any, *apiError) {
	known, fail := s.typeOf(c)
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"description": known.description, "user_config_schema": userconfig.OfService(known.name).Public()}, nil
}

// planGet has the disk of the whole service, as the service itself shows it.
func (s *Server) planGet(c *call) (any, *apiError) {
	known, fail := s.typeOf(c)
	if fail != nil {
		return nil, fail
	}
	bought, fail := known.plan(c.PathValue("plan"))
	if fail != nil {
		return nil, fail
	}
	return map[string]any{"service_type": known.name, "service_plan": bought.name, "disk_space_mb": bought.diskMB, "node_count": bought.nodes}, nil
}

// dollarsPerGB is the price of an hour and a GiB of memory. It is invented: Aiven's prices depend on type, plan and cloud.
const dollarsPerGB = 0.02

// priceGet has the price of an hour, by the memory of all nodes. It is the same in all clouds.
func (s *Server) priceGet(c *call) (any, *apiError) {
	known, fail := s.typeOf(c)
	if fail != nil {
		return nil, fail
	}
	bought, fail := known.plan(c.PathValue("plan"))
	if fail != nil {
		return nil, fail
	}
	if fail := cloud(c.PathValue("cloud")); fail != nil {
		return nil, fail
	}
	hourly := dollarsPerGB * float64(bought.memoryMB/1024*bought.nodes)
	return map[string]any{
		"service_type": known.name, "service_plan": bought.name, "cloud_name": c.PathValue("cloud"), "base_price_usd": fmt.Sprintf("%.5f", hourly),
	}, nil
}

// secretKeys are those that the configuration of a plugin declares as passwords, of plugins that tests use.
var secretKeys = map[string][]string{
	"io.aiven.kafka.connect.http.HttpSinkConnector":              {"http.headers.authorization", "oauth2.client.secret"},
	"io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector": {"aws.secret.access.key"},
	"io.aiven.connect.jdbc.JdbcSinkConnector":                    {"connection.password"},
}

// pluginGet describes the configuration of a plugin: its keys that are secret, and one that every connector has.
func (s *Server) pluginGet(c *call) (any, *apiError) {
	described := []any{map[string]any{"name": "topics", "type": "LIST"}}
	for _, key := range secretKeys[c.PathValue("class")] {
		described = append(described, map[string]any{"name": key, "type": "PASSWORD"})
	}
	return map[string]any{"configuration_schema": described}, nil
}
