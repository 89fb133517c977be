package status

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// after reconciles an object at each moment, and returns the last conclusion.
func after(t *testing.T, o *object, moments ...moment) Conclusion {
	t.Helper()
	var c Conclusion
	for _, m := range moments {
		o.now = o.now.Add(m.after)
		c = o.reconcile(t, m.finds)
	}
	return c
}

func TestAConditionFollowsFromWhatWasFound(t *testing.T) {
	outage := []moment{{time.Hour, observeFails(down)}}
	for name, tc := range map[string]struct {
		service bool
		moments []moment
		kind    string
		want    string
	}{
		"a service that was read proves the token, though the next read failed": {
			moments: []moment{{0, all(serviceRuns, observeFails(down))}}, kind: condition.AuthValid, want: "True/AuthenticationValid",
		},
		"a service that is read during an outage keeps the token valid": {
			moments: append(outage, moment{time.Second, all(serviceRuns, observeFails(down))}), kind: condition.AuthValid,
			want: "True/AuthenticationValid",
		},
		"an outage from the beginning proves nothing about the token": {
			moments: outage, kind: condition.AuthValid, want: "Unknown/Unverified",
		},
		"what was ready and isn't active is updated": {
			moments: append(bornReady, moment{time.Hour, all(serviceRuns, working, published)}), kind: condition.RemoteReady,
			want: "False/Updating",
		},
		"what was created again is created": {
			moments: append(bornReady, moment{time.Hour, all(serviceRuns, working, withoutDetails, func(f *Facts) { f.Mutation = Created })}),
			kind:    condition.RemoteReady, want: "False/Creating",
		},
		"what was never ready is created": {
			moments: []moment{{0, all(serviceRuns, working, withoutDetails)}}, kind: condition.RemoteReady, want: "False/Creating",
		},
		"what blocks a deletion is an answer of Aiven": {
			moments: []moment{{0, deletion(Deletion{Blocked: "delete topic x first"})}}, kind: condition.DependenciesReachable,
			want: "True/Reachable",
		},
		"a deletion that wasn't sent is no answer of Aiven": {
			moments: []moment{{0, deletion(Deletion{})}}, kind: condition.DependenciesReachable, want: "Unknown/Unverified",
		},
		"a deletion that Aiven refuses is an answer of Aiven": {
			moments: []moment{{0, deletionFails(errBadRequest)}}, kind: condition.DependenciesReachable, want: "True/Reachable",
		},
		"a deletion without a token is no answer of Aiven": {
			moments: []moment{{0, all(noToken, deletionFails(fmt.Errorf("Secret ns/token doesn't exist")))}},
			kind:    condition.DependenciesReachable, want: "Unknown/Unverified",
		},
		"a deletion with an impossible spec is no answer of Aiven": {
			moments: []moment{{0, deletionFails(invalid)}}, kind: condition.DependenciesReachable, want: "Unknown/Unverified",
		},
		"what is adopted checks its preconditions again, though it was observed before": {
			moments: []moment{
				{0, all(inSync, onlyObserving)}, {time.Minute, all(inSync, owned(v1alpha1.ProvenanceAdopted), refused(errBadRequest))},
			},
			kind: condition.LegacyInitialized, want: "True/Preconditions",
		},
		"what is taken over stays accepted": {
			moments: []moment{
				{0, all(inSync, notOwnedYet)}, {time.Minute, all(inSync, owned(v1alpha1.ProvenanceTakenOver), refused(errBadRequest))},
			},
			kind: condition.LegacyInitialized, want: "True/CreatedOrUpdated",
		},
		"a service that is off without drift is powered on": {
			service: true, moments: []moment{{0, all(remote(Remote{Exists: true, Off: true, State: "POWEROFF"}), withoutDetails)}},
			kind: condition.Ready, want: "Unknown/Progressing",
		},
		"a service that comes back is ready at once": {
			service: true, moments: append(serviceBorn, moment{time.Minute, all(absent, withoutDetails, refused(errOverQuota))}, moment{time.Second, serviceInSync}),
			kind: condition.Ready, want: "True/ReconciliationSucceeded",
		},
		"a service is ready as soon as its Secret is written": {
			service: true, moments: append(serviceBorn,
				moment{time.Minute, all(remote(Remote{Exists: true, Active: true, State: "RUNNING"}), unwritten)}, moment{time.Second, serviceInSync}),
			kind: condition.Ready, want: "True/ReconciliationSucceeded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := after(t, newObject(tc.service), tc.moments...)
			got := conditionOf(&c, tc.kind)
			require.NotNil(t, got)
			assert.Equal(t, tc.want, string(got.Status)+"/"+got.Reason)
		})
	}
}

