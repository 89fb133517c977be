package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// services are the kinds that may be created as a replica.
var services = []string{"Clickhouse", "Flink", "Grafana", "Kafka", "KafkaConnect", "MySQL", "OpenSearch", "PostgreSQL", "Valkey"}

// ruled are the kinds of aiven.io whose rules are tested here.
var ruled = append([]string{"KafkaConnector", "Project", "UpgradePipelineStep"}, services...)

// named is an object orders of a kind, with a spec in YAML.
func named(t *testing.T, kind, spec string) map[string]any {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(spec), &fields))
	return runtime.DeepCopyJSON(map[string]any{
		"apiVersion": "aiven.io/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "orders"}, "spec": fields,
	})
}

const (
	connectorSpec = `{project: p, serviceName: events, connectorClass: c, userConfig: {%}}`
	stepSpec      = `{organizationId: o, sourceProjectName: p, destinationProjectName: %, sourceServiceName: xx, destinationServiceName: xx}`
	serviceSpec   = `{project: p, plan: startup-4, serviceIntegrations: [{integrationType: read_replica, sourceServiceName: %}]}`
)

// inputs have what a rule refuses, what is like it and isn't refused.
var inputs = map[string]struct{ kind, spec, bad, says, good string }{
	"a connector of another name": {
		"KafkaConnector", connectorSpec, "name: other", "spec.userConfig: Invalid value: name must be the name of this object: remove it", "name: orders",
	},
	"a copy of itself": {
		"Project", `{copyFromProject: %, cloud: a}`, "orders", "spec.copyFromProject: Invalid value: a project can't be a copy of itself: remove the field", "other",
	},
	"a step to itself": {
		"UpgradePipelineStep", stepSpec, "p", "spec.destinationServiceName: Invalid value: must be another service than the source: name another one", "q",
	},
}

func TestASpecThatCannotBeIsRefusedAtAdmission(t *testing.T) {
	for _, kind := range services {
		inputs["a replica of itself, "+kind] = struct{ kind, spec, bad, says, good string }{
			kind, serviceSpec, "orders", "spec.serviceIntegrations: Invalid value: a service can't be a replica of itself: remove the field", "other",
		}
	}
	for name, tc := range inputs {
		t.Run(name, func(t *testing.T) {
			of := func(value string) map[string]any { return named(t, tc.kind, strings.ReplaceAll(tc.spec, "%", value)) }
			assert.ErrorContains(t, refusal(admit(t, of(tc.bad), nil)), tc.says)
			assert.Empty(t, admit(t, of(tc.good), nil))
			edited := of(tc.bad)
			edited["spec"].(map[string]any)["authSecretRef"] = map[string]any{"name": "token", "key": "token"}
			edited["status"] = map[string]any{"observedGeneration": int64(1)}
			assert.Empty(t, admit(t, edited, of(tc.bad)), "an older object stays editable")
		})
	}
}

func TestAConnectorsNameMayComeFromATemplate(t *testing.T) {
	of := func(name string) map[string]any {
		return named(t, "KafkaConnector", strings.ReplaceAll(connectorSpec, "%", name))
	}
	assert.Empty(t, admit(t, of(`name: '{{ fromSecret "a" "b" }}'`), nil), "which is checked once it is rendered")
	assert.Empty(t, admit(t, of(""), nil))
	assert.Contains(t, admit(t, of("name: third"), of("name: other")), "remove it", "another bad name is refused")
	assert.Contains(t, admit(t, of("name: other"), of("")), "remove it")
}
