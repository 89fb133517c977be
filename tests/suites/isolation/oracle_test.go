package isolation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAWriteToWhatAnotherHasIsSeen(t *testing.T) {
	v := &visit{
		before: map[string]int{"project " + bank: 1, "service " + bank + "/my-pg": 1, "database " + bank + "/my-pg/orders": 1},
		withID: map[string]string{
			"vpc-1": "project_vpc " + bank + "/aws/10.0.0.0/24", "endpoint-1": "service_integration_endpoint " + bank + "/datadog/dd",
			"step-1": "upgrade_pipeline_step " + legacy + "/a", "integration-1": "service_integration " + bank + "/logs/a/b",
		},
	}
	for name, tc := range map[string]struct{ method, path, want string }{
		"its VPC":                      {"DELETE", "/v1/project/" + bank + "/vpcs/vpc-1", v.withID["vpc-1"]},
		"its endpoint":                 {"PUT", "/v1/project/" + bank + "/integration_endpoint/endpoint-1", v.withID["endpoint-1"]},
		"its integration":              {"DELETE", "/v1/project/" + bank + "/integration/integration-1", v.withID["integration-1"]},
		"its project":                  {"PUT", "/v1/project/" + bank, "project " + bank},
		"its service":                  {"PUT", "/v1/project/" + bank + "/service/my-pg", "service " + bank + "/my-pg"},
		"its database":                 {"DELETE", "/v1/project/" + bank + "/service/my-pg/db/orders", "database " + bank + "/my-pg/orders"},
		"a read":                       {"GET", "/v1/project/" + bank + "/vpcs/vpc-1", ""},
		"a VPC of its own":             {"DELETE", "/v1/project/" + bank + "/vpcs/vpc-2", ""},
		"one more VPC":                 {"POST", "/v1/project/" + bank + "/vpcs", ""},
		"what is nothing but its spec": {"DELETE", "/v1/upgrade-pipeline/steps/step-1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, v.writesTo(call{method: tc.method, path: tc.path}))
		})
	}
}
