package status

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// The rows for what was refused, or failed.

func (e *evaluator) specRejected() bool {
	return e.invalid() != nil || fault.Is(e.facts.MutateErr, fault.Rejected, fault.Protected) || e.refusalOutlasts()
}

// invalid is the error that found the spec wrong without asking Aiven, or nil.
func (e *evaluator) invalid() error {
	for _, err := range []error{e.facts.ObserveErr, e.facts.MutateErr, e.facts.Secret.Err} {
		if fault.Is(err, fault.Invalid) {
			return err
		}
	}
	if ref := e.findReference(Component.invalid); ref != nil {
		return ref.Err
	}
	return nil
}

// refusalOutlasts reports whether Aiven has given the same transient answer to a mutation for longer than the deadline.
// What was rejected for that stays so until the answer changes: the condition that held the clock is gone then. What Aiven
// wasn't asked yet, it hasn't refused.
func (e *evaluator) refusalOutlasts() bool {
	old := e.previous(condition.Ready)
	if !e.refusedForNow() || fault.Is(e.facts.MutateErr, fault.NotReady) || !fault.FromAiven(e.facts.MutateErr) || old == nil ||
		old.ObservedGeneration != e.facts.Generation ||
		!strings.Contains(old.Message, strings.TrimRight(e.facts.Secrets.Sentence(e.facts.MutateErr), ". ")) {
		return false
	}
	return old.Reason == condition.ReasonInvalidSpec || e.refusedFor() > e.facts.Timings.ProgressDeadline
}

func (e *evaluator) rejectSpec() outcome {
	remedy := ""
	if e.facts.WasReady {
		remedy = "The spec that was applied last stays in place"
	}
	v := outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonInvalidSpec,
		message: e.facts.Secrets.Refusal(firstOf(e.invalid(), e.facts.MutateErr), e.rejected(), remedy),
		phase:   v1alpha1.PhaseFailed, activity: stalled, after: e.pollAfter(), poll: true,
	}
	if e.invalid() == nil && e.facts.refusal() == fault.Protected {
		v.reason = condition.ReasonTerminationProtected
	}
	return v
}

// rejected names what Aiven has refused: the field, if only one was to change.
func (e *evaluator) rejected() string {
	if len(e.facts.Changes) == 1 {
		return "Aiven rejected " + e.facts.Changes[0]
	}
	return "Aiven rejected the change"
}

func (e *evaluator) authFailed() bool {
	return e.facts.TokenMissing || fault.Is(e.facts.firstError(), fault.Unauthorized) || e.forbiddenForGood()
}

// forbiddenForGood reports whether a 403 is older than a lag in Aiven's access control could be. Once it is, it stays so
// until Aiven answers otherwise.
func (e *evaluator) forbiddenForGood() bool {
	if !fault.Is(e.facts.firstError(), fault.Forbidden) {
		return false
	}
	auth, reachable := e.previous(condition.AuthValid), e.previous(condition.DependenciesReachable)
	known := auth != nil && auth.Status == metav1.ConditionFalse && auth.Reason == condition.ReasonAuthFailed
	lasting := reachable != nil && reachable.Reason == condition.ReasonForbidden
	return known || lasting && e.unreachableFor() > e.facts.Timings.AuthGrace
}

// authMessage is what is wrong with the token, and what to do.
func (e *evaluator) authMessage() string {
	err := e.facts.firstError()
	switch {
	case e.facts.TokenMissing || !fault.FromAiven(err):
		return e.describe(err)
	case fault.Is(err, fault.Forbidden):
		return e.facts.Secrets.Advice(err, "Give the user of the token access at Aiven, or put another token into "+e.facts.TokenPlace)
	default:
		return e.facts.Secrets.Advice(err, "Put a valid token into "+e.facts.TokenPlace)
	}
}

func (e *evaluator) failAuth() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonAuthFailed, message: e.authMessage(),
		phase: e.blockedPhase(), after: e.facts.Timings.RecheckExhausted,
	}
}

func (e *evaluator) ownedByOther() bool { return e.facts.Owner != "" }

func (e *evaluator) yieldToOwner() outcome {
	message := "Already managed by " + e.facts.Owner + ". Delete this object, or set the annotation " +
		annotation.Management + "=" + policy.Observe + " on it"
	if e.facts.OwnerOfOtherKind {
		message = "The name is in use by " + e.facts.Owner + ". Recreate the object under another name"
	}
	v := outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonConflict, message: message,
		phase: v1alpha1.PhaseFailed, after: e.pollAfter(), poll: true,
	}
	if e.facts.OwnerPending {
		v.after, v.poll = e.untilOwnerIsDecided(), false
	}
	return v
}

// untilOwnerIsDecided is as long again as the conflict has lasted: what the owner has begun may end without a resource.
func (e *evaluator) untilOwnerIsDecided() time.Duration {
	waited := time.Duration(0)
	if e.hasReason(condition.ReasonConflict) {
		waited = e.since(condition.Ready, metav1.ConditionFalse)
	}
	return e.asLongAgain(waited)
}

func (e *evaluator) exhausted() bool { return e.facts.refusal() == fault.Exhausted }

func (e *evaluator) failExhausted() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonResourceExhausted, message: e.facts.Secrets.Refusal(e.facts.MutateErr, e.rejected(), ""),
		phase: v1alpha1.PhaseFailed, after: e.facts.Timings.RecheckExhausted,
	}
}

// throttled reports whether a call waits for its turn: Aiven limits calls by user.
func (e *evaluator) throttled() bool { return fault.Is(e.facts.firstError(), fault.RateLimited) }

