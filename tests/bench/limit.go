package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	// rateLimit is how many calls Aiven accepts from a user in a window.
	rateLimit  = 120
	rateWindow = time.Minute
	// sameRefusal is how long after a 429 calls may be refused that were under way.
	sameRefusal = time.Second
	// trustTime is how long after a 429 the limit isn't tried again.
	trustTime = 10 * time.Minute

	conditionStalled = "Stalled"

	limitPostgres, limitKafka = "bench-limit-pg", "bench-limit-kafka"
)

// What is measured of a thousand objects at Aiven's rate limit.
const (
	measuredLimitReady   = "at the limit: all ready"
	measuredLimitRatio   = "at the limit: time by that of as many calls"
	measuredLimitRefused = "at the limit: calls refused"
	measuredLimitProbes  = "at the limit: 429s in the 10 minutes after a 429"
	measuredLimitBlocked = "at the limit: objects Degraded, Failed or Stalled"
	measuredLimitEdits   = "at the limit: edits by a person"
	measuredLimitEdit    = "at the limit: an edit reaches Aiven"
)

// limitBudgets are those of the run at Aiven's rate limit.
var limitBudgets = map[string]budget{
	measuredLimitRatio: {limit: 1.05},
	// The first refusal is how the limit is learned.
	measuredLimitProbes:  {limit: 0},
	measuredLimitBlocked: {limit: 0},
	measuredLimitEdits:   {limit: 10, atLeast: true},
	measuredLimitEdit:    {limit: 5},
}

// fullLimit is the number of objects that the budgets are about.
const fullLimit = 1000

// limitMix is what that many are. Each takes at least one call that creates it.
var limitMix = []struct {
	example, service string
	objects          int
}{
	{"postgresql", limitPostgres, 1},
	{"kafka", limitKafka, 1},
	{"database", limitPostgres, 300},
	{"serviceuser", limitPostgres, 300},
	{"connectionpool", limitPostgres, 100},
	{"kafkatopic", limitKafka, 200},
	{"kafkaacl", limitKafka, 98},
}

// limited is a crowd of objects at Aiven's rate limit.
type limited struct {
	*crowd
	blocked map[string]string // by object: the first status that it should not have
	edits   []edit
}

// limit applies a thousand objects where Aiven accepts 120 calls a minute, and edits some of them meanwhile.
func (w *world) limit(ctx context.Context) error {
	err := w.restartAiven(ctx, "--latency", latency.String(), "--provision-time", provision.String(),
		"--rate-limit", fmt.Sprint(rateLimit), "--rate-window", rateWindow.String())
	if err != nil {
		return err
	}
	l, err := w.gatherLimited()
	if err != nil {
		return err
	}
	if err := w.startOperator(ctx); err != nil {
		return err
	}
	editing, done := context.WithCancel(ctx)
	defer done()
	edited := make(chan error, 1)
	go func() { edited <- l.editSome(editing) }()
	err = l.apply(ctx)
	done()
	if editErr := <-edited; err == nil {
		err = editErr
	}
	if err != nil {
		return err
	}
	return l.report(ctx)
}

func (w *world) gatherLimited() (*limited, error) {
	l := &limited{crowd: w.newCrowd("limit"), blocked: map[string]string{}}
	l.each = l.checkStatus
	for _, part := range limitMix {
		for i := range max(1, part.objects*w.atLimit/fullLimit) {
			name := part.service
			if part.objects > 1 {
				name = fmt.Sprintf("limit-%s-%03d", part.example, i)
			}
			if err := l.add(part.example, name, part.service); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// checkStatus notes a status that no object may have because the operator waits for its turn. It is called for one at a time.
func (l *limited) checkStatus(o object) {
	status, key := o.(managed).GetCommonStatus(), fmt.Sprintf("%T/%s", o, o.GetName())
	if l.blocked[key] != "" {
		return
	}
	if status.Phase == v1alpha1.PhaseDegraded || status.Phase == v1alpha1.PhaseFailed ||
		meta.IsStatusConditionTrue(status.Conditions, conditionStalled) || meta.IsStatusConditionFalse(status.Conditions, conditionReady) {
		l.blocked[key] = string(status.Phase)
		if ready := meta.FindStatusCondition(status.Conditions, conditionReady); ready != nil {
			l.blocked[key] += ", " + ready.Reason + ": " + ready.Message
		}
	}
}

// report waits until the limit might be tried again, and adds what the journal shows.
func (l *limited) report(ctx context.Context) error {
	journal, err := l.admin.Journal(ctx, 0)
	if err != nil {
		return err
	}
	if refusals := refusedAt(journal); len(refusals) > 0 && l.atLimit >= fullLimit {
		l.say("       all are ready; at rest until ten minutes after the first 429")
		if err := pause(ctx, time.Until(refusals[0].Add(trustTime))); err != nil {
			return err
		}
	}
	if journal, err = l.admin.Journal(ctx, 0); err != nil {
		return err
	}
	calls, seconds := callsUntil(journal, l.last()), l.last().Sub(l.begin).Seconds()
	refusals := refusedAt(journal)
	stats, err := l.admin.Stats(ctx)
	if err != nil {
		return err
	}
	l.world.add(measuredLimitReady, seconds, "s", fmt.Sprintf("%d objects, %d calls: %s", len(l.objects), calls, byOperation(stats)))
	l.world.add(measuredLimitRatio, seconds/(float64(calls)*rateWindow.Seconds()/rateLimit), "times", fmt.Sprintf("%d calls, at 2 a second", calls))
	l.world.add(measuredLimitRefused, float64(len(refusals)), "calls", fmt.Sprintf("of %d", stats.Total))
	l.world.add(measuredLimitProbes, float64(len(probes(refusals))), "calls", "without those that were under way at the first one")
	l.world.add(measuredLimitBlocked, float64(len(l.blocked)), "objects", firstOf(l.blocked))
	return l.reportEdits(journal)
}

// refusedAt is when Aiven refused a call for its rate.
func refusedAt(journal []localaiven.Entry) []time.Time {
	var refusals []time.Time
	for _, entry := range journal {
		if entry.Status == http.StatusTooManyRequests {
			refusals = append(refusals, entry.Time)
		}
	}
	return refusals
}

// probes are the refusals that come too early after one that began a pause, and were not under way then.
func probes(refusals []time.Time) []time.Time {
	var early []time.Time
	var latest time.Time
	for _, at := range refusals {
		since := at.Sub(latest)
		if since <= sameRefusal {
			continue
		}
		if !latest.IsZero() && since < trustTime {
			early = append(early, at)
		}
		latest = at
	}
	return early
}

// callsUntil counts the calls that had arrived at a time.
func callsUntil(journal []localaiven.Entry, end time.Time) int {
	n := slices.IndexFunc(journal, func(e localaiven.Entry) bool { return e.Time.After(end) })
	if n < 0 {
		return len(journal)
	}
	return n
}

// firstOf lists some of the objects that were blocked, each with its status.
func firstOf(blocked map[string]string) string {
	const some = 3
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(blocked))[:min(some, len(blocked))] {
		lines = append(lines, name+": "+blocked[name])
	}
	return strings.Join(lines, "; ")
}
