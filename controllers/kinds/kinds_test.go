package kinds

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
)

const examples = "../../docs/examples"

func TestKindsAreSortedAndListedOnce(t *testing.T) {
	var names []string
	for _, kind := range All() {
		names = append(names, reflect.TypeOf(kind.GetObject()).Elem().Name())
	}
	sorted := slices.Sorted(slices.Values(names))
	assert.Equal(t, sorted, names)
	assert.Len(t, slices.Compact(sorted), len(names))
}

func TestEveryKindHasAnExample(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	for _, kind := range All() {
		gvk, err := apiutil.GVKForObject(kind.GetObject(), scheme)
		require.NoError(t, err)
		t.Run(gvk.Kind, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(examples, strings.ToLower(gvk.Kind)+".yaml"))
			require.NoError(t, err)
			obj, err := scheme.New(gvk)
			require.NoError(t, err)
			require.NoError(t, yaml.UnmarshalStrict(raw, obj), "the example has a field that the kind doesn't have")
			assert.Equal(t, gvk, obj.GetObjectKind().GroupVersionKind())
		})
	}
}

// Aiven has the names of services of all types in one space: a Kafka and a PostgreSQL of one name are the same resource.
func TestEveryServiceKindSharesItsNamesWithTheOthers(t *testing.T) {
	services := 0
	for _, registered := range All() {
		kind := reflect.ValueOf(registered)
		if !kind.FieldByName("IsService").Bool() {
			continue
		}
		services++
		object := reflect.ValueOf(registered.GetObject())
		identity := kind.FieldByName("Identity").Call([]reflect.Value{object})[0].Interface()
		assert.Equal(t, controllers.Identity{Group: "service"}, identity, "%T", registered.GetObject())
	}
	assert.GreaterOrEqual(t, services, 2)
}

// Whether its resources hold data decides what a kind creates again, empty, without consent.
func TestWhetherTheResourcesOfAKindHoldDataIsSaidTwice(t *testing.T) {
	holds := map[string]bool{
		"Project": true, "OrganizationProject": true, "PostgreSQL": true, "MySQL": true, "Kafka": true, "KafkaConnect": true, "OpenSearch": true, "Grafana": true,
		"Clickhouse": true, "Flink": true, "Valkey": true, "Database": true, "KafkaTopic": true, "ClickhouseDatabase": true,
		"KafkaSchema": false, "ProjectVPC": false, "ServiceUser": false, "ClickhouseUser": false, "ClickhouseRole": false, "ClickhouseGrant": false,
		"ConnectionPool": false, "KafkaACL": false, "KafkaNativeACL": false, "KafkaSchemaRegistryACL": false, "KafkaQuota": false, "KafkaConnector": false,
		"OpenSearchACLConfig": false, "ServiceIntegration": false, "ServiceIntegrationEndpoint": false, "UpgradePipelineStep": false,
	}
	for _, registered := range All() {
		name := reflect.TypeOf(registered.GetObject()).Elem().Name()
		said, known := holds[name]
		assert.True(t, known && said == reflect.ValueOf(registered).FieldByName("HoldsData").Bool(), "%s: say here, too, whether its resources hold data", name)
	}
}
