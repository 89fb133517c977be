package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func TestADiffHasThePathsThatWereAdded(t *testing.T) {
	var diff Diff
	assert.Empty(t, diff.Paths())
	diff.Add("spec.partitions", 3, 1)
	diff.Add("spec.replication", 2, 3)
	assert.Equal(t, []v1alpha1.DriftEntry{
		{Path: "spec.partitions", Wanted: "3", Found: "1"}, {Path: "spec.replication", Wanted: "2", Found: "3"},
	}, diff.Entries())
	assert.Equal(t, []string{"spec.partitions", "spec.replication"}, diff.Paths())
	assert.True(t, diff.Has("spec.replication"))
	assert.False(t, diff.Has("spec.tags"))
}

// Each of these would be decided otherwise by its text, which is that of another value.
func TestWhatWaitsForApprovalDependsOnValuesAndNotOnTheirTexts(t *testing.T) {
	const bytes, networks = "spec.userConfig.kafka.log_retention_bytes", "spec.userConfig.ip_filter"
	for name, tc := range map[string]struct {
		kind, path    string
		wanted, found any
		texts         [2]string
		waits         bool
	}{
		"a text like a number":          {"Kafka", bytes, 2, "1", [2]string{"2", "1"}, true},
		"a higher number in exponents":  {"Kafka", bytes, 1e21, 1000, [2]string{"1e+21", "1000"}, false},
		"a lower number in exponents":   {"Kafka", bytes, 1000, 1e21, [2]string{"1000", "1e+21"}, true},
		"a text like no value":          {"Kafka", bytes, 2, "<nil>", [2]string{"2", "<nil>"}, true},
		"a text like a flag":            {"Kafka", "spec.userConfig.kafka_rest", "false", true, [2]string{"false", "true"}, false},
		"one text like two networks":    {"Kafka", networks, []any{"10.0.0.0/8 0.0.0.0/0"}, []any{"1.0.0.0/8"}, [2]string{"[10.0.0.0/8 0.0.0.0/0]", "[1.0.0.0/8]"}, true},
		"a text like a network":         {"Kafka", networks, []any{"map[network:0.0.0.0/0]"}, []any{"1.0.0.0/8"}, [2]string{"[map[network:0.0.0.0/0]]", "[1.0.0.0/8]"}, true},
		"a text like a list":            {"Kafka", networks, "[0.0.0.0/0]", []any{"1.0.0.0/8"}, [2]string{"[0.0.0.0/0]", "[1.0.0.0/8]"}, true},
		"other entries with same words": {"OpenSearchACLConfig", "spec.acls[a]", []string{"read b", "write a"}, []string{"read a", "write b"}, [2]string{"[read b write a]", "[read a write b]"}, true},
		"a value with a text of its own": {
			"Kafka", bytes, Printed{Text: "1", Value: 3}, Printed{Text: "2", Value: 2}, [2]string{"1", "2"}, false,
		},
		"a secret": {"Kafka", bytes, Hidden{}, userconfig.NewSecret(1), [2]string{"(secret)", "(secret)"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var diff Diff
			diff.Add(tc.path, tc.wanted, tc.found)
			assert.Equal(t, []v1alpha1.DriftEntry{{Path: tc.path, Wanted: tc.texts[0], Found: tc.texts[1]}}, diff.Entries())
			in := reviewed(policy.HoldDisruptive, diff)
			in.Review.Kind = tc.kind
			assert.Equal(t, tc.waits, Decide(in).Pending != nil)
			diff[0].Wanted, diff[0].Found = "other", "texts"
			assert.Equal(t, tc.waits, Decide(in).Pending != nil)
			in = reviewed(policy.HoldDisruptive, nil, tc.path)
			in.Review.Kind, in.Wanted = tc.kind, Wanted{tc.path: tc.wanted}
			before := Decide(in).Pending != nil
			in.Wanted = Wanted{tc.path: Printed{Text: "other", Value: diff[0].To.Get()}}
			assert.Equal(t, before, Decide(in).Pending != nil, "what Aiven never returns")
		})
	}
}

func TestDifferencesAreTheSameByTheirValues(t *testing.T) {
	of := func(wanted, found any) (diff Diff) { diff.Add("spec.x", wanted, found); return diff }
	assert.True(t, of(1, []any{"a"}).Same(of(1, []any{"a"})))
	assert.False(t, of(1, "1").Same(of(1, 1)), "which have one text")
	assert.False(t, of(1, nil).Same(of(1, Hidden{})))
	assert.False(t, of(1, 2).Same(Diff{}))
}
