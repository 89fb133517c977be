package conformance_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The whole of the matrices takes very long: make crash.
var everything = flag.Bool("crash.all", false, "run every case of the crash and of the fault matrix, and not the sample of the commit")

// commit chooses the sample. make sets it to the commit, so that each one tries other cases; without it the sample is always
// the same. The name of a case has all that it takes to run it again, with -crash.all.
var commit = os.Getenv("SAMPLE")

// choice is a number below n. It is the same for the same commit and parts, and any other for another commit.
func choice(commit string, n int, parts ...string) int {
	hash := sha256.Sum256([]byte(strings.Join(append(parts, commit), "\x00")))
	return int(binary.BigEndian.Uint32(hash[:])) % n
}

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
	require.Len(t, first, len(remote)+2, "each write at Aiven, and one of each kind at the API server")

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
