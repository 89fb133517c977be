package status

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// activity says which of the two conditions that kstatus reads accompanies Ready.
type activity int

const (
	settled     activity = iota // neither
	reconciling                 // work goes on by itself
	stalled                     // only a change of this object helps
)

// verdict is what a row of the table decides.
type verdict struct {
	ready    metav1.ConditionStatus
	reason   string
	message  string
	phase    v1alpha1.Phase // "" keeps the one there is
	activity activity
	after    time.Duration // 0 with no error: only a change wakes the object
	err      error         // given to the queue, which backs off
	poll     bool          // this is the slow look at something at rest
}

// rule is one row of the table.
type rule struct {
	name    string
	matches func(*judge) bool
	decide  func(*judge) verdict
}

// rules is the table. The first row that matches wins.
var rules = []rule{
	{"deletion policy unknown", (*judge).policyUnknown, (*judge).refusePolicy},
	{"deletion running", (*judge).deleting, (*judge).judgeDeletion},
	{"paused", (*judge).paused, (*judge).keepPaused},
	{"spec rejected", (*judge).specRejected, (*judge).rejectSpec},
	{"token missing or rejected", (*judge).authFailed, (*judge).failAuth},
	{"reference absent", (*judge).referenceAbsent, (*judge).awaitReference},
	{"quota or billing refusal", (*judge).exhausted, (*judge).failExhausted},
	{"transient refusal of a mutation", (*judge).refusedForNow, (*judge).awaitAcceptance},
	{"infrastructure error within the grace", (*judge).troubleInGrace, (*judge).keepReady},
	{"infrastructure error", (*judge).inTrouble, (*judge).retry},
	{"Secret not published", (*judge).secretFailed, (*judge).retrySecret},
	{"reference not ready", (*judge).referencePending, (*judge).awaitPending},
	{"service powered off", (*judge).serviceOff, (*judge).awaitPower},
	{"service missing or not ready", (*judge).serviceUnusable, (*judge).awaitService},
	{"created or updating", (*judge).progressing, (*judge).awaitRemote},
	{"powered off on request", (*judge).offAsRequested, (*judge).acceptOff},
	{"in sync", func(*judge) bool { return true }, (*judge).acceptSync},
}

func (j *judge) policyUnknown() bool { return j.PolicyErr != nil }

func (j *judge) refusePolicy() verdict {
	return verdict{
		ready: metav1.ConditionFalse, reason: condition.ReasonInvalidDeletionPolicy, message: j.PolicyErr.Error(),
		phase: v1alpha1.PhaseFailed, activity: stalled,
	}
}

func (j *judge) deleting() bool { return j.Deletion != nil }

func (j *judge) judgeDeletion() verdict {
	d := j.Deletion
	v := verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonDeleting,
		message: "Waiting for Aiven to finish the deletion", activity: reconciling, after: j.Timings.RequeueAsync,
	}
	switch {
	case d.Protected:
		v.ready, v.reason, v.activity, v.after = metav1.ConditionFalse, condition.ReasonTerminationProtected, stalled, 0
		v.message = "Termination protection is on: turn it off in the spec, or set the deletion policy to Orphan"
	case d.Blocked != "":
		v.reason, v.message = condition.ReasonDeletionBlocked, d.Blocked
	case d.Err != nil:
		v.reason, v.message = condition.ReasonRetrying, j.describe(d.Err)
		v.after, v.err = j.delayFor(d.Err)
	case d.Gone:
		v.phase, v.message, v.after = v1alpha1.PhaseNotAvailable, "Nothing is left at Aiven", 0
	}
	return v
}

func (j *judge) paused() bool { return j.Paused }

func (j *judge) keepPaused() verdict {
	v := verdict{ready: metav1.ConditionUnknown, reason: condition.ReasonPaused, message: "Paused before it was reconciled"}
	if old := j.previous(condition.Ready); old != nil {
		v.ready, v.reason, v.message = old.Status, old.Reason, old.Message
	}
	return v
}

func (j *judge) specRejected() bool {
	for _, err := range []error{j.ObserveErr, j.MutateErr, j.Secret.Err} {
		if fault.Of(err).Class == fault.Invalid {
			return true
		}
	}
	return j.refusal().Class == fault.Rejected || j.refusalOutlasts()
}

