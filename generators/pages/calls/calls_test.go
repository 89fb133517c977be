package calls

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheOperationsOfAKindAreThoseOfItsFunctionsAndOfWhatAllKindsLikeItDo(t *testing.T) {
	byKind, err := ByKind("../../..")
	require.NoError(t, err)
	defined := slices.Collect(maps.Keys(byKind))
	assert.ElementsMatch(t, recordedKinds(t), defined, "those that testdata/reference has a schema for, and those with a Definition")
	ids := func(kind string) (all []string) {
		for _, o := range byKind[kind].Operations {
			all = append(all, o.ID)
		}
		return all
	}
	assert.Equal(t, []string{
		"ServiceGet", "ServiceKafkaQuotaCreate", "ServiceKafkaQuotaDelete", "ServiceKafkaQuotaDescribe", "ServiceKafkaQuotaList", "ServiceList",
	}, ids("KafkaQuota"))
	assert.Contains(t, ids("PostgreSQL"), "ServiceTaskCreate", "a function of an interface's implementation")
	assert.NotContains(t, ids("MySQL"), "ServiceTaskCreate")
	assert.NotContains(t, ids("Valkey"), "ProjectKmsGetCA", "its Secret has no CA")
	assert.Contains(t, ids("Flink"), "ProjectServicePlanPriceGet", "the engine asks for it")
	assert.NotContains(t, ids("Database"), "ProjectServicePlanPriceGet", "it has no plan")
	assert.NotContains(t, ids("ProjectVPC"), "ServiceGet", "it is outside of services")
	for kind, found := range byKind {
		for _, o := range found.Operations {
			assert.Regexp(t, `^(GET|POST|PUT|PATCH|DELETE) /v\d/`, o.Request, kind+" "+o.ID)
		}
	}
	assert.Equal(t, Operation{
		ID: "ServiceKafkaQuotaList", Request: "GET /v1/project/{project}/service/{service_name}/quota", Required: []string{"service:data:write"},
	}, byKind["KafkaQuota"].Operations[4])
}

// recordedKinds are the kinds of aiven.io: each has a schema that it is compared with.
func recordedKinds(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob("../../../api/v1alpha1/testdata/reference/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	return all
}

func TestTheFieldsThatAKindComparesAreThoseThatItsComparisonNames(t *testing.T) {
	byKind, err := ByKind("../../..")
	require.NoError(t, err)
	assert.Equal(t, []string{"databaseName", "poolMode", "poolSize", "username"}, byKind["ConnectionPool"].Compared)
	assert.Equal(t, []string{"billingAddress", "billingCurrency", "billingExtraText", "countryCode"}, byKind["Project"].WriteOnly)
	assert.Subset(t, byKind["Valkey"].Compared, []string{"plan", "tags", "userConfig"}, "all services have one comparison")
	assert.Empty(t, byKind["Database"].Compared, "that it exists is all that is compared")
	assert.True(t, byKind["Database"].InService && byKind["Database"].Sets["Protected"])
	assert.False(t, byKind["ProjectVPC"].InService)
}

func TestAnOperationThatIsNotDocumentedRequiresNothingKnown(t *testing.T) {
	assert.Equal(t, Operation{ID: "ListV2", Request: "POST /v2/x"}, parse("ListV2", "ListV2 list\nPOST /v2/x\n"))
}
