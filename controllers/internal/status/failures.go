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
	return e.invalid() != nil || e.facts.refusal() == fault.Rejected || e.refusalOutlasts()
}

// invalid is the error that finds the spec wrong without a word of Aiven, or nil.
func (e *evaluator) invalid() error {
	for _, err := range []error{e.facts.ObserveErr, e.facts.MutateErr, e.facts.Secret.Err} {
		if fault.Is(err, fault.Invalid) {
			return err
		}
	}
	return nil
}

// refusalOutlasts says whether Aiven gives the same transient answer to a mutation for longer than the deadline. What
// was rejected for that stays so until the answer changes: the condition that held the clock is gone then.
func (e *evaluator) refusalOutlasts() bool {
	old := e.previous(condition.Ready)
	if !e.refusedForNow() || old == nil || old.ObservedGeneration != e.facts.Generation ||
		!strings.Contains(old.Message, describe(e.facts.MutateErr)) {
		return false
	}
	return old.Reason == condition.ReasonInvalidSpec || e.refusedFor() > e.facts.Timings.ProgressDeadline
}

func (e *evaluator) rejectSpec() outcome {
	message := describe(firstOf(e.invalid(), e.facts.MutateErr))
	if e.facts.WasReady {
		message += " (what was applied last is still in place at Aiven)"
	}
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonInvalidSpec, message: message,
		phase: v1alpha1.PhaseFailed, activity: stalled, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) authFailed() bool {
	return e.facts.TokenMissing || fault.Is(e.facts.firstError(), fault.Unauthorized) || e.forbiddenForGood()
}

// forbiddenForGood says whether a 403 is older than a lag in Aiven's access control could be. Once it is, it stays so
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

func (e *evaluator) failAuth() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonAuthFailed, message: describe(e.facts.firstError()),
		phase: e.blockedPhase(), after: e.facts.Timings.RecheckExhausted,
	}
}

func (e *evaluator) ownedByOther() bool { return e.facts.Owner != "" }

func (e *evaluator) yieldToOwner() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonConflict,
		message: e.facts.Owner + " stands for the same thing at Aiven, and has it: delete one of the two, or let this one only " +
			"look on by the annotation " + annotation.Management + ": " + policy.Observe,
		phase: v1alpha1.PhaseFailed, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) exhausted() bool { return e.facts.refusal() == fault.Exhausted }

func (e *evaluator) failExhausted() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonResourceExhausted, message: describe(e.facts.MutateErr),
		phase: v1alpha1.PhaseFailed, after: e.facts.Timings.RecheckExhausted,
	}
}

func (e *evaluator) refusedForNow() bool {
	return fault.Is(e.facts.MutateErr, fault.Conflict, fault.NotFound, fault.Forbidden, fault.Exists)
}

// awaitAcceptance waits as long again as it has waited so far: a backoff whose only state is a transition time.
func (e *evaluator) awaitAcceptance() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing,
		message:  "Aiven can't take the change yet: " + describe(e.facts.MutateErr),
		phase:    e.startingPhase(),
		activity: reconciling, waits: true,
		after: min(max(e.facts.Timings.RequeueAsync, e.refusedFor()), e.facts.Timings.BackoffMax),
	}
}

func (e *evaluator) failing() bool { return e.facts.firstError() != nil }

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
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: describe(e.facts.firstError()),
		activity: reconciling, after: after, err: err,
	}
	switch {
	case e.blockedPhase() == v1alpha1.PhasePending:
		v.phase = v1alpha1.PhasePending
	case e.unreachableFor() > e.facts.Timings.Degradation:
		v.phase = v1alpha1.PhaseDegraded
	case e.before.ObservedGeneration != e.facts.Generation:
		v.phase = v1alpha1.PhaseStarting
	}
	return v
}

func (e *evaluator) secretFailed() bool { return e.facts.Secret.Err != nil }

func (e *evaluator) retrySecret() outcome {
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: describe(e.facts.Secret.Err),
		phase: v1alpha1.PhaseDegraded, activity: reconciling, err: e.facts.Secret.Err,
	}
	if e.facts.Secret.Conflict {
		v.ready, v.reason, v.activity = metav1.ConditionFalse, condition.ReasonSecretConflict, settled
	}
	return v
}

// delayFor says when to try again after a failure: at a time that the other side named, or by the queue's backoff.
func (e *evaluator) delayFor(err error) (time.Duration, error) {
	f := fault.Of(err)
	switch {
	case f.Class == fault.RateLimited && f.RetryAfter > 0:
		return f.RetryAfter, nil
	case f.Class == fault.Unauthorized || e.facts.TokenMissing:
		return e.facts.Timings.RecheckExhausted, nil
	default:
		return 0, err
	}
}

func describe(err error) string { return fault.Of(err).Message }

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
