package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestADiffHasThePathsThatWereAdded(t *testing.T) {
	var diff Diff
	assert.Empty(t, diff.Paths())
	diff.Add("spec.partitions", 3, 1)
	diff.Add("spec.replication", 2, 3)
	assert.Equal(t, Diff{
		{Path: "spec.partitions", Wanted: "3", Found: "1"}, {Path: "spec.replication", Wanted: "2", Found: "3"},
	}, diff)
	assert.Equal(t, []string{"spec.partitions", "spec.replication"}, diff.Paths())
	assert.True(t, diff.Has("spec.replication"))
	assert.False(t, diff.Has("spec.tags"))
}
