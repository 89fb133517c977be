package v1alpha1_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// generated are the field paths whose schema follows what Aiven publishes: newer releases may allow more than the
// recorded copy of aiven-operator's does.
var generated = map[string][]string{
	"Clickhouse":   {"spec.userConfig"},
	"Flink":        {"spec.userConfig"},
	"Grafana":      {"spec.userConfig"},
	"Kafka":        {"spec.userConfig"},
	"KafkaConnect": {"spec.userConfig"},
	"MySQL":        {"spec.userConfig"},
	"OpenSearch":   {"spec.userConfig"},
	"PostgreSQL":   {"spec.userConfig"},
	"Valkey":       {"spec.userConfig"},

	"ServiceIntegration": {
		"spec.autoscaler",
		"spec.clickhouseKafka",
		"spec.clickhousePostgresql",
		"spec.datadog",
		"spec.externalAWSCloudwatchMetrics",
		"spec.kafkaConnect",
		"spec.kafkaLogs",
		"spec.kafkaMirrormaker",
		"spec.logs",
		"spec.metrics",
	},
	"ServiceIntegrationEndpoint": {
		"spec.autoscaler",
		"spec.datadog",
		"spec.externalAWSCloudwatchLogs",
		"spec.externalAWSCloudwatchMetrics",
		"spec.externalElasticsearchLogs",
		"spec.externalGoogleCloudBigquery",
		"spec.externalGoogleCloudLogging",
		"spec.externalKafka",
		"spec.externalOpensearchLogs",
		"spec.externalPostgresql",
		"spec.externalSchemaRegistry",
		"spec.jolokia",
		"spec.prometheus",
		"spec.rsyslog",
	},
}

// reference is what users of aiven-operator rely on, of one kind.
type reference struct {
	Group          string           `json:"group"`
	Version        string           `json:"version"`
	Scope          string           `json:"scope"`
	Names          map[string]any   `json:"names"`
	PrinterColumns []map[string]any `json:"printerColumns"`
	Spec           map[string]any   `json:"spec"`
	Status         map[string]any   `json:"status"`
}

// definition is the part of a CustomResourceDefinition that is compared.
type definition struct {
	Spec struct {
		Group    string         `json:"group"`
		Scope    string         `json:"scope"`
		Names    map[string]any `json:"names"`
		Versions []struct {
			Name    string `json:"name"`
			Served  bool   `json:"served"`
			Storage bool   `json:"storage"`
			Schema  struct {
				OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
			} `json:"schema"`
			Subresources   map[string]any   `json:"subresources"`
			PrinterColumns []map[string]any `json:"additionalPrinterColumns"`
		} `json:"versions"`
	} `json:"spec"`
}

func (d definition) kind() string { return d.Spec.Names["kind"].(string) }

func (d definition) properties() map[string]any {
	return asMap(d.Spec.Versions[0].Schema.OpenAPIV3Schema["properties"])
}

func TestEveryAivenOperatorKindIsBuiltOrKnownToBeMissing(t *testing.T) {
	references, definitions := loadReferences(t), loadDefinitions(t)
	var missing []string
	for kind := range references {
		if _, exists := definitions[kind]; !exists {
			missing = append(missing, kind)
		}
	}
	slices.Sort(missing)
	t.Logf("missing kinds (%d of %d): %s", len(missing), len(references), strings.Join(missing, " "))

	for kind := range definitions {
		_, isRecorded := references[kind]
		assert.True(t, isRecorded, "%s has no schema in testdata/reference", kind)
	}
	recorded := strings.Join(slices.Sorted(maps.Keys(references)), " ")
	require.GreaterOrEqual(t, len(references), 30, "aiven-operator has 30 kinds, and testdata/reference has only %s", recorded)
	kinds := slices.Collect(maps.Keys(newKinds(t)))
	assert.ElementsMatch(t, kinds, slices.Collect(maps.Keys(definitions)), "a kind is a type of the scheme and a CRD")
}

