package status

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// The rows for what was refused, or failed.

func (j *evaluator) specRejected() bool {
	return j.invalid() != nil || j.refusal() == fault.Rejected || j.refusalOutlasts()
}

// invalid is the error that finds the spec wrong without a word of Aiven, or nil.
func (j *evaluator) invalid() error {
	for _, err := range []error{j.ObserveErr, j.MutateErr, j.Secret.Err} {
		if fault.Is(err, fault.Invalid) {
			return err
		}
	}
	return nil
}

// refusalOutlasts says whether Aiven gives the same transient answer to a mutation for longer than the deadline. What
// was rejected for that stays so until the answer changes: the condition that held the clock is gone then.
func (j *evaluator) refusalOutlasts() bool {
	old := j.previous(condition.Ready)
	if !j.refusedForNow() || old == nil || old.ObservedGeneration != j.Generation ||
		!strings.Contains(old.Message, describe(j.MutateErr)) {
		return false
	}
	return old.Reason == condition.ReasonInvalidSpec || j.refusedFor() > j.Timings.ProgressDeadline
}

func (j *evaluator) rejectSpec() outcome {
	message := describe(firstOf(j.invalid(), j.MutateErr))
	if j.WasReady {
		message += " (what was applied last is still in place at Aiven)"
	}
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonInvalidSpec, message: message,
		phase: v1alpha1.PhaseFailed, activity: stalled, after: j.pollAfter(), poll: true,
	}
}

func (j *evaluator) authFailed() bool {
	return j.TokenMissing || fault.Is(j.firstError(), fault.Unauthorized) || j.forbiddenForGood()
}

// forbiddenForGood says whether a 403 is older than a lag in Aiven's access control could be. Once it is, it stays so
// until Aiven answers otherwise.
func (j *evaluator) forbiddenForGood() bool {
	if !fault.Is(j.firstError(), fault.Forbidden) {
		return false
	}
	auth, reachable := j.previous(condition.AuthValid), j.previous(condition.DependenciesReachable)
	known := auth != nil && auth.Status == metav1.ConditionFalse && auth.Reason == condition.ReasonAuthFailed
	lasting := reachable != nil && reachable.Reason == condition.ReasonForbidden
	return known || lasting && j.unreachableFor() > j.Timings.AuthGrace
}

func (j *evaluator) failAuth() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonAuthFailed, message: describe(j.firstError()),
		phase: j.blockedPhase(), after: j.Timings.RecheckExhausted,
	}
}

func (j *evaluator) ownedByOther() bool { return j.Owner != "" }

func (j *evaluator) yieldToOwner() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonConflict,
		message: j.Owner + " stands for the same thing at Aiven, and has it: delete one of the two, or let this one only " +
			"look on by the annotation " + policy.Management + ": " + policy.Observe,
		phase: v1alpha1.PhaseFailed, after: j.pollAfter(), poll: true,
	}
}

func (j *evaluator) exhausted() bool { return j.refusal() == fault.Exhausted }

func (j *evaluator) failExhausted() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonResourceExhausted, message: describe(j.MutateErr),
		phase: v1alpha1.PhaseFailed, after: j.Timings.RecheckExhausted,
	}
}

func (j *evaluator) refusedForNow() bool {
	return fault.Is(j.MutateErr, fault.Conflict, fault.NotFound, fault.Forbidden, fault.Exists)
}

// awaitAcceptance waits as long again as it has waited so far: a backoff whose only state is a transition time.
func (j *evaluator) awaitAcceptance() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing,
		message:  "Aiven can't take the change yet: " + describe(j.MutateErr),
		phase:    j.startingPhase(),
		activity: reconciling, waits: true,
		after: min(max(j.Timings.RequeueAsync, j.refusedFor()), j.Timings.BackoffMax),
	}
}

func (j *evaluator) failing() bool { return j.firstError() != nil }

// failingInGrace leaves out failed mutations: they show that the resource isn't what the spec asks for.
func (j *evaluator) failingInGrace() bool {
	return j.failing() && j.MutateErr == nil && j.wasReady() && j.unreachableFor() <= j.Timings.Degradation
}

func (j *evaluator) keepReady() outcome {
	old := j.previous(condition.Ready)
	after, err := j.delayFor(j.firstError())
	return outcome{ready: old.Status, reason: old.Reason, message: old.Message, after: after, err: err}
}

func (j *evaluator) retry() outcome {
	after, err := j.delayFor(j.firstError())
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: describe(j.firstError()),
		activity: reconciling, after: after, err: err,
	}
	switch {
	case j.blockedPhase() == v1alpha1.PhasePending:
		v.phase = v1alpha1.PhasePending
	case j.unreachableFor() > j.Timings.Degradation:
		v.phase = v1alpha1.PhaseDegraded
	case j.before.ObservedGeneration != j.Generation:
		v.phase = v1alpha1.PhaseStarting
	}
	return v
}

func (j *evaluator) secretFailed() bool { return j.Secret.Err != nil }

func (j *evaluator) retrySecret() outcome {
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonRetrying, message: describe(j.Secret.Err),
		phase: v1alpha1.PhaseDegraded, activity: reconciling, err: j.Secret.Err,
	}
	if j.Secret.Conflict {
		v.ready, v.reason, v.activity = metav1.ConditionFalse, condition.ReasonSecretConflict, settled
	}
	return v
}

// delayFor says when to try again after a failure: at a time that the other side named, or by the queue's backoff.
func (j *evaluator) delayFor(err error) (time.Duration, error) {
	f := fault.Of(err)
	switch {
	case f.Class == fault.RateLimited && f.RetryAfter > 0:
		return f.RetryAfter, nil
	case f.Class == fault.Unauthorized || j.TokenMissing:
		return j.Timings.RecheckExhausted, nil
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
