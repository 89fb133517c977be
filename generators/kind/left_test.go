package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsLeftNamesTheRulesThatTheExampleHasToSatisfy(t *testing.T) {
	k, err := newKind(here, "KafkaQuota", "kafka")
	require.NoError(t, err)
	left := strings.Join(k.left(), "\n")
	assert.Contains(t, left, "docs/examples/kafkaquota.yaml has to satisfy \"has(self.user) || has(self.clientId)\"")
	assert.NotContains(t, left, "oldSelf", "an example isn't changed")
}

func TestAShortNameHasNoPrefixUnlessItIsTaken(t *testing.T) {
	for kind, tc := range map[string]struct{ in, want string }{
		"KafkaQuota":          {"kafka", "avnquota"},
		"ClickhouseUser":      {"clickhouse", "avnclickhouseuser"}, // avnuser is a ServiceUser
		"MySQL":               {inService, "avnmysql"},
		"OrganizationProject": {inOrganization, "avnorganizationproject"},
	} {
		t.Run(kind, func(t *testing.T) {
			k, err := newKind(here, kind, tc.in)
			require.NoError(t, err)
			name, err := k.shortName(here)
			require.NoError(t, err)
			assert.Equal(t, tc.want, name)
		})
	}
}

func TestANewKindIsInTheBenchWithoutAReason(t *testing.T) {
	k, err := newKind(here, "KafkaQuota", "kafka")
	require.NoError(t, err)
	lists := &tree{root: here, files: map[string]string{}}
	require.NoError(t, addLists(lists, k))
	assert.Regexp(t, `"KafkaQuota": +"",`, lists.files["tests/bench/kinds_test.go"])
	assert.Contains(t, lists.files["CHANGELOG.md"], "- Kind `KafkaQuota`.")
}
