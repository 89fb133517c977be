package main

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/kinds"
)

// unmeasured are the kinds whose lives the bench doesn't measure, with the reason.
var unmeasured = map[string]string{
	"Clickhouse":                 "",
	"ClickhouseDatabase":         "",
	"ClickhouseGrant":            "a statement for each user, role and database, and lists of its own for each service",
	"ClickhouseRole":             "",
	"ClickhouseUser":             "",
	"Flink":                      "",
	"Grafana":                    "",
	"Kafka":                      "a service: its calls are those of PostgreSQL",
	"KafkaACL":                   "calls follow those of Database, with a list of its own",
	"KafkaConnect":               "",
	"KafkaConnector":             "",
	"KafkaNativeACL":             "",
	"KafkaQuota":                 "",
	"KafkaSchema":                "",
	"KafkaSchemaRegistryACL":     "",
	"KafkaTopic":                 "calls follow those of ConnectionPool, with a list of its own",
	"MySQL":                      "",
	"OpenSearch":                 "",
	"OpenSearchACLConfig":        "one call to set it, and one list of its own for each service",
	"OrganizationProject":        "",
	"Project":                    "",
	"ProjectVPC":                 "lives in no service, and costs a VpcList a minute for a project",
	"ServiceIntegration":         "",
	"ServiceIntegrationEndpoint": "",
	"UpgradePipelineStep":        "",
	"Valkey":                     "",
}

func TestEveryKindIsMeasuredOrHasAReasonNotToBe(t *testing.T) {
	measured := map[string]bool{}
	for _, k := range allKinds() {
		measured[k.name] = true
		assert.NotContains(t, unmeasured, k.name, "it is measured")
	}
	known := map[string]bool{}
	for _, kind := range kinds.All() {
		name := reflect.TypeOf(kind.GetObject()).Elem().Name()
		known[name] = true
		assert.True(t, measured[name] || unmeasured[name] != "", "measure %s in allKinds of tests/bench/kinds.go, or give the reason not to in unmeasured", name)
	}
	for name := range unmeasured {
		assert.True(t, known[name], "the operator has no kind %s", name)
	}
}

func TestEveryKindHasAnExampleAndAChange(t *testing.T) {
	o := options{root: filepath.Join("..", "..")}
	for _, k := range allKinds() {
		t.Run(k.name, func(t *testing.T) {
			require.NoError(t, o.read(k.example, k.object))
			if k.prepare != nil {
				k.prepare(k.object)
			}
			before := k.object.DeepCopyObject()
			k.change(k.object)
			assert.NotEqual(t, before, k.object)
		})
	}
	require.Error(t, o.read("database", &v1alpha1.PostgreSQL{}), "fields of another kind")
}
