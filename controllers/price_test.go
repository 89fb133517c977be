package controllers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

const pricesOf = "GET pricing/service-types/pg/plans/"

// newPriced is a service whose changes are reviewed, at an Aiven that is asked for prices.
func newPriced(t *testing.T, differs *Diff) (*world[*v1alpha1.PostgreSQL], *aiventest.Aiven) {
	t.Helper()
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("my-pg")}
	pg.Spec.Project = aiventest.Project
	w, a := newWorld(t, pg), aiventest.New(t)
	a.On("GET service/my-pg", aiventest.Service(nil))
	a.On("GET /v1/me", aiventest.OK(aiventest.Object{"user": aiventest.Object{"user_id": "u"}}))
	w.start(aiven.Options{BaseURL: "http://aiven.test", Transport: a, WatchInterval: time.Hour})
	w.engine.policies.Change = policy.HoldDisruptive
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(func(any, any) (Observation, error) {
		return Observation{Remote: allWell.Remote, Details: allWell.Details, Diff: *differs}, nil
	}).AnyTimes()
	return w, a
}

func planTo(plan string) Diff { return Diff{userconfig.NewDifference("spec.plan", plan, "startup-4")} }

// prices are the plans whose prices were asked for since the last time.
func prices(a *aiventest.Aiven) (plans []string) {
	for _, call := range a.Calls() {
		if rest, is := strings.CutPrefix(call, pricesOf); is {
			plans = append(plans, strings.TrimSuffix(rest, "/clouds/google-europe-west1"))
		}
	}
	slices.Sort(plans)
	return plans
}

func price(a *aiventest.Aiven, plan string, answer aiventest.Answer) {
	a.On(pricesOf+plan+"/clouds/google-europe-west1", answer)
}

func hourly(usd string) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"base_price_usd": usd})
}

func TestAPlanThatWaitsHasItsPriceWhichIsReadOnce(t *testing.T) {
	differs := planTo("business-8")
	w, a := newPriced(t, &differs)
	price(a, "startup-4", hourly("0.08"))
	price(a, "business-8", hourly("0.4"))
	price(a, "business-16", hourly("0.8"))
	w.settle()
	require.NotNil(t, w.pending())
	assert.Equal(t, &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}, w.pending().Changes[0].MonthlyPrice)
	hash := w.pending().Hash
	assert.Equal(t, []string{"business-8", "startup-4"}, prices(a))

	price(a, "business-8", aiventest.Refused(403, "Not allowed"))
	for range 3 {
		w.now = w.now.Add(25 * time.Hour)
		_, err := w.reconcile()
		require.NoError(t, err)
	}
	w.start(aiven.Options{BaseURL: "http://aiven.test", Transport: a, WatchInterval: time.Hour})
	w.engine.policies.Change = policy.HoldDisruptive
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Empty(t, w.journal, "an object that waits is at rest, also after a restart")
	assert.Empty(t, prices(a))

	differs = planTo("business-16")
	w.settle()
	assert.NotEqual(t, hash, w.pending().Hash)
	assert.Equal(t, &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 584}, w.pending().Changes[0].MonthlyPrice, "another change has another price")

	differs = nil
	w.settle()
	assert.Nil(t, w.pending())
	a.Calls()
	w.settle()
	assert.Empty(t, prices(a), "nothing waits")
}

func TestAPriceThatCannotBeReadIsLeftOutAndChangesNothingElse(t *testing.T) {
	for name, answer := range map[string]aiventest.Answer{
		"a permission is missing": aiventest.Refused(403, "Not allowed"),
		"no such plan":            aiventest.Refused(404, "Plan not found"),
		"an error of Aiven":       aiventest.Refused(500, "Oops"),
		"an unclear answer":       hourly("soon"),
	} {
		t.Run(name, func(t *testing.T) {
			differs := planTo("business-8")
			w, a := newPriced(t, &differs)
			price(a, "startup-4", answer)
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, "Unknown/AwaitingApproval", w.ready())
			assert.Equal(t, "True/Reachable", w.condition("DependenciesReachable"))
			assert.Equal(t, "True/AuthenticationValid", w.condition("AuthValid"))
			require.NotNil(t, w.pending())
			assert.Nil(t, w.pending().Changes[0].MonthlyPrice)
			asked := prices(a)
			assert.NotEmpty(t, asked)

			w.journal = nil
			w.now = w.now.Add(50 * time.Minute)
			_, err = w.reconcile()
			require.NoError(t, err)
			assert.Empty(t, w.journal)
			assert.Empty(t, prices(a), "within an hour, it isn't asked for again")

			hash := w.pending().Hash
			price(a, "startup-4", hourly("0.08"))
			price(a, "business-8", hourly("0.4"))
			w.now = w.now.Add(time.Hour)
			w.settle()
			assert.Equal(t, &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}, w.pending().Changes[0].MonthlyPrice)
			assert.Equal(t, hash, w.pending().Hash, "an approval doesn't depend on the price")

			w.updates(allWell, nil).Times(1)
			w.edit(func(pg *v1alpha1.PostgreSQL) {
				metav1.SetMetaDataAnnotation(&pg.ObjectMeta, annotation.ApprovedChanges, hash)
			})
			w.settle()
			assert.Nil(t, w.pending())
		})
	}
}