// refusalOutlasts says whether Aiven gives the same transient answer to a mutation for longer than the deadline.
func (j *judge) refusalOutlasts() bool {
	return isTransientRefusal(j.refusal().Class) && j.waitingFor() > j.Timings.ProgressDeadline
}

func (j *judge) rejectSpec() verdict {
	message := j.describe(firstError(invalidOf(j.ObserveErr), j.MutateErr, invalidOf(j.Secret.Err)))
	if j.EverReady {
		message += " (what was applied last is still in place at Aiven)"
	}
	return verdict{
		ready: metav1.ConditionFalse, reason: condition.ReasonInvalidSpec, message: message,
		phase: v1alpha1.PhaseFailed, activity: stalled, after: j.pollAfter(),
	}
}

func (j *judge) authFailed() bool {
	if j.TokenMissing {
		return true
	}
	f, _ := j.trouble()
	switch f.Class {
	case fault.Unauthorized:
		return true
	case fault.Forbidden:
		return j.unreachableFor() > j.Timings.AuthGrace
	default:
		return false
	}
}

func (j *judge) failAuth() verdict {
	_, err := j.trouble()
	return verdict{
		ready: metav1.ConditionFalse, reason: condition.ReasonAuthFailed, message: j.describe(firstError(j.TokenErr, err)),
		phase: j.degradedOr(v1alpha1.PhasePending), after: j.Timings.RecheckExhausted,
	}
}

func (j *judge) referenceAbsent() bool { return j.absentReference() != nil }

func (j *judge) awaitReference() verdict {
	ref := j.absentReference()
	v := verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: "Waiting: " + ref.Message,
		phase: j.degradedOr(v1alpha1.PhasePending), activity: reconciling,
		after: min(j.Timings.Degradation, j.Timings.RequeueDependency),
	}
	if j.since(ref.Type, metav1.ConditionFalse) > j.Timings.Degradation {
		v.ready, v.reason, v.message = metav1.ConditionFalse, condition.ReasonReferenceNotFound, ref.Message
		v.phase, v.activity, v.after = j.degradedOr(v1alpha1.PhaseFailed), settled, j.Timings.RequeueDependency
	}
	return v
}

func (j *judge) exhausted() bool { return j.refusal().Class == fault.Exhausted }

func (j *judge) failExhausted() verdict {
	return verdict{
		ready: metav1.ConditionFalse, reason: condition.ReasonResourceExhausted, message: j.describe(j.MutateErr),
		phase: v1alpha1.PhaseFailed, after: j.Timings.RecheckExhausted,
	}
}

func isTransientRefusal(class fault.Class) bool {
	return class == fault.Conflict || class == fault.NotFound || class == fault.Forbidden || class == fault.Exists
}

func (j *judge) refusedForNow() bool { return isTransientRefusal(j.refusal().Class) }

// awaitAcceptance waits as long again as it has waited so far: a backoff whose only state is a transition time.
func (j *judge) awaitAcceptance() verdict {
	return verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing,
		message:  "Aiven can't take the change yet: " + j.describe(j.MutateErr),
		phase:    j.startingPhase(),
		activity: reconciling,
		after:    min(max(j.Timings.RequeueAsync, j.waitingFor()), j.Timings.BackoffMax),
	}
}

func (j *judge) inTrouble() bool {
	_, err := j.trouble()
	return err != nil || j.TokenErr != nil
}

func (j *judge) troubleInGrace() bool {
	return j.inTrouble() && j.wasReady() && j.MutateErr == nil && j.unreachableFor() <= j.Timings.Degradation
}

func (j *judge) keepReady() verdict {
	old := j.previous(condition.Ready)
	after, err := j.delayFor(j.failure())
	return verdict{ready: old.Status, reason: old.Reason, message: old.Message, after: after, err: err}
}

func (j *judge) retry() verdict {
	after, err := j.delayFor(j.failure())
	v := verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: j.describe(j.failure()),
		activity: reconciling, after: after, err: err,
	}
	switch {
	case j.phase() == "" || j.phase() == v1alpha1.PhasePending:
		v.phase = v1alpha1.PhasePending
	case j.unreachableFor() > j.Timings.Degradation:
		v.phase = v1alpha1.PhaseDegraded
	}
	return v
}

