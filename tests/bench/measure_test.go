package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/localaiven"
)

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	cases := map[string]struct {
		values []time.Duration
		p      float64
		want   time.Duration
	}{
		"the median of nothing is 0":                      {nil, 50, 0},
		"of one value, every percentile is that value":    {[]time.Duration{7}, 95, 7},
		"the median of two is the smaller one":            {[]time.Duration{9, 3}, 50, 3},
		"the median of three is the one between":          {[]time.Duration{9, 3, 5}, 50, 5},
		"the order of values doesn't matter":              {hundred, 50, 50},
		"p95 of a hundred is the ninety-fifth":            {hundred, 95, 95},
		"p95 of twenty is the nineteenth":                 {hundred[80:], 95, 19},
		"the hundredth percentile is the largest":         {hundred, 100, 100},
		"the zeroth percentile is the smallest":           {hundred, 0, 1},
		"equal values are as many values as they say are": {[]time.Duration{5, 5, 5, 8}, 75, 5},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, percentile(tc.values, tc.p)) })
	}
}

func TestVitalsAddUpOverLabels(t *testing.T) {
	v, err := parseVitals(strings.NewReader(`# TYPE controller_runtime_reconcile_total counter
controller_runtime_reconcile_total{controller="database",result="success"} 3
controller_runtime_reconcile_total{controller="serviceuser",result="requeue_after"} 4
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 1.5
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 4.194304e+06
`))
	require.NoError(t, err)
	assert.Equal(t, vitals{reconciles: 7, memory: 4 << 20, cpu: 1.5}, v)
}

func TestVitalsThatAreMissingAreNotZero(t *testing.T) {
	_, err := parseVitals(strings.NewReader("# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1\n"))
	require.ErrorContains(t, err, "the operator has no metric ")
}

func TestCallsAreListedByFrequencyAndThenByName(t *testing.T) {
	assert.Equal(t, "ServiceGet 3, ProjectKmsGetCA 1, ServiceCreate 1", byOperation(localaiven.Stats{
		Calls: map[string]int64{"ServiceCreate": 1, "ServiceGet": 3, "ProjectKmsGetCA": 1},
	}))
	assert.Empty(t, byOperation(localaiven.Stats{}))
}

func TestAnArrivalKeepsTheFirstTimeOfEachThing(t *testing.T) {
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	database := func(observed int64, ready bool) watch.Event {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: "new-00", Generation: 1}}
		d.Status.ObservedGeneration = observed
		if ready {
			d.Status.Conditions = []metav1.Condition{{Type: conditionReady, Status: metav1.ConditionTrue}}
		}
		return watch.Event{Type: watch.Modified, Object: d}
	}
	seen := arrivals{}
	for second, event := range []watch.Event{
		database(-1, false), database(-1, false), database(1, false), database(1, false), database(1, true), database(1, true),
	} {
		require.NoError(t, seen.note(event, at(second)))
	}
	assert.Equal(t, arrivals{"new-00": {created: at(0), status: at(2), ready: at(4)}}, seen)
	assert.False(t, seen.complete(), "one of many")
	require.Error(t, seen.note(watch.Event{Type: watch.Error, Object: &metav1.Status{}}, start))
}
