package listprice_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/listprice"
)

const region = "google-europe-west1"

// route is the one of the price of a plan in a cloud.
func route(plan, cloud string) string {
	return "GET pricing/service-types/pg/plans/" + plan + "/clouds/" + cloud
}

func priced(hourly string) aiventest.Answer {
	return aiventest.OK(aiventest.Object{"base_price_usd": hourly})
}

func newPG() *v1alpha1.PostgreSQL {
	pg := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{Name: "my-pg"}}
	pg.Spec.Project = aiventest.Project
	return pg
}

func newAiven(t *testing.T, answers map[string]aiventest.Answer) *aiventest.Aiven {
	a := aiventest.New(t)
	a.On("GET service/my-pg", aiventest.Service(nil))
	for route, answer := range answers {
		a.On(route, answer)
	}
	return a
}

func TestThePriceOfAChange(t *testing.T) {
	small := priced("0.08")
	for name, tc := range map[string]struct {
		wanted  map[string]string
		answers map[string]aiventest.Answer
		path    string
		price   *v1alpha1.MonthlyPrice
		calls   int // for prices
	}{
		"a plan": {
			wanted:  map[string]string{"spec.plan": "business-8", "spec.tags": "{}"},
			answers: map[string]aiventest.Answer{route("startup-4", region): small, route("business-8", region): priced("0.4")},
			path:    "spec.plan", price: &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}, calls: 2,
		},
		"a cloud": {
			wanted:  map[string]string{"spec.cloudName": "aws-eu-west-1"},
			answers: map[string]aiventest.Answer{route("startup-4", region): small, route("startup-4", "aws-eu-west-1"): priced("0.1")},
			path:    "spec.cloudName", price: &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 73}, calls: 2,
		},
		"both": {
			wanted:  map[string]string{"spec.cloudName": "aws-eu-west-1", "spec.plan": "business-8"},
			answers: map[string]aiventest.Answer{route("startup-4", region): small, route("business-8", "aws-eu-west-1"): priced("0.5")},
			path:    "spec.plan", price: &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 365}, calls: 2,
		},
		"a plan that is free": {
			wanted:  map[string]string{"spec.plan": "free-1-gb"},
			answers: map[string]aiventest.Answer{route("startup-4", region): small, route("free-1-gb", region): priced("0")},
			path:    "spec.plan", price: &v1alpha1.MonthlyPrice{FromUSD: 58}, calls: 2,
		},
		"another change": {wanted: map[string]string{"spec.tags": "{}"}},
		"no permission": {
			wanted:  map[string]string{"spec.plan": "business-8"},
			answers: map[string]aiventest.Answer{route("startup-4", region): aiventest.Refused(403, "Forbidden")},
			path:    "spec.plan", calls: 1,
		},
		"no such plan": {
			wanted:  map[string]string{"spec.plan": "none-4"},
			answers: map[string]aiventest.Answer{route("startup-4", region): small, route("none-4", region): aiventest.Refused(404, "Plan not found")},
			path:    "spec.plan", calls: 2,
		},
		"an unclear answer": {
			wanted:  map[string]string{"spec.plan": "business-8"},
			answers: map[string]aiventest.Answer{route("startup-4", region): small, route("business-8", region): aiventest.OK(nil)},
			path:    "spec.plan", calls: 2,
		},
		"a service that is gone": {
			wanted:  map[string]string{"spec.plan": "business-8"},
			answers: map[string]aiventest.Answer{"GET service/my-pg": aiventest.Missing()},
			path:    "spec.plan",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAiven(t, tc.answers)
			client := a.Client()
			for range 2 {
				path, price := listprice.Of(t.Context(), client, newPG(), tc.wanted)
				assert.Equal(t, tc.path, path)
				assert.Equal(t, tc.price, price)
			}
			assert.Len(t, pricing(a.Calls()), tc.calls, "each price is asked for once, also if it is refused")
		})
	}
}

// pricing are the calls for prices.
func pricing(calls []string) (found []string) {
	for _, call := range calls {
		if strings.HasPrefix(call, "GET pricing/") {
			found = append(found, call)
		}
	}
	return found
}

// held is an Aiven that returns prices once they are released.
type held struct {
	*aiventest.Aiven
	released chan struct{}
}

func (h held) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.Contains(req.URL.Path, "/pricing/") {
		select {
		case <-h.released:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	return h.Aiven.RoundTrip(req)
}

func TestAPriceThatTakesLongIsNotWaitedForAndIsThereLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := held{newAiven(t, map[string]aiventest.Answer{route("startup-4", region): priced("0.08"), route("business-8", region): priced("0.4")}), make(chan struct{})}
		c, err := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: h}).ForToken("a-token")
		require.NoError(t, err)
		began := time.Now()
		_, price := listprice.Of(t.Context(), c, newPG(), map[string]string{"spec.plan": "business-8"})
		assert.Nil(t, price)
		assert.Equal(t, 5*time.Second, time.Since(began))
		close(h.released)
		synctest.Wait()
		_, price = listprice.Of(t.Context(), c, newPG(), map[string]string{"spec.plan": "business-8"})
		assert.Equal(t, &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}, price)
		assert.Len(t, pricing(h.Calls()), 2, "the answer that came late is used")
	})
}

func TestOnlyServicesHaveAPrice(t *testing.T) {
	a := newAiven(t, nil)
	_, price := listprice.Of(t.Context(), a.Client(), &v1alpha1.Database{}, map[string]string{"spec.plan": "x"})
	assert.Nil(t, price)
	assert.Empty(t, a.Calls())
}

func pendingPlan(hash string, price *v1alpha1.MonthlyPrice) *v1alpha1.PendingChanges {
	return &v1alpha1.PendingChanges{Hash: hash, Changes: []v1alpha1.PendingChange{
		{Path: "spec.disk_space", To: "100GiB"}, {Path: "spec.plan", From: "startup-4", To: "business-8", MonthlyPrice: price},
	}}
}

func TestChangesThatWaitHaveOnePriceAsLongAsTheyWait(t *testing.T) {
	earlier := &v1alpha1.MonthlyPrice{FromUSD: 1, ToUSD: 2}
	for name, tc := range map[string]struct {
		before, pending, want *v1alpha1.PendingChanges
		calls                 int
	}{
		"nothing waits":         {before: pendingPlan("a", earlier)},
		"a change begins to":    {pending: pendingPlan("a", nil), want: pendingPlan("a", &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}), calls: 2},
		"it still does":         {before: pendingPlan("a", earlier), pending: pendingPlan("a", nil), want: pendingPlan("a", earlier)},
		"another change":        {before: pendingPlan("a", earlier), pending: pendingPlan("b", nil), want: pendingPlan("b", &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}), calls: 2},
		"there was none before": {before: pendingPlan("a", nil), pending: pendingPlan("a", nil), want: pendingPlan("a", &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292}), calls: 2},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAiven(t, map[string]aiventest.Answer{route("startup-4", region): priced("0.08"), route("business-8", region): priced("0.4")})
			pg := newPG()
			pg.Status.PendingChanges = tc.before
			assert.Equal(t, tc.want, listprice.Add(t.Context(), a.Client(), pg, tc.pending))
			calls := a.Calls()
			assert.Len(t, pricing(calls), tc.calls)
			if tc.calls == 0 {
				assert.Empty(t, calls, "what is known needs no call at all")
			}
		})
	}
}
