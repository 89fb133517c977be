// Package sampling chooses what a commit tries of what is too much for make test: the crash and the fault matrix, random specs, and the
// tenants of the isolation rule. The whole of them takes very long: make crash.
package sampling

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Whole is the flag for all cases.
var Whole = flag.Bool("crash.all", false, "run every case of the crash and of the fault matrix, every tenant, every variant of a requirement and 1,000 random specs, and not the sample of the commit")

// Commit chooses the sample. make sets it to the commit, so that each one tries other cases; without it the sample is always
// the same. The name of a case has all that it takes to run it again, with -crash.all.
var Commit = os.Getenv("SAMPLE")

// Choice is a number below n. It is the same for the same commit and parts, and any other for another commit.
func Choice(commit string, n int, parts ...string) int {
	hash := sha256.Sum256([]byte(strings.Join(append(parts, commit), "\x00")))
	return int(binary.BigEndian.Uint32(hash[:])) % n
}

// Random draws for a commit and parts, as Choice does.
func Random(parts ...string) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(Choice(Commit, 1<<30, parts...)), 0)) // it draws tests, and no secret
}

// Choose skips a test that the commit doesn't choose for the race detector, under which all take four times as long; what they share is
// raced by any of them. Subtests of one test, or of one of its subtests, are taken together. A test that -run names is taken.
func Choose(t *testing.T) {
	t.Helper()
	parts := strings.Split(t.Name(), "/")
	named := *Whole || flag.Lookup("test.run").Value.String() != ""
	if !named && Choice(Commit, Raced, parts[:min(2, len(parts))]...) != 0 {
		t.Skipf("the race detector takes one test in %d, and others for another commit", Raced)
	}
}
