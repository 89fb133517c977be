package impact

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// leaf is a field of a spec that can be changed, and has no fields of its own.
type leaf struct {
	path, description string
	group             string // the description of the field that it is in
}

// leaves are the fields of the spec of each kind.
func leaves(t *testing.T) map[string][]leaf {
	files, err := filepath.Glob("../../../config/crd/bases/aiven.io_*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]leaf{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var crd apiextensionsv1.CustomResourceDefinition
		require.NoError(t, yaml.Unmarshal(raw, &crd))
		kind := crd.Spec.Names.Kind
		all[kind] = fields(crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"], "spec")
	}
	return all
}

func fields(schema apiextensionsv1.JSONSchemaProps, path string) []leaf {
	immutable := func(rule apiextensionsv1.ValidationRule) bool { return rule.Rule == "self == oldSelf" }
	switch {
	case slices.ContainsFunc(schema.XValidations, immutable), strings.Contains(schema.Description, "Immutable."):
		return nil
	case len(schema.Properties) == 0:
		return []leaf{{path: path, description: text(schema)}}
	}
	var found []leaf
	for name, property := range schema.Properties {
		for _, field := range fields(property, path+"."+name) {
			if field.group == "" {
				field.group = text(schema)
			}
			found = append(found, field)
		}
	}
	return found
}

// text is the description of a field in one line.
func text(schema apiextensionsv1.JSONSchemaProps) string {
	return strings.Join(strings.Fields(schema.Description), " ")
}

func TestEveryPathOfEverySpecHasAnImpactOrIsHarmless(t *testing.T) {
	all := leaves(t)
	require.NotEmpty(t, all) // they are of the CRDs themselves
	for kind, fields := range all {
		for _, field := range fields {
			inTable := slices.ContainsFunc(table, func(r row) bool { return r.matches(kind, field.path) })
			assert.True(t, inTable || isHarmless(kind, field.path), "%s: add %s to the table, or to harmless", kind, field.path)
		}
	}
}

func TestEveryRowAndEveryHarmlessPathIsOneOfASpec(t *testing.T) {
	all := leaves(t)
	has := func(kind, pattern string) bool {
		return slices.ContainsFunc(all[kind], func(field leaf) bool { return matches(pattern, field.path) })
	}
	for _, row := range table {
		if len(row.kinds) > 0 {
			for _, kind := range row.kinds {
				assert.True(t, has(kind, row.path), "%s has no %s", kind, row.path)
			}
			continue
		}
		found := false
		for kind := range all {
			found = found || has(kind, row.path)
		}
		assert.True(t, found, "no kind has %s", row.path)
	}
	for of, patterns := range harmless {
		for _, pattern := range patterns {
			found := false
			for kind := range all {
				found = found || (of == "" || of == kind) && has(kind, pattern)
			}
			assert.True(t, found, "%s has no %s", of, pattern)
		}
	}
}

func TestEveryRowHasASource(t *testing.T) {
	sources := []Source{documented, described, product, operator, assumed}
	used := map[Source]bool{}
	for _, row := range table {
		assert.Contains(t, sources, row.source, "%v %s", row.kinds, row.path)
		used[row.source] = true
	}
	assert.Len(t, used, len(sources), "a source without a row")
	assert.Equal(t, documented, Of("PostgreSQL", "spec.plan", "startup-4", "business-8").Source)
	assert.Equal(t, assumed, Of("Valkey", "spec.userConfig.shard_count", 1, 3).Source)
	assert.Empty(t, Of("PostgreSQL", "spec.unheardOf", 1, 2).Source, "what isn't known has none")
	assert.Empty(t, Of("PostgreSQL", "spec.terminationProtection", true, false).Source, "a harmless change has none")
}

// evidence is what the description of a field has that is the source of an impact.
var evidence = map[Impact]*regexp.Regexp{
	Restart:      regexp.MustCompile(`(?i)restart`),
	DataLoss:     regexp.MustCompile(`(?i)delet|purge|retain|retention|lose data|dumps`),
	Irreversible: regexp.MustCompile(`(?i)not decreased|registers a new version`),
}

func TestADescriptionThatIsASourceHasTheImpact(t *testing.T) {
	all := leaves(t)
	for _, row := range table {
		for _, name := range row.impacts {
			if row.source != described || evidence[name] == nil {
				continue
			}
			found := false
			for kind, fields := range all {
				for _, field := range fields {
					found = found || row.matches(kind, field.path) && evidence[name].MatchString(field.description+" "+field.group)
				}
			}
			assert.True(t, found, "no field at %s of %v has %s in its description", row.path, row.kinds, name)
		}
	}
}

// restartDescribed is how the descriptions of options say that a change restarts the service.
var restartDescribed = regexp.MustCompile(`(?i)chang[a-z]* (this|of|the)?.*restart|restarting all|rolling restart|service restart/upgrade`)

func TestAnOptionThatIsDescribedToRestartTheServiceHasThatImpact(t *testing.T) {
	found := 0
	for kind, fields := range leaves(t) {
		for _, field := range fields {
			if !restartDescribed.MatchString(field.description) {
				continue
			}
			found++
			change := Of(kind, field.path, 2, 1)
			assert.Contains(t, change.Impacts, Restart, "%s: %s: %s", kind, field.path, field.description)
		}
	}
	assert.Greater(t, found, 30)
}

func TestTheImpactsOfADifference(t *testing.T) {
	type object = map[string]any
	type tags = map[string]string
	type pair struct{ key, value string }
	for name, tc := range map[string]struct {
		kind, path string
		from, to   any
		want       []Impact
	}{
		"a plan":                                {"PostgreSQL", "spec.plan", "startup-4", "business-8", does(Cost, NodesReplaced)},
		"a region":                              {"Kafka", "spec.cloudName", "aws-eu-west-1", "aws-eu-north-1", does(Cost, NodesReplaced, DataMoved, AddressesChanged)},
		"a larger disk":                         {"Kafka", "spec.disk_space", 81920, 122880, does(Cost)},
		"a smaller disk":                        {"Kafka", "spec.disk_space", 122880, 81920, does(Cost, NodesReplaced, DataMoved)},
		"a route is opened for the first time":  {"PostgreSQL", "spec.userConfig.public_access.pg", nil, true, nil},
		"a route is closed":                     {"PostgreSQL", "spec.userConfig.public_access.pg", true, false, does(AccessLost)},
		"a route that may be open is closed":    {"PostgreSQL", "spec.userConfig.public_access.pg", nil, false, does(AccessLost)},
		"a route, and nothing is known of it":   {"PostgreSQL", "spec.userConfig.public_access.pg", nil, nil, does(AccessLost)},
		"networks, and the former aren't known": {"PostgreSQL", "spec.userConfig.ip_filter", nil, []any{"0.0.0.0/0"}, does(AccessLost)},
		"a service is powered off":              {"MySQL", "spec.powered", true, false, does(Cost, Outage)},
		"Kafka is powered off":                  {"Kafka", "spec.powered", true, false, does(Cost, Outage, DataLoss, Irreversible)},
		"Kafka is powered on":                   {"Kafka", "spec.powered", false, true, does(Cost)},
		"a version":                             {"PostgreSQL", "spec.userConfig.pg_version", 15, 16, does(Restart, Irreversible)},
		"an option that restarts":               {"PostgreSQL", "spec.userConfig.pg.max_connections", 100, 200, does(Restart)},
		"an option that doesn't":                {"PostgreSQL", "spec.userConfig.pg.work_mem", 4, 8, nil},
		"an option with dots":                   {"OpenSearch", "spec.userConfig.opensearch.node.search.cache.size", "5gb", "6gb", does(Restart)},
		"a tag is added":                        {"PostgreSQL", "spec.tags", tags{"team": "a"}, tags{"env": "b", "team": "a"}, nil},
		"a tag is removed":                      {"PostgreSQL", "spec.tags", tags{"env": "b", "team": "a"}, tags{"team": "a"}, does(TagsRemoved)},
		"a tag is changed":                      {"KafkaTopic", "spec.tags", tags{"team": "a"}, tags{"team": "b"}, does(TagsRemoved)},
		"networks are added":                    {"Valkey", "spec.userConfig.ip_filter", []any{"10.0.0.0/8"}, []any{"10.0.0.0/8", "192.168.0.0/16"}, nil},
		"a network becomes larger":              {"Valkey", "spec.userConfig.ip_filter", []any{"10.1.0.0/16"}, []any{"10.0.0.0/8"}, nil},
		"a network becomes smaller":             {"Valkey", "spec.userConfig.ip_filter", []any{"10.0.0.0/8"}, []any{"10.1.0.0/16"}, does(AccessLost)},
		"a network is removed":                  {"Valkey", "spec.userConfig.ip_filter", []any{"0.0.0.0/0", "::/0"}, []any{"0.0.0.0/0"}, does(AccessLost)},
		"networks with descriptions":            {"Valkey", "spec.userConfig.ip_filter", []any{object{"description": "a", "network": "10.0.0.0/8"}}, []any{object{"description": "b", "network": "10.0.0.0/8"}}, nil},
		"a network in a description only":       {"Valkey", "spec.userConfig.ip_filter", []any{"10.0.0.0/8"}, []any{object{"description": "not 10.0.0.0/8", "network": "1.2.3.4/32"}}, does(AccessLost)},
		"an entry has another network":          {"Valkey", "spec.userConfig.ip_filter", []any{object{"network": "10.0.0.0/8"}}, []any{object{"network": "10.1.0.0/16"}}, does(AccessLost)},
		"an entry has a larger network":         {"Valkey", "spec.userConfig.ip_filter", []any{object{"description": "a", "network": "10.1.0.0/16"}}, []any{object{"description": "b c", "network": "10.0.0.0/8"}, object{"network": "::1/128"}}, nil},
		"a description with brackets":           {"Valkey", "spec.userConfig.ip_filter", []any{object{"description": "[a"}, "network:10.0.0.0/8]"}, []any{object{"description": "b", "network": "10.0.0.0/8"}}, does(AccessLost)},
		"an address is removed":                 {"Valkey", "spec.userConfig.ip_filter", []any{"10.0.0.0/8", "192.168.1.1"}, []any{"10.0.0.0/8"}, does(AccessLost)},
		"an address is a network of one":        {"Valkey", "spec.userConfig.ip_filter", []any{"192.168.1.1", "2001:db8::1"}, []any{"192.168.1.1/32", object{"network": "2001:db8::1/128"}}, nil},
		"an address is in a network":            {"Valkey", "spec.userConfig.ip_filter", []any{"192.168.1.1"}, []any{"192.168.0.0/16"}, nil},
		"an address isn't a network":            {"Valkey", "spec.userConfig.ip_filter", []any{"192.168.0.0/16"}, []any{"192.168.0.0"}, does(AccessLost)},
		"a former entry that is no network":     {"Valkey", "spec.userConfig.ip_filter", []any{object{}}, []any{"10.0.0.0/8"}, does(AccessLost)},
		"an entry that is no network":           {"Valkey", "spec.userConfig.ip_filter", []any{"10.0.0.0/8"}, []any{"10.0.0.0/8", "everywhere"}, does(AccessLost)},
		"the first networks":                    {"Valkey", "spec.userConfig.ip_filter", []any{}, []any{"10.0.0.0/8"}, nil},
		"all networks are removed":              {"Valkey", "spec.userConfig.ip_filter", []any{"10.0.0.0/8"}, []any{}, does(AccessLost)},
		"public access is turned on":            {"Kafka", "spec.userConfig.public_access.kafka", false, true, nil},
		"public access is turned off":           {"Kafka", "spec.userConfig.public_access.kafka", true, false, does(AccessLost)},
		"partitions":                            {"KafkaTopic", "spec.partitions", 3, 6, does(Irreversible)},
		"longer retention":                      {"KafkaTopic", "spec.config.retention_ms", 1000, 2000, nil},
		"shorter retention":                     {"KafkaTopic", "spec.config.retention_ms", 2000, 1000, does(DataLoss)},
		"retention without a limit":             {"KafkaTopic", "spec.config.retention_ms", 1000, -1, nil},
		"retention gets a limit":                {"KafkaTopic", "spec.config.retention_ms", -1, 1000, does(DataLoss)},
		"the cleanup policy":                    {"KafkaTopic", "spec.config.cleanup_policy", "delete", "compact", does(DataLoss)},
		"what a description calls local":        {"KafkaTopic", "spec.config.local_retention_ms", 2000, 1000, nil},
		"a grant":                               {"ClickhouseGrant", "spec.privilegeGrants", nil, "GRANT SELECT ON a.* TO b", nil},
		"a grant is revoked":                    {"ClickhouseGrant", "spec.privilegeGrants", "REVOKE SELECT ON a.* FROM b", nil, does(AccessLost)},
		"a rule of OpenSearch is changed":       {"OpenSearchACLConfig", "spec.acls[orders]", []string{"logs-*/write"}, []string{"logs-*/read"}, does(AccessLost)},
		"a password that isn't returned":        {"ServiceUser", "spec.connInfoSecretSource", nil, nil, does(AccessLost)},
		"an option that isn't returned":         {"Kafka", "spec.userConfig.kafka.log_retention_ms", nil, nil, does(DataLoss)},
		"a value that can't be compared":        {"Kafka", "spec.userConfig.kafka.log_retention_ms", nil, struct{}{}, does(DataLoss)},
		"a path that isn't in the table":        {"Kafka", "spec.colour", "red", "blue", does(Unknown)},
		"a tag of a list is changed":            {"KafkaTopic", "spec.tags", []pair{{"team", "a"}}, []pair{{"team", "b"}}, does(TagsRemoved)},
		"a tag of a list is added":              {"KafkaTopic", "spec.tags", []pair{{"team", "a"}}, []pair{{"env", "b"}, {"team", "a"}}, nil},
		"the first tag":                         {"KafkaTopic", "spec.tags", []pair(nil), []pair{{"env", "b"}}, nil},
		"a list and a map":                      {"KafkaTopic", "spec.tags", []pair{}, tags{}, does(TagsRemoved)},
		"tags that aren't known":                {"KafkaTopic", "spec.tags", "[]", "[]", does(TagsRemoved)},
		"a text that reads as a number":         {"KafkaTopic", "spec.config.retention_ms", "1000", 2000, does(DataLoss)},
		"numbers of other types":                {"KafkaTopic", "spec.config.retention_ms", uint8(1), 2.5, nil},
		"a text that reads as a list":           {"Valkey", "spec.userConfig.ip_filter", "[10.0.0.0/8]", "[10.0.0.0/8]", does(AccessLost)},
		"a flag that isn't known":               {"PostgreSQL", "spec.userConfig.public_access.pg", true, nil, does(AccessLost)},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(tc.kind, tc.path, tc.from, tc.to)
			assert.Equal(t, tc.want, got.Impacts)
			assert.Equal(t, len(tc.want) > 0, got.Message != "")
			assert.Equal(t, tc.path, got.Path)
		})
	}
}

func TestCostAndTagsAloneAreNotDisruptive(t *testing.T) {
	assert.False(t, Change{}.Disruptive())
	assert.False(t, Change{Impacts: does(Cost, TagsRemoved)}.Disruptive())
	assert.True(t, Change{Impacts: does(Cost, Restart)}.Disruptive())
	assert.True(t, Change{Impacts: does(Unknown)}.Disruptive())
}

func TestImpactsOfARowAreInOneOrder(t *testing.T) {
	for _, row := range table {
		assert.NotEmpty(t, row.impacts, row.path)
		assert.NotEmpty(t, row.message, row.path)
		assert.NotContains(t, row.impacts, Unknown, row.path)
		assert.Len(t, row.impacts, len(slices.Compact(slices.Sorted(slices.Values(row.impacts)))), row.path)
	}
}