// throttledTooLong reports whether that has gone on for longer than any other work may take.
func (e *evaluator) throttledTooLong() bool {
	old := e.previous(condition.DependenciesReachable)
	return old != nil && old.Reason == condition.ReasonRateLimited || e.workedOnFor() > e.facts.Timings.ProgressDeadline
}

// awaitTurn keeps what is known: waiting for a turn is no failure of the object.
func (e *evaluator) awaitTurn() outcome {
	after := fault.Of(e.facts.firstError()).RetryAfter
	if after == 0 {
		after = e.facts.Timings.RequeueAsync
	}
	if old := e.previous(condition.Ready); e.wasReady() && !e.knownUnusable() {
		return outcome{ready: old.Status, reason: old.Reason, message: old.Message, after: after}
	}
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: e.describe(e.facts.firstError()),
		activity: reconciling, after: after,
	}
	switch {
	case e.phase() == "":
		v.phase = v1alpha1.PhasePending
	case e.edited() && e.phase() != v1alpha1.PhasePending, e.knownUnusable():
		v.phase = e.startingPhase()
	}
	return v
}

// knownUnusable reports whether Aiven was asked, and the resource isn't there or doesn't work.
func (e *evaluator) knownUnusable() bool {
	r := e.facts.Remote
	return r != nil && !r.Active && !r.PoweredOff
}

func (e *evaluator) refusedForNow() bool {
	return fault.Is(e.facts.MutateErr, fault.Conflict, fault.NotReady, fault.NotFound, fault.Forbidden, fault.Exists)
}

// awaitAcceptance waits as long again as it has waited so far, and at least as long as Aiven asks for.
func (e *evaluator) awaitAcceptance() outcome {
	message, phase := e.facts.Secrets.Refusal(e.facts.MutateErr, "Aiven doesn't accept the change yet", ""), e.startingPhase()
	if !fault.FromAiven(e.facts.MutateErr) {
		message = "Waiting: " + message
		if e.workedOnFor() > e.facts.Timings.ProgressDeadline {
			phase = v1alpha1.PhaseDegraded
		}
	}
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: message,
		phase:    phase,
		activity: reconciling, waits: true,
		after: max(e.asLongAgain(e.refusedFor()), fault.Of(e.facts.MutateErr).RetryAfter),
	}
}

func (e *evaluator) failing() bool { return e.facts.firstError() != nil && !e.refusedForNow() }

// failingInGrace leaves out failed mutations: they show that the resource isn't what the spec asks for.
func (e *evaluator) failingInGrace() bool {
	return e.failing() && e.facts.MutateErr == nil && e.wasReady() && e.unreachableFor() <= e.facts.Timings.Degradation
}

func (e *evaluator) keepReady() outcome {
	old := e.previous(condition.Ready)
	after, err := e.delayFor(e.facts.firstError())
	return outcome{ready: old.Status, reason: old.Reason, message: old.Message, after: after, err: err}
}

func (e *evaluator) retry() outcome {
	after, err := e.delayFor(e.facts.firstError())
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: e.describe(e.facts.firstError()),
		activity: reconciling, after: after, err: err,
	}
	switch {
	case e.blockedPhase() == v1alpha1.PhasePending:
		v.phase = v1alpha1.PhasePending
	case e.unreachableFor() > e.facts.Timings.Degradation:
		v.phase = v1alpha1.PhaseDegraded
	case e.edited():
		v.phase = v1alpha1.PhaseStarting
	}
	return v
}

func (e *evaluator) secretFailed() bool {
	return e.facts.Secret.Err != nil && !e.routeMissing()
}

func (e *evaluator) retrySecret() outcome {
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: e.describe(e.facts.Secret.Err),
		phase: v1alpha1.PhaseDegraded, activity: reconciling, err: e.facts.Secret.Err,
	}
	if e.facts.Secret.Conflict {
		v.ready, v.reason, v.activity = metav1.ConditionFalse, condition.ReasonSecretConflict, settled
		v.after, v.err = e.untilSecretIsFree(), nil
	}
	return v
}

// routeMissing has a row below those for what Aiven works on, or is off: the route may come with that.
func (e *evaluator) routeMissing() bool { return e.facts.Secret.NoRoute }

func (e *evaluator) awaitRoute() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonRouteNotAvailable, message: e.describe(e.facts.Secret.Err),
		phase: v1alpha1.PhaseDegraded, activity: settled, after: e.pollAfter(), poll: true,
	}
}

// untilSecretIsFree is as long again as the Secret has belonged to another owner. That is for a user to resolve, so it is no
// error for the queue, which would log each attempt as one.
func (e *evaluator) untilSecretIsFree() time.Duration {
	waited := time.Duration(0)
	if e.hasReason(condition.ReasonSecretConflict) {
		waited = min(e.since(condition.Ready, metav1.ConditionFalse), e.since(condition.SecretReady, metav1.ConditionFalse))
	}
	return e.asLongAgain(waited)
}

// delayFor returns when to try again after a failure: at a time that the other side named, or by the queue's backoff.
func (e *evaluator) delayFor(err error) (time.Duration, error) {
	f := fault.Of(err)
	switch {
	case f.RetryAfter > 0:
		return f.RetryAfter, nil
	case f.Class == fault.Unauthorized || e.facts.TokenMissing:
		return e.facts.Timings.RecheckExhausted, nil
	default:
		return 0, err
	}
}

// describe is the message of an error without what came from a Secret.
func (e *evaluator) describe(err error) string { return e.facts.Secrets.Of(err).Message }

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
