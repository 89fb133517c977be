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
	"Clickhouse":                 "a service: its calls are those of PostgreSQL",
	"ClickhouseDatabase":         "calls follow those of Database, with a list of its own",
	"ClickhouseRole":             "one statement for each, and a SELECT that all roles of a service share",
	"ClickhouseUser":             "calls follow those of ServiceUser, with a list of its own",
	"Flink":                      "a service: its calls are those of PostgreSQL, without the CA",
	"Grafana":                    "a service: its calls are those of PostgreSQL, without the CA",
	"ClickhouseGrant":            "a statement for each user, role and database, and lists of its own for each service",
	"Kafka":                      "a service: its calls are those of PostgreSQL",
	"KafkaACL":                   "calls follow those of Database, with a list of its own",
	"KafkaConnect":               "a service: its calls are those of PostgreSQL, without the CA",
	"KafkaConnector":             "calls follow those of KafkaTopic, with a list of its own and a read of its state for each poll",
	"KafkaNativeACL":             "calls follow those of Database, with a list of its own",
	"KafkaQuota":                 "calls follow those of Database, and its list costs a call a minute for a service",
	"KafkaSchemaRegistryACL":     "calls follow those of Database, with a list of its own",
	"KafkaSchema":                "calls follow those of KafkaTopic, with two more that read the version that was registered",
	"KafkaTopic":                 "calls follow those of ConnectionPool, with a list of its own",
	"MySQL":                      "a service: its calls are those of PostgreSQL",
	"OpenSearch":                 "a service: its calls are those of PostgreSQL",
	"OrganizationProject":        "lives in no service, and costs a list of its organization a minute",
	"Project":                    "lives in no service, and costs a ProjectList a minute, for all projects of a token",
	"OpenSearchACLConfig":        "one call to set it, and one list of its own for each service",
	"ProjectVPC":                 "lives in no service, and costs a VpcList a minute for a project",
	"ServiceIntegration":         "one call to create, and the services at its ends show it: its calls are those of Database",
	"ServiceIntegrationEndpoint": "lives in no service, and costs a list a minute for a project, and a read a poll if it has credentials",
	"UpgradePipelineStep":        "lives in no service, and costs a list a minute for an organization",
	"Valkey":                     "a service: its calls are those of PostgreSQL",
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
