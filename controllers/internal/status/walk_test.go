package status

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// common are findings that any object may meet.
var common = []finding{
	paused, badPolicy, notAllowed, noToken, observeFails(down), observeFails(errBadToken), observeFails(denied), observeFails(invalid),
	observeFails(errBadRequest), observeFails(throttled), observeFails(starting), observeFails(fmt.Errorf("garbage")),
	problem(fmt.Errorf("adding the finalizer: boom")), refAbsent, refWaits, refBroken,
	func(f *Facts) { f.TokenErr = fmt.Errorf("reading the token: boom") },
}

// leaves are findings of an object that lives in a service.
var leaves = append([]finding{
	inSync, inSync, inSync, created, all(refReady, inSync), all(inSync, updated("spec.size")), all(inSync, disabled),
	all(inSync, withoutDetails), all(inSync, foreign), all(inSync, unwritten), all(serviceRuns, working, withoutDetails),
	all(serviceMissing), all(serviceOff), all(serviceBuilds), all(serviceMissing, observeFails(down)),
	createRefused(errBadRequest), createRefused(busy), createRefused(denied), createRefused(errOverQuota), createRefused(down),
	updateRefused(errBadRequest), updateRefused(busy), updateRefused(down), updateRefused(throttled), updateRefused(errBadToken),
	all(created, func(f *Facts) { f.Recreated = true }),
	orphaned, awaiting, all(inSync, updated("spec.size"), pendingFact), all(inSync, problem(fmt.Errorf("adding the finalizer: boom"))),
}, common...)

// services are findings of an object that is a service.
var services = append([]finding{
	serviceInSync, serviceInSync, all(serviceInSync, pendingFact), serviceCreated, all(working, withoutDetails), all(off, withoutDetails), all(absent, withoutDetails, refused(errOverQuota)),
	all(absent, withoutDetails, refused(errBadRequest)), all(serviceInSync, refused(busy)),
	all(serviceInSync, func(f *Facts) { f.WaitFor = "Waiting for the first backup" }),
	all(remote(Remote{Exists: true, State: "RUNNING", Reason: "Updating"}), published, updated("spec.plan")),
	all(serviceInSync, problem(fmt.Errorf("adding the finalizer: boom"))),
}, common...)

// pauses between two reconciles, on both sides of every timer.
var gaps = []time.Duration{
	0, time.Second, 9 * time.Second, 10 * time.Second, 11 * time.Second, 61 * time.Second, 10 * time.Minute, time.Hour,
}

// What every conclusion has to hold is in requireInvariants.
func TestH08_X27_InvariantsHoldOnAnyPath(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("path %d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			o, found := newObject(seed%2 == 0), leaves
			if o.isService {
				found = services
			}
			for range 40 {
				if random.IntN(10) == 0 {
					o.generation++
				}
				o.now = o.now.Add(gaps[random.IntN(len(gaps))])
				o.reconcile(t, found[random.IntN(len(found))])
				if t.Failed() {
					return
				}
			}
		})
	}
}

// Invariants 7 and 8: once nothing changes any more, the status doesn't either, and there is no event. Only an
// error repeats its event, and only work that goes on has a heartbeat.
func TestX13_TheSameFactsComeToRest(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		o, found := newObject(seed%2 == 0), leaves
		if o.isService {
			found = services
		}
		for range random.IntN(8) {
			o.now = o.now.Add(gaps[random.IntN(len(gaps))])
			o.reconcile(t, found[random.IntN(len(found))])
		}
		for i, find := range found {
			requireRest(t, o, find, fmt.Sprintf("path %d, finding %d", seed, i))
		}
	}
}

func requireRest(t *testing.T, start *object, find finding, path string) {
	t.Helper()
	o := *start
	o.status, o.annotations = *start.status.DeepCopy(), map[string]string{}
	for key, value := range start.annotations {
		o.annotations[key] = value
	}
	// What was done once isn't done again, and all timers are over by then.
	again := all(find, func(f *Facts) { f.Mutation, f.Recreated, f.Changes = Unchanged, false, nil })
	o.reconcile(t, find)
	for range 3 {
		o.now = o.now.Add(time.Hour)
		o.reconcile(t, again)
	}
	before := o.status.DeepCopy()
	o.now = o.now.Add(10 * time.Second)
	c := o.reconcile(t, again)
	if c.Status.LastAttemptTime != nil {
		require.NotNil(t, before.LastAttemptTime, path)
		c.Status.LastAttemptTime = before.LastAttemptTime
	}
	if c.Row != "created or updating" { // its message has the duration
		assert.Equal(t, *before, c.Status, "%s, row %q", path, c.Row)
	}
	if c.Event != nil {
		errors := []string{"infrastructure error", "Secret not published"}
		assert.Equal(t, "Warning", c.Event.Type, "%s, row %q: %s", path, c.Row, c.Event.Reason)
		assert.Contains(t, errors, c.Row, "%s: %s", path, c.Event.Reason)
	}
}

func TestP15_X18_ConcludeIsPure(t *testing.T) {
	o := newObject(false)
	o.reconcile(t, created)
	f := o.facts(observeFails(down))
	first, second := Conclude(&o.status, f), Conclude(&o.status, f)
	assert.Equal(t, first, second)
}
