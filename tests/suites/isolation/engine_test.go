package isolation_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// All tenants of the rule at the engine, those of a commit, and how many come one after the other to an operator and the others.
const (
	allAtEngine     = 10_000
	sampledAtEngine = 50
	tenantsOfAWorld = 50
	tenantsThatStay = 25 // until all objects of the bank are deleted
)

func TestNoTenantReachesBeyondItsNamespaceAtTheEngine(t *testing.T) {
	for _, seeds := range groups(allAtEngine, sampledAtEngine, tenantsOfAWorld) {
		t.Run(fmt.Sprintf("seeds from %d", seeds[0]), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			defer w.close()
			for i, seed := range seeds {
				v := w.visit(uint64(seed), rand.New(rand.NewPCG(uint64(seed), 1)))
				if i < len(seeds)-tenantsThatStay {
					v.end()
				}
				v.report()
				if i == len(seeds)-1 {
					w.bankLeaves(v)
				}
			}
			w.allHappened()
		})
	}
}

// allHappened wants what tenants must have come to in a group of any seeds, so that the rule is about something.
func (w *world) allHappened() {
	w.t.Helper()
	for _, outcome := range []string{
		"ReconciliationSucceeded", "ProjectNotAllowed", "AuthFailed", "Conflict", "AlreadyExists",
		"published", "reported", "another came back", "another was edited",
	} {
		assert.True(w.t, w.outcomes[outcome], "no tenant came to %s: they don't try hard enough", outcome)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.True(w.t, w.disturbed[http.StatusBadGateway] || w.disturbed[http.StatusTooManyRequests], "each call of a tenant was answered")
}

// report fails the test if there are breaches.
func (v *visit) report() {
	v.t.Helper()
	if len(v.breaches) > 0 {
		require.FailNow(v.t, "A tenant reached beyond its namespace", "%s\n%s", strings.Join(v.breaches, "\n"), v)
	}
}

// bankLeaves deletes all objects of the bank at once. No tenant that is there holds one up.
func (w *world) bankLeaves(last *visit) {
	w.t.Helper()
	require.Empty(w.t, w.settle(w.victims))
	var going []testenv.Object
	for _, obj := range w.victims {
		if obj.GetNamespace() == bank {
			require.NoError(w.t, w.Delete(w.t.Context(), obj))
			going = append(going, obj)
		}
	}
	for range 20 {
		going = slices.DeleteFunc(going, func(obj testenv.Object) bool { return w.goes(obj) })
	}
	for _, obj := range going {
		last.breach("%s, which is another's, can't be deleted with all others; one of the last %d tenants holds it up", describe(obj), tenantsThatStay)
	}
	last.report()
}
