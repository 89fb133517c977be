package conformance_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const priceGet = "ProjectServicePlanPriceGet"

// priceCalls is how often prices were asked for.
func priceCalls(e *testenv.Env, since testenv.Mark) int {
	calls := 0
	for _, call := range e.Aiven.Calls(since) {
		if call.Operation == priceGet {
			calls++
		}
	}
	return calls
}

// holdPlan makes a service, and an edit of its plan that waits.
func holdPlan(e *testenv.Env) *v1alpha1.PostgreSQL {
	pg := e.Example("postgresql").(*v1alpha1.PostgreSQL)
	pg.SetAnnotations(map[string]string{changePolicy: "HoldDisruptive"})
	e.Create(pg)
	e.Wait(pg, testenv.Ready())
	require.Zero(e.T, priceCalls(e, 0), "nothing waits")
	e.Change(pg, func() { pg.Spec.Plan = "business-8" })
	awaitPlan(e, pg)
	return pg
}

func awaitPlan(e *testenv.Env, pg *v1alpha1.PostgreSQL) {
	e.Wait(pg, testenv.Condition("Ready", metav1.ConditionUnknown, "AwaitingApproval"))
	require.Len(e.T, pg.Status.PendingChanges.Changes, 1)
	require.Equal(e.T, "spec.plan", pg.Status.PendingChanges.Changes[0].Path)
}

// pass lets the object be reconciled once more while its change waits.
func pass(e *testenv.Env, pg *v1alpha1.PostgreSQL, value string) {
	request(e, pg, value)
	awaitPlan(e, pg)
}

func TestAPlanThatWaitsForApprovalHasItsPrice(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
	pg := holdPlan(e)
	want := &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 234}
	assert.Equal(t, want, pg.Status.PendingChanges.Changes[0].MonthlyPrice)
	pass(e, pg, "now")
	e.Operator.Restart()
	pass(e, pg, "later")
	assert.Equal(t, want, pg.Status.PendingChanges.Changes[0].MonthlyPrice)
	assert.Equal(t, 2, priceCalls(e, 0), "that of each plan is read once, and not again by another process")
	e.Annotate(pg, approvedChanges, pg.Status.PendingChanges.Hash)
	e.Wait(pg, testenv.Ready())
	assert.Nil(t, pg.Status.PendingChanges)
}

func TestATokenThatMayNotReadPricesHoldsAndAppliesChangesWithoutThem(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL"}})
	e.Aiven.Fail(priceGet, localaiven.Effect{Status: http.StatusForbidden}, 0)
	pg := holdPlan(e)
	for _, request := range []string{"now", "later"} {
		pass(e, pg, request)
		assert.Nil(t, pg.Status.PendingChanges.Changes[0].MonthlyPrice)
		assert.Equal(t, metav1.ConditionTrue, testenv.Find(pg, "AuthValid").Status)
		assert.Equal(t, metav1.ConditionTrue, testenv.Find(pg, "DependenciesReachable").Status)
	}
	assert.Equal(t, 1, priceCalls(e, 0), "what was refused isn't asked for again soon")
	e.Annotate(pg, approvedChanges, pg.Status.PendingChanges.Hash)
	e.Wait(pg, testenv.Ready())
	out, err := e.Aiven.Console.ServiceGet(t.Context(), e.Project, pg.Name)
	require.NoError(t, err)
	assert.Equal(t, "business-8", out.Plan)
}