func (j *judge) secretFailed() bool { return j.Secret.Err != nil }

func (j *judge) retrySecret() verdict {
	v := verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: j.describe(j.Secret.Err),
		phase: v1alpha1.PhaseDegraded, activity: reconciling, err: j.Secret.Err,
	}
	if j.Secret.Conflict {
		v.ready, v.reason, v.activity = metav1.ConditionFalse, condition.ReasonSecretConflict, settled
	}
	return v
}

func (j *judge) referencePending() bool { return j.unreadyReference() != nil }

func (j *judge) awaitPending() verdict {
	return j.await("Waiting: " + j.unreadyReference().Message)
}

func (j *judge) serviceOff() bool { return j.Service != nil && j.Service.Off }

func (j *judge) awaitPower() verdict {
	return verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonServicePoweredOff,
		message: fmt.Sprintf("Service %s is powered off", j.Service.Name),
		phase:   v1alpha1.PhaseNotAvailable, after: j.pollAfter(),
	}
}

func (j *judge) serviceUnusable() bool { return j.Service != nil && !j.Service.Usable }

func (j *judge) awaitService() verdict {
	if !j.Service.Exists {
		return j.await(fmt.Sprintf("Waiting for service %s: it does not exist at Aiven", j.Service.Name))
	}
	return j.await(fmt.Sprintf("Waiting for service %s: it is %s", j.Service.Name, j.Service.State))
}

// await is the verdict while something else has to become ready.
func (j *judge) await(message string) verdict {
	return verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: message,
		phase: j.degradedOr(v1alpha1.PhasePending), activity: reconciling, after: j.Timings.RequeueDependency,
	}
}

func (j *judge) progressing() bool {
	return j.Remote == nil || !j.Remote.PoweredOff && !j.Remote.Active || j.unsettled()
}

func (j *judge) awaitRemote() verdict {
	v := verdict{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: j.remoteMessage(),
		phase: j.startingPhase(), activity: reconciling, after: j.Timings.RequeueAsync,
	}
	if waited := j.waitingFor(); waited > j.Timings.ProgressDeadline {
		v.phase = v1alpha1.PhaseDegraded
		v.message += fmt.Sprintf(" (for %s)", waited.Truncate(time.Minute))
	}
	return v
}

func (j *judge) offAsRequested() bool { return j.Remote.PoweredOff }

func (j *judge) acceptOff() verdict {
	return verdict{
		ready: metav1.ConditionTrue, reason: condition.ReasonPoweredOffAsRequested, message: "Powered off, as the spec asks",
		phase: v1alpha1.PhaseNotAvailable, after: j.pollAfter(), poll: true,
	}
}

func (j *judge) acceptSync() verdict {
	v := verdict{
		ready: metav1.ConditionTrue, reason: condition.ReasonSucceeded, message: "Aiven has what the spec asks for",
		phase: v1alpha1.PhaseReady, after: j.pollAfter(), poll: true,
	}
	if j.EndsRunning {
		v.phase = v1alpha1.PhaseRunning
	}
	return v
}

// delayFor says when to try again after a failure: at a time that the other side named, or by the queue's backoff.
func (j *judge) delayFor(err error) (time.Duration, error) {
	f := fault.Of(err)
	switch {
	case f.Class == fault.RateLimited:
		return max(f.RetryAfter, time.Second), nil
	case f.Class == fault.Unauthorized || j.TokenMissing:
		return j.Timings.RecheckExhausted, nil
	default:
		return 0, err
	}
}

func (j *judge) describe(err error) string { return fault.Of(err).Message }

func (j *judge) failure() error {
	_, err := j.trouble()
	return firstError(err, j.TokenErr)
}

func invalidOf(err error) error {
	if fault.Of(err).Class == fault.Invalid {
		return err
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *judge) remoteMessage() string {
	if j.Remote == nil {
		return "Waiting for Aiven"
	}
	if j.Remote.Message != "" {
		return j.Remote.Message
	}
	return strings.TrimSpace("Waiting for Aiven: the resource is " + strings.ToLower(j.remoteReason()))
}
