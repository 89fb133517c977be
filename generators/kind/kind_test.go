package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const here = "../.."

func TestEveryRecordedKindCanBeWritten(t *testing.T) {
	known, err := knownKinds(here)
	require.NoError(t, err)
	assert.ElementsMatch(t, served(t), known, "the CRDs of aiven.io, and the recorded kinds")
	for _, name := range known {
		t.Run(name, func(t *testing.T) {
			k, err := newKind(here, name, likelyPlace(t, name))
			require.NoError(t, err)
			structs, err := k.structs()
			require.NoError(t, err)
			assert.Contains(t, structs, "type "+name+"Spec struct")
			fresh := &tree{root: t.TempDir(), files: map[string]string{}}
			require.NoError(t, addTypes(fresh, k))
			require.NoError(t, addController(fresh, k))
			require.NoError(t, addExample(fresh, k))
		})
	}
}

// served lists the CRDs of aiven.io, by kind.
func served(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(here, "config/crd/bases/aiven.io_*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var kinds []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		kind := regexp.MustCompile(`(?m)^    kind: (\w+)$`).FindSubmatch(data) // of spec.names
		require.NotNil(t, kind, file)
		kinds = append(kinds, string(kind[1]))
	}
	return kinds
}

// likelyPlace is a place that the spec of a kind names.
func likelyPlace(t *testing.T, name string) string {
	t.Helper()
	r, err := readRecorded(here, name)
	require.NoError(t, err)
	for _, guess := range []struct{ property, in string }{
		{"plan", inService}, {"serviceName", "kafka"}, {"organizationId", inOrganization}, {"project", inProject},
	} {
		if r.Spec.Properties[guess.property] != nil {
			return guess.in
		}
	}
	return anywhere
}

func TestWhatCannotBeWrittenIsRefusedAndNothingIsWritten(t *testing.T) {
	root := repository(t)
	record(t, root, "KafkaSampleQuota", "KafkaQuota")
	record(t, root, "UnknownSQL", "MySQL")
	_, err := generate(root, "KafkaSampleQuota", "kafka")
	require.NoError(t, err)
	before := snapshot(t, root)
	for name, tc := range map[string]struct{ kind, in, want string }{
		"a kind for the second time":    {"KafkaSampleQuota", "kafka", "api/v1alpha1/kafkasamplequota_types.go exists already"},
		"a kind that is built":          {"KafkaTopic", "kafka", "api/v1alpha1/kafkatopic_types.go exists already"},
		"an unknown kind":               {"KafkaQuotas", "kafka", `unknown kind "KafkaQuotas": the recorded ones are Clickhouse, ClickhouseDatabase,`},
		"a kind without a schema":       {"KafkaQuotas", "kafka", "Valkey. For another one, write its schema into api/v1alpha1/testdata/reference first"},
		"no kind":                       {"", "kafka", "the recorded ones are Clickhouse"},
		"an unknown place":              {"KafkaSchema", "kafkas", `unknown place "kafkas": the known ones are service, project, organization,`},
		"no place":                      {"KafkaSchema", "", "the known ones are service"},
		"a place that isn't in a spec":  {"KafkaSchema", inOrganization, `KafkaSchema can't be in "organization": it has no spec.organizationId`},
		"a service that isn't a kind's": {"KafkaSchema", inService, `KafkaSchema can't be in "service": it has no spec.plan`},
		"a service of an unknown type":  {"UnknownSQL", inService, "unknown service UnknownSQL: add its type, folder, title and a plan to products in generators/kind/kind.go"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := generate(root, tc.kind, tc.in)
			require.ErrorContains(t, err, tc.want)
		})
	}
	assert.Equal(t, before, snapshot(t, root))
}

// snapshot are the texts of the files that the generator edits, and the names of those beside them.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*", "api/v1alpha1/*.go", "controllers/kinds/*.go", "controllers/kinds/*/*.go", "tests/suites/conformance/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				raw, err := os.ReadFile(file)
				require.NoError(t, err)
				out[file] = string(raw)
			}
		}
	}
	return out
}