// What has a field that only aero knows can't go back to aiven-operator: what aero adds is in annotations, and in the status.
func TestManifestsForAivenOperatorStayValid(t *testing.T) {
	references := loadReferences(t)
	for kind, ours := range loadDefinitions(t) {
		ref, known := references[kind]
		if !known {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			for _, f := range compareSchemas("spec", ref.Spec, asMap(ours.properties()["spec"])) {
				if !isListed(kind, f) && (!f.looser || !isGenerated(kind, f.path)) {
					t.Error(kind + ": " + f.String())
				}
			}
		})
	}
}

func TestTheStatusHasTheFieldsOfAivenOperator(t *testing.T) {
	references := loadReferences(t)
	for kind, ours := range loadDefinitions(t) {
		ref, known := references[kind]
		if !known {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			status := asMap(ours.properties()["status"])
			assert.Empty(t, status["required"], "an object that was never reconciled has no status")
			assert.Equal(t, map[string]any{"observedGeneration": -1.0}, status["default"], "kstatus has to see InProgress at first")
			assert.Equal(t, "atomic", conditionsOf(status)["x-kubernetes-list-type"])

			for _, f := range compareSchemas("status", ref.Status, withoutOurStatusAdditions(status)) {
				if !f.looser {
					t.Error(kind + ": " + f.String())
				}
			}
		})
	}
}

func TestNamesAreThoseOfAivenOperator(t *testing.T) {
	references := loadReferences(t)
	for kind, ours := range loadDefinitions(t) {
		ref, known := references[kind]
		if !known {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			assert.Equal(t, ref.Group, ours.Spec.Group)
			assert.Equal(t, ref.Scope, ours.Spec.Scope)
			for name, value := range ref.Names {
				assert.Equal(t, value, ours.Spec.Names[name], name)
			}
			require.Len(t, ours.Spec.Versions, 1)
			version := ours.Spec.Versions[0]
			assert.Equal(t, ref.Version, version.Name)
			assert.True(t, version.Served && version.Storage)
			assert.Contains(t, version.Subresources, "status")

			assert.Contains(t, asList(ours.Spec.Names["categories"]), "aiven", "kubectl get aiven lists every kind")
			require.Len(t, asList(ours.Spec.Names["shortNames"]), 1)
			short, _ := asList(ours.Spec.Names["shortNames"])[0].(string)
			assert.Truef(t, strings.HasPrefix(short, "avn"), "another operator may have the short name %s", short)
		})
	}
}

func TestGeneratedPathsNameKindsThatExist(t *testing.T) {
	kinds := newKinds(t)
	for kind := range generated {
		assert.Contains(t, kinds, kind)
	}
}

// isGenerated reports whether a path is inside a part whose schema is generated.
func isGenerated(kind, path string) bool {
	return slices.ContainsFunc(generated[kind], func(prefix string) bool {
		return path == prefix || strings.HasPrefix(path, prefix+".")
	})
}

// withoutOurStatusAdditions drops what ours adds to the status of every kind; the test checks it by itself.
func withoutOurStatusAdditions(status map[string]any) map[string]any {
	out := deepCopy(status)
	delete(out, "default")
	delete(conditionsOf(out), "x-kubernetes-list-type")
	delete(conditionsOf(out), "x-kubernetes-list-map-keys")
	return out
}

func conditionsOf(status map[string]any) map[string]any {
	return asMap(asMap(status["properties"])["conditions"])
}

func loadReferences(t *testing.T) map[string]reference {
	t.Helper()
	out := map[string]reference{}
	for _, file := range glob(t, "testdata/reference/*.json") {
		var ref reference
		require.NoError(t, json.Unmarshal(read(t, file), &ref), file)
		out[ref.Names["kind"].(string)] = ref
	}
	return out
}

func loadDefinitions(t *testing.T) map[string]definition { return definitionsIn(t, "aiven.io_*.yaml") }

// allDefinitions has those of aero-operator.io, too.
func allDefinitions(t *testing.T) map[string]definition { return definitionsIn(t, "*.yaml") }

func definitionsIn(t *testing.T, files string) map[string]definition {
	t.Helper()
	out := map[string]definition{}
	for _, file := range glob(t, "../../config/crd/bases/"+files) {
		var crd definition
		require.NoError(t, yaml.Unmarshal(read(t, file), &crd), file)
		out[crd.kind()] = crd
	}
	return out
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	return files
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return content
}

func deepCopy(in map[string]any) map[string]any {
	raw, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}
