package metrics

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// measurement is a Latency with a clock that only the test moves, and a reconciler that does nothing.
type measurement struct {
	*testing.T
	predicate  predicate.Predicate
	reconciler reconcile.Reconciler
	now        time.Time
}

func newMeasurement(t *testing.T, elected bool) *measurement {
	r := &measurement{T: t, now: time.Unix(1000, 0)}
	leads := make(chan struct{})
	if elected {
		close(leads)
	}
	latency := &Latency{Kind: t.Name(), Elected: leads, Now: func() time.Time { return r.now }}
	r.predicate = latency.Predicate()
	r.reconciler = latency.Wrap(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: time.Minute}, errors.New("passed on")
	}))
	return r
}

func database(name string, ready metav1.ConditionStatus) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: name}}
	if ready != "" {
		d.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready}}
	}
	return d
}

func (r *measurement) create(name string, initial bool) {
	assert.True(r, r.predicate.Create(event.CreateEvent{Object: database(name, ""), IsInInitialList: initial}), "every event passes")
}

func (r *measurement) update(name string, ready metav1.ConditionStatus) {
	assert.True(r, r.predicate.Update(event.UpdateEvent{ObjectOld: database(name, ""), ObjectNew: database(name, ready)}))
}

func (r *measurement) remove(name string) {
	assert.True(r, r.predicate.Delete(event.DeleteEvent{Object: database(name, "")}))
}

func (r *measurement) reconcile(name string) {
	result, err := r.reconciler.Reconcile(r.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(database(name, ""))})
	assert.Equal(r, time.Minute, result.RequeueAfter)
	assert.EqualError(r, err, "passed on")
}

func (r *measurement) after(d time.Duration) { r.now = r.now.Add(d) }

// measured are how many times a histogram has measured for this test's kind, and their sum in seconds.
func (r *measurement) measured(histogram *prometheus.HistogramVec) (count int, sum float64) {
	registry := prometheus.NewPedanticRegistry()
	require.NoError(r, registry.Register(histogram))
	histogram.WithLabelValues(r.Name()) // it exists also if nothing was measured
	families, err := registry.Gather()
	require.NoError(r, err)
	require.Len(r, families, 1)
	for _, metric := range families[0].GetMetric() {
		if metric.GetLabel()[0].GetValue() == r.Name() {
			return int(metric.GetHistogram().GetSampleCount()), metric.GetHistogram().GetSampleSum()
		}
	}
	require.FailNow(r, "no metric of "+r.Name())
	return 0, 0
}

func (r *measurement) expect(histogram *prometheus.HistogramVec, count int, sum float64, why string) {
	r.Helper()
	gotCount, gotSum := r.measured(histogram)
	assert.Equal(r, count, gotCount, why)
	assert.InDelta(r, sum, gotSum, 1e-9, why)
}

func TestANewObjectIsMeasuredToItsFirstReconcileAndToReady(t *testing.T) {
	r := newMeasurement(t, true)
	r.create("orders", false)
	r.after(20 * time.Millisecond)
	r.reconcile("orders")
	r.after(time.Second)
	r.reconcile("orders")
	r.expect(pickup, 1, 0.02, "only the first reconcile counts")
	r.update("orders", metav1.ConditionUnknown)
	r.expect(timeToReady, 0, 0, "it isn't ready yet")
	r.after(4 * time.Second)
	r.update("orders", metav1.ConditionTrue)
	r.expect(timeToReady, 1, 5.02, "from the event to readiness")
	r.update("orders", metav1.ConditionFalse)
	r.update("orders", metav1.ConditionTrue)
	r.reconcile("orders")
	r.expect(timeToReady, 1, 5.02, "only the first time counts")
	r.expect(pickup, 1, 0.02, "it is no longer new")
}

func TestOnlyNewObjectsAreMeasured(t *testing.T) {
	for name, tc := range map[string]struct {
		elected bool
		happens func(r *measurement)
	}{
		"an object that existed when the operator started":            {elected: true, happens: func(r *measurement) { r.create("orders", true) }},
		"an object that was created while the replica was on standby": {elected: false, happens: func(r *measurement) { r.create("orders", false) }},
		"an object that was deleted before its first reconcile": {elected: true, happens: func(r *measurement) {
			r.create("orders", false)
			r.remove("orders")
		}},
		"an object without a watch event": {elected: true, happens: func(*measurement) {}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newMeasurement(t, tc.elected)
			tc.happens(r)
			r.after(time.Second)
			r.reconcile("orders")
			r.update("orders", metav1.ConditionTrue)
			r.expect(pickup, 0, 0, name)
			r.expect(timeToReady, 0, 0, name)
		})
	}
}

func TestARecreatedObjectIsMeasuredAgain(t *testing.T) {
	r := newMeasurement(t, true)
	r.create("orders", false)
	r.reconcile("orders")
	r.remove("orders")
	r.after(time.Hour)
	r.create("orders", false)
	r.after(time.Second)
	r.reconcile("orders")
	r.update("orders", metav1.ConditionTrue)
	r.expect(pickup, 2, 1, "at once, and after a second")
	r.expect(timeToReady, 1, 1, "the first one never was")
}

func TestHistogramsFollowTheConventions(t *testing.T) {
	for _, histogram := range []prometheus.Collector{pickup, timeToReady} {
		problems, err := testutil.CollectAndLint(histogram)
		require.NoError(t, err)
		assert.Empty(t, problems)
	}
}
