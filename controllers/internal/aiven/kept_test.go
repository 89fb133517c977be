package aiven_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// priceList answers with the status and the body that it has.
type priceList struct {
	calls atomic.Int32
	code  atomic.Int32
	price atomic.Value
	paths sync.Map
}

func newPriceList(price any) *priceList {
	l := &priceList{}
	l.code.Store(http.StatusOK)
	l.price.Store(price)
	return l
}

func (l *priceList) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.calls.Add(1)
	l.paths.Store(r.URL.Path, true)
	if code := int(l.code.Load()); code != http.StatusOK {
		replyError(w, code, "no")
		return
	}
	reply(w, http.StatusOK, map[string]any{"base_price_usd": l.price.Load()})
}

var aPrice = aiven.PriceKey{Project: "p", Type: "pg", Plan: "startup-4", Cloud: "google-europe-west1"}

func TestAListPriceIsReadOnceADay(t *testing.T) {
	clock, list := newClock(), newPriceList("0.08")
	a := clientFor(t, aiven.Options{BaseURL: serve(t, list.ServeHTTP), Now: clock.Now})
	var done sync.WaitGroup
	for range 100 {
		done.Go(func() {
			price, err := a.HourlyPrice(t.Context(), aPrice)
			assert.NoError(t, err)
			assert.InDelta(t, 0.08, price, 0)
		})
	}
	done.Wait()
	assert.EqualValues(t, 1, list.calls.Load(), "a hundred readers cost one call")
	_, asked := list.paths.Load("/v1/project/p/pricing/service-types/pg/plans/startup-4/clouds/google-europe-west1")
	assert.True(t, asked)

	for _, other := range []aiven.PriceKey{
		{Project: "q", Type: aPrice.Type, Plan: aPrice.Plan, Cloud: aPrice.Cloud}, {Project: "p", Type: "mysql", Plan: aPrice.Plan, Cloud: aPrice.Cloud},
		{Project: "p", Type: aPrice.Type, Plan: "startup-8", Cloud: aPrice.Cloud}, {Project: "p", Type: aPrice.Type, Plan: aPrice.Plan, Cloud: "aws-eu-west-1"},
	} {
		list.calls.Store(0)
		_, err := a.HourlyPrice(t.Context(), other)
		require.NoError(t, err)
		assert.EqualValues(t, 1, list.calls.Load(), "%v has a price of its own", other)
	}
	list.calls.Store(0)
	clock.Move(24*time.Hour - time.Second)
	_, err := a.HourlyPrice(t.Context(), aPrice)
	require.NoError(t, err)
	assert.Zero(t, list.calls.Load())
	clock.Move(time.Second)
	_, err = a.HourlyPrice(t.Context(), aPrice)
	require.NoError(t, err)
	assert.EqualValues(t, 1, list.calls.Load())
}

func TestAPlanMayCostNothing(t *testing.T) {
	price, err := clientFor(t, aiven.Options{BaseURL: serve(t, newPriceList("0.00").ServeHTTP)}).HourlyPrice(t.Context(), aPrice)
	require.NoError(t, err)
	assert.Zero(t, price)
}

func TestARefusedPriceIsNotAskedForAgainWithinAnHour(t *testing.T) {
	for name, set := range map[string]func(*priceList){
		"a permission is missing": func(l *priceList) { l.code.Store(http.StatusForbidden) },
		"no such plan":            func(l *priceList) { l.code.Store(http.StatusNotFound) },
		"no number":               func(l *priceList) { l.price.Store("free") },
		"nothing":                 func(l *priceList) { l.price.Store("") },
		"below zero":              func(l *priceList) { l.price.Store("-0.08") },
		"not a number":            func(l *priceList) { l.price.Store("NaN") },
		"without bound":           func(l *priceList) { l.price.Store("+Inf") },
	} {
		t.Run(name, func(t *testing.T) {
			clock, list := newClock(), newPriceList("0.08")
			set(list)
			a := clientFor(t, aiven.Options{BaseURL: serve(t, list.ServeHTTP), Now: clock.Now})
			for range 3 {
				_, err := a.HourlyPrice(t.Context(), aPrice)
				require.Error(t, err)
			}
			assert.EqualValues(t, 1, list.calls.Load())
			list.code.Store(http.StatusOK)
			list.price.Store("0.08")
			clock.Move(time.Hour)
			price, err := a.HourlyPrice(t.Context(), aPrice)
			require.NoError(t, err)
			assert.InDelta(t, 0.08, price, 0)
		})
	}
}

func TestAPriceThatHadNoTurnIsAskedForAgain(t *testing.T) {
	list := newPriceList("0.08")
	list.code.Store(http.StatusTooManyRequests)
	a := clientFor(t, aiven.Options{BaseURL: serve(t, list.ServeHTTP)})
	_, err := a.HourlyPrice(t.Context(), aPrice)
	require.Error(t, err)
	list.code.Store(http.StatusOK)
	_, err = a.HourlyPrice(t.Context(), aPrice)
	require.NoError(t, err)
}

func TestPricesThatAreOldAreForgotten(t *testing.T) {
	clock, list := newClock(), newPriceList("0.08")
	clients := aiven.New(aiven.Options{BaseURL: serve(t, list.ServeHTTP), Now: clock.Now})
	client := func() *aiven.Client {
		c, err := clients.ForToken(token)
		require.NoError(t, err)
		return c
	}
	_, err := client().HourlyPrice(t.Context(), aPrice)
	require.NoError(t, err)
	for range 23 * 2 {
		clock.Move(30 * time.Minute)
		client()
	}
	assert.Equal(t, 1, client().Prices())
	for range 4 {
		clock.Move(30 * time.Minute)
		client()
	}
	assert.Zero(t, client().Prices())
}