func TestWhatIsDegradedStaysSoUntilItIsUsableOrEdited(t *testing.T) {
	outage := moment{11 * time.Second, observeFails(down)}
	for name, tc := range map[string]struct {
		edited bool
		want   v1alpha1.Phase
	}{
		"Aiven works on it":    {false, v1alpha1.PhaseDegraded},
		"the spec has changed": {true, v1alpha1.PhaseStarting},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			require.Equal(t, v1alpha1.PhaseDegraded, after(t, o, moment{0, created}, outage, outage).Status.Phase)
			if tc.edited {
				o.generation++
			}
			assert.Equal(t, tc.want, after(t, o, moment{time.Second, all(serviceRuns, working, published)}).Status.Phase)
		})
	}
}

func TestATimeIsOverOnceItIsExceeded(t *testing.T) {
	worked := all(serviceRuns, working, withoutDetails)
	for name, tc := range map[string]struct {
		given          []moment
		finds          finding
		time           time.Duration
		exactly, later string // phase, reasons of Ready and of DependenciesReachable, event
	}{
		"the degradation time of an outage": {
			given: []moment{{0, worked}}, finds: observeFails(down), time: timings.Degradation,
			exactly: "Starting ProgressingWithRetry ServerError",
			later:   "Degraded ProgressingWithRetry ServerError Warning UnableToWaitForPreconditions",
		},
		"the degradation time of a deletion": {
			finds: deletionFails(down), time: timings.Degradation,
			exactly: "ProgressingWithRetry ServerError", later: "ProgressingWithRetry ServerError Warning UnableToDelete",
		},
		"the time in which a reference appears": {
			finds: refAbsent, time: timings.Degradation,
			exactly: "Pending Progressing Unverified", later: "Failed ReferenceNotFound Unverified Warning UnableToWaitForPreconditions",
		},
		"the grace for a token without a permission": {
			given: []moment{{0, worked}}, finds: observeFails(denied), time: timings.AuthGrace,
			exactly: "Degraded ProgressingWithRetry Forbidden Warning UnableToWaitForPreconditions", later: "Degraded AuthFailed Reachable Warning AuthFailed",
		},
		"the deadline of a change that is refused for now": {
			finds: createRefused(busy), time: timings.ProgressDeadline,
			exactly: "Starting Progressing Reachable Normal WaitingForPreconditions",
			later:   "Failed InvalidSpec Reachable Warning UnableToCreateOrUpdateAtAiven",
		},
		"the deadline of a change that Aiven wasn't asked for yet": {
			finds: createRefused(fault.NotYet("a task runs")), time: timings.ProgressDeadline,
			exactly: "Starting Progressing Reachable Normal WaitingForPreconditions", later: "Degraded Progressing Reachable",
		},
		"the deadline of work at Aiven": {
			finds: worked, time: timings.ProgressDeadline, exactly: "Starting Progressing Reachable", later: "Degraded Progressing Reachable",
		},
		"the deadline of what was made in part": {
			finds: orphaned, time: timings.ProgressDeadline,
			exactly: "Starting Progressing Reachable Normal WaitingForPreconditions", later: "Degraded Progressing Reachable",
		},
		"the deadline of a call that waits for its turn": {
			given: []moment{{0, worked}}, finds: observeFails(throttled), time: timings.ProgressDeadline,
			exactly: "Starting Progressing Reachable", later: "Starting Progressing RateLimited",
		},
		"the time in which a service appears": {
			finds: serviceMissing, time: timings.ProgressDeadline,
			exactly: "Pending Progressing Reachable Normal WaitingForPreconditions", later: "Pending Progressing Reachable Warning UnableToWaitForPreconditions",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			after(t, o, append(slices.Clone(tc.given), moment{0, tc.finds})...)
			for _, step := range []struct {
				after time.Duration
				want  string
			}{{tc.time, tc.exactly}, {time.Second, tc.later}} {
				c := after(t, o, moment{step.after, tc.finds})
				ready, reachable := conditionOf(&c, condition.Ready), conditionOf(&c, condition.DependenciesReachable)
				got := []string{string(c.Status.Phase), ready.Reason, reachable.Reason, eventOf(&c)}
				assert.Equal(t, step.want, strings.TrimSpace(strings.Join(got, " ")))
			}
		})
	}
}

func TestTheNoteOfAWarningIsTheMessageOfReady(t *testing.T) {
	c := after(t, newObject(false), moment{0, createRefused(errBadRequest)})
	require.NotNil(t, c.Event)
	assert.Equal(t, conditionOf(&c, condition.Ready).Message, c.Event.Note)
}

func TestANoteIsAsLongAsKubernetesAllows(t *testing.T) {
	for name, tc := range map[string]struct{ given, want string }{
		"what just fits is kept": {strings.Repeat("x", userconfig.MaxText), strings.Repeat("x", userconfig.MaxText)},
		"what is longer is cut":  {strings.Repeat("x", userconfig.MaxText+1), strings.Repeat("x", userconfig.MaxText-3) + "..."},
		"a character isn't halved": {
			strings.Repeat("x", userconfig.MaxText-4) + "éééé", strings.Repeat("x", userconfig.MaxText-4) + "...",
		},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, note(tc.given)) })
	}
}
