package conformance_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSampleChangesWithTheCommit(t *testing.T) {
	remote, kube := make([]write, 5), make([]write, 8)
	for i := range remote {
		remote[i] = write{"POST user", i + 1}
	}
	for i := range kube {
		kube[i] = write{[]string{"PATCH users/status", "PATCH users"}[i%2], i/2 + 1}
	}
	v := &victim{remote: remote, kube: kube}
	first := v.sample("ServiceUser", "a-commit")
	assert.Equal(t, first, v.sample("ServiceUser", "a-commit"), "a commit that is tried again is tried with the same cases")
	require.Len(t, first, 2, "a write at Aiven, and one at the API server")

	seen := map[trap]bool{}
	for i := range 100 {
		for _, trap := range v.sample("ServiceUser", fmt.Sprintf("commit-%d", i)) {
			seen[trap] = true
		}
	}
	for _, trap := range v.traps() {
		assert.True(t, seen[trap], "a hundred commits in a row never try %s %s", trap, trap.how)
	}
}
