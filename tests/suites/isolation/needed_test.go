package isolation_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/tenant"
)

// needed are the kinds in whose resources others live.
var needed = []string{"PostgreSQL", "Kafka", "Clickhouse", "OpenSearch", "Database", "ServiceUser", "ClickhouseUser", "ClickhouseDatabase", "ServiceIntegrationEndpoint"}

// unneeded are the kinds whose names others have in their specs, in the same service, and whose resources can go all the same.
var unneeded = map[string]string{
	"KafkaACL": rule, "KafkaNativeACL": rule, "KafkaQuota": rule, "KafkaSchemaRegistryACL": rule,
	"KafkaTopic": "ACLs and connectors may name topics that don't exist",
}

const rule = "others name the user that it is about, after whom it is named"

func TestWhatOthersNameIsNeededOrHasAReasonNotToBe(t *testing.T) {
	all, named := manifests(t), map[string]bool{}
	for _, example := range all {
		kind := kindIn(example)
		named[kind] = named[kind] || slices.ContainsFunc(all, func(other map[string]any) bool { return names(other, example) })
		if named[kind] {
			assert.True(t, slices.Contains(needed, kind) != (unneeded[kind] != ""),
				"others name the example of %s: if they live in it, add it to needed, or else the reason not to unneeded", kind)
		}
	}
	for _, kind := range slices.Concat(needed, slices.Collect(maps.Keys(unneeded))) {
		assert.True(t, named[kind], "no example names that of %s", kind)
	}
}

func kindIn(manifest map[string]any) string {
	return (&unstructured.Unstructured{Object: manifest}).GetKind()
}

// names reports whether an example names another one: a service, an endpoint, or what is in the same service.
func names(example, other map[string]any) bool {
	spec, name := example["spec"].(map[string]any), (&unstructured.Unstructured{Object: other}).GetName()
	if service := other["spec"].(map[string]any)["serviceName"]; service != nil {
		return kindIn(example) != kindIn(other) && spec["serviceName"] == service && tenant.Holds(spec, name)
	}
	return slices.Contains([]any{spec["serviceName"], spec["sourceServiceName"], spec["destinationServiceName"]}, any(name)) ||
		tenant.Holds(spec["destinationEndpointRef"], name)
}

// isLeaf reports whether the resource of an object can go without those of others.
func isLeaf(obj client.Object) bool { return !slices.Contains(needed, kindOf(obj)) }
