package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
`))
	require.NoError(t, err)
	assert.InDelta(t, 7, v.reconciles, 0)
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

func TestACrowdCountsEachObjectOnceItIsReady(t *testing.T) {
	c := (&world{}).newCrowd("x")
	database := func(name string, observed int64, ready metav1.ConditionStatus) watch.Event {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
		d.Status.ObservedGeneration = observed
		d.Status.Conditions = []metav1.Condition{{Type: conditionReady, Status: ready}}
		return watch.Event{Type: watch.Modified, Object: d}
	}
	for _, event := range []watch.Event{
		database("a", -1, metav1.ConditionTrue), database("a", 1, metav1.ConditionUnknown), database("a", 1, metav1.ConditionTrue),
		database("a", 1, metav1.ConditionTrue), database("b", 1, metav1.ConditionTrue),
		{Type: watch.Error, Object: &metav1.Status{}},
	} {
		c.note(event)
	}
	assert.Len(t, c.ready, 2)
	assert.Len(t, c.curve, 2)
	assert.False(t, c.last().IsZero())
}

func TestOnlyWritesOfTheOperatorCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	text := `{"verb":"patch","userAgent":"manager/v1","objectRef":{"resource":"databases","subresource":"status","name":"a"},"requestReceivedTimestamp":"2026-01-02T03:04:05.000000Z","stageTimestamp":"2026-01-02T03:04:05.007000Z"}
{"verb":"get","userAgent":"manager/v1","objectRef":{"resource":"secrets"}}
{"verb":"update","userAgent":"manager/v1","objectRef":{"resource":"leases"}}
{"verb":"create","userAgent":"manager/v1","objectRef":{"resource":"events","name":"a.ba403339b6c5b53c"}}
{"verb":"create","userAgent":"manager/v1","objectRef":{"resource":"secrets","name":"b"}}
{"verb":"create","userAgent":"bench/v1","objectRef":{"resource":"databases"}}
`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	got, err := (&auditLog{path: path}).since(0)
	require.NoError(t, err)
	assert.Len(t, got, 3)
	assert.Equal(t, 1, got.events())
	assert.Equal(t, map[string]int{"patch databases/status": 1, "create events": 1, "create secrets": 1}, got.sorts())
	assert.Equal(t, []time.Duration{7 * time.Millisecond, 0, 0}, got.durations())
	assert.Len(t, got.of("a")["a"], 2, "an event is about the object whose name it begins with")
	done := time.Date(2026, 1, 2, 3, 4, 5, 7e6, time.UTC)
	assert.Len(t, got.between(done, done), 1)
}

func TestTheWritesOfAnObjectAreThoseOfNineteenInTwenty(t *testing.T) {
	objects := map[string]writes{}
	for i := range 100 {
		objects[fmt.Sprint(i)] = writes{{sort: "patch databases"}, {sort: "create events"}}
	}
	objects["7"] = make(writes, 9)
	most, note := mostWrites(objects)
	assert.Equal(t, 2, most)
	assert.Contains(t, note, "the most is 9; create events 1, patch databases 1")
	most, _ = mostWrites(nil)
	assert.Zero(t, most)
}

func TestAProbeIsA429WithinTenMinutesThatWasNotUnderWay(t *testing.T) {
	start := time.Now()
	at := func(d time.Duration, status int) localaiven.Entry {
		return localaiven.Entry{Time: start.Add(d), Operation: "ServiceDatabaseCreate", Path: "/x", Status: status}
	}
	journal := []localaiven.Entry{
		at(0, 200), at(time.Second, 429), at(1500*time.Millisecond, 429), at(time.Minute, 200), at(5*time.Minute, 429), at(16*time.Minute, 429),
		at(16*time.Minute+time.Millisecond, 429), at(17*time.Minute, 429),
	}
	refusals := refusedAt(journal)
	assert.Len(t, refusals, 6)
	assert.Equal(t, []time.Time{start.Add(5 * time.Minute), start.Add(17 * time.Minute)}, probes(refusals))
	assert.Equal(t, 4, callsUntil(journal, start.Add(2*time.Minute)))
	assert.Len(t, journal, callsUntil(journal, start.Add(time.Hour)))
	one := edit{made: start.Add(time.Second), operation: "ServiceDatabaseCreate", path: "x"}
	assert.Equal(t, start.Add(time.Minute), one.served(journal), "a refused call serves nothing")
}

func TestAThousandObjectsAreGatheredForTheLimit(t *testing.T) {
	for _, n := range []int{1000, 100} {
		l, err := (&world{options: options{root: filepath.Join("..", ".."), atLimit: n}}).gatherLimited()
		require.NoError(t, err)
		assert.InDelta(t, n, len(l.objects), 3)
	}
}

func TestAnObjectIsBlockedOnceItIsDegradedFailedOrStalled(t *testing.T) {
	l := &limited{blocked: map[string]string{}}
	status := func(name string, phase v1alpha1.Phase, kind string, ready metav1.ConditionStatus) {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: name}}
		d.Status.Phase = phase
		d.Status.Conditions = []metav1.Condition{{Type: kind, Status: ready, Reason: "R", Message: "m"}}
		l.checkStatus(d)
	}
	status("waits", v1alpha1.PhaseStarting, conditionReady, metav1.ConditionUnknown)
	status("waits", v1alpha1.PhaseReady, conditionReady, metav1.ConditionTrue)
	status("degraded", v1alpha1.PhaseDegraded, conditionReady, metav1.ConditionUnknown)
	status("stalled", v1alpha1.PhaseStarting, conditionStalled, metav1.ConditionTrue)
	status("false", v1alpha1.PhaseStarting, conditionReady, metav1.ConditionFalse)
	assert.Len(t, l.blocked, 3)
	assert.Equal(t, "Degraded, R: m", l.blocked["*v1alpha1.Database/degraded"])
	assert.Contains(t, firstOf(l.blocked), "degraded: Degraded, R: m; ")
}

func TestTheAuditLogIsCountedFromAMark(t *testing.T) {
	log := auditLog{path: filepath.Join(t.TempDir(), "audit.log")}
	assert.Zero(t, log.mark(), "before there is one")
	line := `{"verb":"patch","userAgent":"manager/v1","objectRef":{"resource":"databases"}}` + "\n"
	require.NoError(t, os.WriteFile(log.path, []byte(line), 0o600))
	mark := log.mark()
	require.NoError(t, os.WriteFile(log.path, []byte(line+line+line), 0o600))
	got, err := log.since(mark)
	require.NoError(t, err)
	assert.Len(t, got, 2)

	require.NoError(t, os.WriteFile(log.path, []byte(line+line[:20]), 0o600))
	got, next, err := log.read(0)
	require.NoError(t, err)
	assert.Len(t, got, 1)
	assert.EqualValues(t, len(line), next, "a line that is being written comes with the next read")
}

func TestMemoryIsWhatTheKernelCounts(t *testing.T) {
	got, err := parseMemory(strings.NewReader("Name:\tmanager\nVmHWM:\t   70000 kB\nRssAnon:\t   30000 kB\nThreads:\t9\n"))
	require.NoError(t, err)
	assert.InDelta(t, 71.68, got.peak, 1e-9)
	assert.InDelta(t, 30.72, got.anon, 1e-9)
	_, err = parseMemory(strings.NewReader("Name:\tmanager\n"))
	require.ErrorContains(t, err, "doesn't say")
}

func TestTheHighestPointOfACurve(t *testing.T) {
	assert.Zero(t, highest(nil))
	assert.InDelta(t, 8, highest([]point{{1, 3}, {2, 8}, {3, 5}}), 0)
}

func TestTheWirePassesEverythingOnAndCountsConnections(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer server.Close()
	w, err := newWire(t.Context(), server.Listener.Addr().String())
	require.NoError(t, err)
	echo := func(client *http.Client) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL, strings.NewReader("hello"))
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		return string(body)
	}
	for range 2 { // clients, each of which keeps its connection
		client := &http.Client{Transport: &http.Transport{}}
		assert.Equal(t, "hello", echo(client))
		assert.Equal(t, "hello", echo(client))
		client.CloseIdleConnections()
	}
	assert.EqualValues(t, 2, w.connections())
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "it is closed already")
	require.NoError(t, (*wire)(nil).Close(), "there is none")
}

func TestAScaledDownMeasurementSaysSo(t *testing.T) {
	assert.Equal(t, "2010 objects, in 10 services; scaled down from 10000, which --objects changes",
		(&world{options: options{objects: 2000}}).scaledNote(2010))
	assert.Equal(t, "10010 objects, in 10 services", (&world{options: options{objects: full}}).scaledNote(10_010))
}

func TestAsManyObjectsAreGatheredAsWereAskedFor(t *testing.T) {
	w := &world{options: options{root: filepath.Join("..", ".."), objects: 60}}
	c, err := w.gather()
	require.NoError(t, err)
	assert.Len(t, c.objects, services+60)
	names := map[string]bool{}
	for _, o := range c.objects {
		names[fmt.Sprintf("%T/%s", o, o.GetName())] = true
	}
	assert.Len(t, names, services+60, "each has a name of its own")
}

func TestWhenAServiceRanAndWhenItWasNoticed(t *testing.T) {
	start := time.Now()
	at := func(d time.Duration, operation string) localaiven.Entry {
		return localaiven.Entry{Time: start.Add(d), Operation: operation, Status: http.StatusOK}
	}
	runs, noticed := whenRunning([]localaiven.Entry{
		at(0, "ServiceGet"), at(time.Second, "ServiceCreate"), at(2*time.Second, "ServiceGet"),
		at(provision+1500*time.Millisecond, "ServiceUserCreate"), at(provision+2*time.Second, "ServiceList"), at(provision+3*time.Second, "ServiceGet"),
	})
	assert.Equal(t, start.Add(provision+time.Second+latency), runs, "Aiven begins to build when the call has reached it")
	assert.Equal(t, start.Add(provision+2*time.Second+latency), noticed)
}

func TestPicturesAreDrawnOfWhatWasMeasured(t *testing.T) {
	folder := t.TempDir()
	many := make([]point, 1000)
	for i := range many {
		many[i] = point{float64(i), float64(i)}
	}
	require.NoError(t, (&curves{ready: many}).draw(folder))
	text, err := os.ReadFile(filepath.Join(folder, "ready.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "<svg")
	assert.NoFileExists(t, filepath.Join(folder, "calls.svg"))
}
