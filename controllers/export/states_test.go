package export

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/kinds"
)

// randomState scripts a state of Aiven, and returns how many objects of a kind manage it.
type randomState func(r *rand.Rand, a *aiventest.Aiven) (objects int)

// states are of all kinds.
var states = map[string]randomState{
	"Clickhouse": serviceState(&v1alpha1.Clickhouse{}, "clickhouse"), "Flink": serviceState(&v1alpha1.Flink{}, "flink"),
	"Grafana": serviceState(&v1alpha1.Grafana{}, "grafana"), "Kafka": serviceState(&v1alpha1.Kafka{}, "kafka"),
	"KafkaConnect": serviceState(&v1alpha1.KafkaConnect{}, "kafka_connect"), "MySQL": serviceState(&v1alpha1.MySQL{}, "mysql"),
	"OpenSearch": serviceState(&v1alpha1.OpenSearch{}, "opensearch"), "PostgreSQL": serviceState(&v1alpha1.PostgreSQL{}, "pg"),
	"Valkey": serviceState(&v1alpha1.Valkey{}, "valkey"),

	"Database": databaseState, "ServiceUser": userState, "ConnectionPool": poolState,
	"KafkaTopic": topicState, "KafkaACL": kafkaACLState, "KafkaNativeACL": nativeACLState, "KafkaSchemaRegistryACL": schemaACLState,
	"KafkaQuota": quotaState, "KafkaSchema": schemaState, "KafkaConnector": connectorState,
	"ClickhouseDatabase": inClickhouse(func(c clickhouseState) int { return len(c.databases) }),
	"ClickhouseUser":     inClickhouse(func(c clickhouseState) int { return len(c.users) }),
	"ClickhouseRole":     inClickhouse(func(c clickhouseState) int { return len(c.roles) }),
	"ClickhouseGrant":    inClickhouse(clickhouseState.granted), "OpenSearchACLConfig": searchState,
	"Project": projectState, "OrganizationProject": organizationProjectState, "ProjectVPC": vpcState, "UpgradePipelineStep": stepState,
	"ServiceIntegration": integrationState, "ServiceIntegrationEndpoint": endpointState,
}

func TestNoKindDiffersOnceItIsExported(t *testing.T) {
	all := map[string]bool{}
	for _, kind := range kinds.All() {
		name := kindOf(kind.GetObject())
		all[name] = true
		t.Run(name, func(t *testing.T) {
			holds, has := states[name]
			require.True(t, has, "%s has no state: add to states a random one of Aiven that objects of the kind manage", name)
			exported := 0
			for seed := range uint64(20) {
				r, a := rand.New(rand.NewPCG(seed, 7)), aiventest.New(t)
				want := holds(r, a)
				exported += want
				o := Options{
					Project: aiventest.Project, Kinds: []string{name}, Verify: true, Namespace: pick(r, "", "team"), Manage: r.IntN(2) == 0,
					IncludeDefaults: r.IntN(2) == 0,
				}
				result, err := export(t.Context(), a.Client(), o)
				require.NoError(t, err)
				assert.Empty(t, result.Differences, "seed %d", seed)
				assert.Empty(t, result.Uncompared, "seed %d", seed)
				assert.Empty(t, result.Unread, "seed %d", seed)
				assert.Len(t, result.Manifests, want, "seed %d: %v", seed, result.Left)
				for _, m := range result.Manifests {
					decodes(t, m, kind.GetObject())
				}
				onlyReads(t, a)
			}
			assert.Positive(t, exported)
		})
	}
	for name := range states {
		assert.Contains(t, all, name, "a state for a kind that doesn't exist")
	}
}

// onlyReads checks that nothing was written: calls are GETs, and SELECTs from ClickHouse's system tables.
func onlyReads(t *testing.T, a *aiventest.Aiven) {
	for _, call := range a.Calls() {
		reads := strings.HasPrefix(call, "GET ") || strings.Contains(call, `/clickhouse/query {"database":"system","query":"SELECT `)
		assert.True(t, reads, call)
	}
}

// decodes checks that a manifest is an object of the kind, and has no field that this doesn't know or changes.
func decodes(t *testing.T, m Manifest, kind client.Object) {
	obj := reflect.New(reflect.TypeOf(kind).Elem()).Interface().(client.Object)
	require.NoError(t, yaml.UnmarshalStrict(m.YAML, obj), string(m.YAML))
	assert.Equal(t, v1alpha1.GroupVersion.WithKind(m.Kind), obj.GetObjectKind().GroupVersionKind())
	assert.Equal(t, m.Name, obj.GetName())
	raw, err := json.Marshal(obj)
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(raw, &fields))
	delete(fields, "status")
	raw, err = json.Marshal(fields)
	require.NoError(t, err)
	written, err := yaml.YAMLToJSON(m.YAML)
	require.NoError(t, err)
	assert.JSONEq(t, string(raw), string(written))
}

// inProject scripts services, and types and plans that Aiven doesn't describe.
func inProject(a *aiventest.Aiven, services ...aiventest.Object) {
	all := []any{}
	for _, changes := range services {
		fields := aiventest.ServiceFields(changes)
		all = append(all, fields)
		name, of := fields["service_name"].(string), fields["service_type"].(string)
		a.On("GET service/"+name, aiventest.OK(aiventest.Object{"service": fields}))
		a.On("GET service-types/"+of, aiventest.Missing())
		a.On("GET service-types/"+of+"/plans/startup-4", aiventest.Missing())
	}
	a.On("GET service", aiventest.OK(aiventest.Object{"services": all}))
}

// randomName is a name at Aiven, of which some can't be names of objects.
func randomName(r *rand.Rand) string { return pick(r, "orders", "Orders_V1", "a.b", "ORDERS", "x-1") }

// some is an entry of a list or none, by chance.
func some(r *rand.Rand, entries ...any) []any {
	kept := []any{}
	for _, entry := range entries {
		if r.IntN(2) == 0 {
			kept = append(kept, entry)
		}
	}
	return kept
}