func TestFieldsComeFromTheSchema(t *testing.T) {
	for name, tc := range map[string]struct{ kind, in, want string }{
		"a rule against changes":      {"KafkaQuota", "kafka", "// Description missing. Immutable.\n\t// +kubebuilder:validation:MinLength=1\n\t// +kubebuilder:validation:MaxLength=64\n\t// +kubebuilder:validation:XValidation:rule=\"self == oldSelf\",message=\"field is immutable: create another object instead\"\n\t// +optional\n\tUser string `json:\"user,omitempty\"`"},
		"a rule of the spec":          {"KafkaQuota", "kafka", `XValidation:rule="has(self.user) || has(self.clientId)",message="At least one of user or clientId must be set"` + "\n// +kubebuilder"},
		"an optional number":          {"KafkaQuota", "kafka", "ConsumerByteRate *int64 `json:\"consumerByteRate,omitempty\"`"},
		"a default":                   {"UpgradePipelineStep", inOrganization, "// +kubebuilder:default=7\n"},
		"a list with keys":            {"KafkaSchema", "kafka", "// +listType=map\n\t// +listMapKey=name\n\t// +optional\n\tReferences []KafkaSchemaReferences"},
		"a rule of an item":           {"KafkaSchema", "kafka", "message=\"set both subject and version, or set kafkaSchemaRef, but not both\"\ntype KafkaSchemaReferences struct"},
		"the rules of an object once": {"ServiceIntegration", inProject, "\n// ServiceIntegrationDestinationEndpointRef is a part of ServiceIntegration.\ntype ServiceIntegrationDestinationEndpointRef struct"},
		"an enum":                     {"KafkaSchema", "kafka", `+kubebuilder:validation:Enum="AVRO";"JSON";"PROTOBUF"`},
		"a time":                      {"UpgradePipelineStep", inOrganization, "ValidatedAt *metav1.Time `json:\"validatedAt,omitempty\"`"},
		"a validated item":            {"OrganizationProject", inOrganization, "+kubebuilder:validation:items:MaxLength=254"},
		"the groups of a service":     {"MySQL", inService, "type MySQLSpec struct {\n\tServiceCommonSpec `json:\",inline\"`\n"},
		"a service without a Secret":  {"KafkaConnect", inService, "type KafkaConnectSpec struct {\n\tBaseServiceFields `json:\",inline\"`\n"},
		"the groups of a user":        {"ClickhouseUser", "clickhouse", "\tServiceDependant `json:\",inline\"`\n\tSecretFields     `json:\",inline\"`\n"},
		"a shared type":               {"ClickhouseUser", "clickhouse", "ConnInfoSecretSource *ConnInfoSecretSource `json"},
		"generated options":           {"MySQL", inService, "UserConfig *mysqluserconfig.MysqlUserConfig `json"},
		"a column":                    {"KafkaQuota", "kafka", `// +kubebuilder:printcolumn:name="Client ID",type="string",JSONPath=".spec.clientId"`},
		"the column of a Secret":      {"ClickhouseUser", "clickhouse", `name="Secret",type="string",JSONPath=".status.binding.name"` + "\n"},
		"the Secret in a wide table":  {"MySQL", inService, `name="Secret",type="string",JSONPath=".status.binding.name",priority=1` + "\n"},
		"a column without room":       {"KafkaSchema", "kafka", `JSONPath=".status.version",priority=1` + "\n"},
		"a short name":                {"KafkaQuota", "kafka", "singular=kafkaquota,shortName=avnquota,"},
		"a comment on the kind":       {"KafkaQuota", "kafka", "\n// KafkaQuota is a resource of Aiven. Description missing.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := newKind(here, tc.kind, tc.in)
			require.NoError(t, err)
			fresh := &tree{root: t.TempDir(), files: map[string]string{}}
			require.NoError(t, addTypes(fresh, k))
			assert.Contains(t, fresh.files["api/v1alpha1/"+strings.ToLower(tc.kind)+"_types.go"], tc.want)
		})
	}
}

func TestFilesOfControllersAreNamedByTheirVariables(t *testing.T) {
	for name, tc := range map[string]struct{ kind, in, want string }{
		"a service":            {"MySQL", inService, "mysql/service.go"},
		"a word":               {"KafkaQuota", "kafka", "kafka/quota.go"},
		"several words":        {"KafkaSchemaRegistryACL", "kafka", "kafka/schemaregistryacl.go"},
		"a part of a word":     {"KafkaConnector", "kafka_connect", "kafkaconnect/connector.go"},
		"outside of a service": {"OrganizationProject", inOrganization, "account/organizationproject.go"},
		"an integration":       {"ServiceIntegration", inProject, "integration/integration.go"},
		"of an integration":    {"ServiceIntegrationEndpoint", inProject, "integration/endpoint.go"},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := newKind(here, tc.kind, tc.in)
			require.NoError(t, err)
			assert.Equal(t, "controllers/kinds/"+tc.want, k.file())
		})
	}
}

func TestGoNamesOfProperties(t *testing.T) {
	for property, want := range map[string]string{
		"clientId": "ClientID", "id": "ID", "acl_id": "ACLID", "disk_space": "DiskSpace", "networkCidr": "NetworkCidr",
		"sourceEndpointID": "SourceEndpointID", "externalAWSCloudwatchLogs": "ExternalAWSCloudwatchLogs",
	} {
		assert.Equal(t, want, fieldName(property))
	}
}

func TestTheServiceOfAProductIsAddedOnce(t *testing.T) {
	text := "var (\n\tinPostgres = &parent{\"PostgreSQL\"}\n)\n"
	for range 2 {
		var err error
		text, err = addParent(text, products[0])
		require.NoError(t, err)
	}
	assert.Equal(t, 1, strings.Count(text, "inClickhouse = &parent{\"Clickhouse\", \"clickhouse\", \"my-clickhouse\", \"clickhouse\", \"startup-16\"}"), text)
}

func TestListWithoutItsPlaceIsRefused(t *testing.T) {
	for name, change := range map[string]func(text string) (string, error){
		"no begin": func(text string) (string, error) { return insertSorted(text, "begin", "}", "line", strings.Compare) },
		"no end": func(text string) (string, error) {
			return insertSorted("begin\n"+text, "begin", "}", "line", strings.Compare)
		},
		"no flag":    func(text string) (string, error) { return addOptions(text, "mysql") },
		"no changes": func(text string) (string, error) { return addChange(text, &kind{recorded: &recorded{}}) },
		"no entries": func(text string) (string, error) { return insertEntry(text, "kafkaKinds", "Kind", "entry") },
		"no parents": func(text string) (string, error) { return addParent(text, products[0]) },
		"entries open": func(text string) (string, error) {
			return insertEntry("var kafkaKinds = []kind{\n"+text, "kafkaKinds", "Kind", "entry")
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := change("something else")
			require.Error(t, err)
		})
	}
}
