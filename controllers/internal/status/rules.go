package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// activity is which of the two conditions that kstatus reads accompanies Ready.
type activity int

const (
	settled     activity = iota // neither
	reconciling                 // work goes on by itself
	stalled                     // only a change of this object helps
)

// outcome is what a row of the table decides.
type outcome struct {
	ready    metav1.ConditionStatus
	reason   string
	message  string
	phase    v1alpha1.Phase // "" keeps the one there is
	activity activity
	after    time.Duration // 0 with no error: until something changes
	err      error         // given to the queue, which backs off
	poll     bool          // the slow requeue of something at rest
	waits    bool          // something else has to happen first, which is worth one event if it takes long
}

// rule is one row of the table.
type rule struct {
	name    string
	matches func(*evaluator) bool
	decide  func(*evaluator) outcome
}

// rules is the table. The first row that matches wins. What was refused or failed is in failures.go, waits and success
// are in progress.go.
var rules = []rule{
	{"deletion policy unknown", (*evaluator).policyUnknown, (*evaluator).refusePolicy},
	{"deletion running", (*evaluator).deleting, (*evaluator).evaluateDeletion},
	{"paused", (*evaluator).paused, (*evaluator).awaitResumption},
	{"project not allowed", (*evaluator).notAllowed, (*evaluator).awaitPermission},
	{"spec rejected", (*evaluator).specRejected, (*evaluator).rejectSpec},
	{"token missing or rejected", (*evaluator).authFailed, (*evaluator).failAuth},
	{"owned by another object", (*evaluator).ownedByOther, (*evaluator).yieldToOwner},
	{"reference absent", (*evaluator).referenceAbsent, (*evaluator).awaitReference},
	{"quota or billing refusal", (*evaluator).exhausted, (*evaluator).failExhausted},
	{"no turn yet", (*evaluator).throttled, (*evaluator).awaitTurn},
	{"infrastructure error within the grace", (*evaluator).failingInGrace, (*evaluator).keepReady},
	{"infrastructure error", (*evaluator).failing, (*evaluator).retry},
	{"Secret not published", (*evaluator).secretFailed, (*evaluator).retrySecret},
	{"reference not ready", (*evaluator).referencePending, (*evaluator).awaitPending},
	{"service powered off", (*evaluator).serviceOff, (*evaluator).awaitPower},
	{"service missing or not ready", (*evaluator).serviceUnusable, (*evaluator).awaitService},
	{"not owned, or missing", (*evaluator).refused, (*evaluator).awaitConsent},
	{"transient refusal of a mutation", (*evaluator).refusedForNow, (*evaluator).awaitAcceptance},
	{"data loss not confirmed", (*evaluator).unconfirmed, (*evaluator).awaitConfirmation},
	{"nothing there to observe", (*evaluator).nothingToObserve, (*evaluator).awaitAppearance},
	{"needs what is gone", (*evaluator).lacks, (*evaluator).awaitReturn},
	{"failed at Aiven", (*evaluator).remoteFailed, (*evaluator).awaitRecovery},
	{"members partly down", (*evaluator).membersDown, (*evaluator).awaitMembers},
	{"changes not approved", (*evaluator).awaitsApproval, (*evaluator).awaitApproval},
	{"powered off, not corrected", (*evaluator).leftOff, (*evaluator).acceptLeftOff},
	{"created or updating", (*evaluator).progressing, (*evaluator).awaitRemote},
	{"wanted route not there", (*evaluator).routeMissing, (*evaluator).awaitRoute},
	{"powered off on request", (*evaluator).offAsRequested, (*evaluator).acceptOff},
	{"in sync", func(*evaluator) bool { return true }, (*evaluator).acceptSync},
}

func (e *evaluator) policyUnknown() bool { return e.facts.PolicyErr != nil }

func (e *evaluator) refusePolicy() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonInvalidDeletionPolicy, message: e.describe(e.facts.PolicyErr),
		phase: v1alpha1.PhaseFailed, activity: stalled,
	}
}

func (e *evaluator) deleting() bool { return e.facts.Deleting }

func (e *evaluator) evaluateDeletion() outcome {
	d := e.facts.Deletion
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonDeleting,
		message: "Waiting for Aiven to finish the deletion", activity: reconciling, after: e.facts.Timings.RequeueAsync,
	}
	switch {
	case d.Protected:
		v = protected("Termination protection is on. " + unprotect)
	case fault.Is(d.Err, fault.Protected):
		v = protected(e.facts.Secrets.Refusal(d.Err, "Aiven rejected the deletion", unprotect))
		v.after, v.poll = e.pollAfter(), true // it may be turned off at Aiven
	case d.Blocked != "":
		v.reason, v.message, v.after = condition.ReasonDeletionBlocked, d.Blocked, e.untilUnblocked()
	case e.throttled() && e.hasReason(condition.ReasonDeletionBlocked):
		v.reason, v.message = condition.ReasonDeletionBlocked, e.previous(condition.Ready).Message
		v.after, v.err = e.delayFor(d.Err)
	case d.Err != nil:
		v.reason, v.message = condition.ReasonRetrying, e.describe(d.Err)
		if e.authFailed() {
			v.message = e.authMessage()
		}
		v.after, v.err = e.delayFor(d.Err)
	case d.SharedWith != "":
		v.message, v.after = e.sharedMessage(), 0
	case d.NotOwned:
		v.message, v.after = notOwned, 0
	case d.Orphaned:
		v.message, v.after = e.orphaned(), 0
	case d.Gone:
		v.phase, v.message, v.after = v1alpha1.PhaseNotAvailable, "Deleted at Aiven", 0
	}
	return v
}

// untilUnblocked is as long again as the deletion has waited, as for a change that is refused temporarily.
func (e *evaluator) untilUnblocked() time.Duration {
	waited := time.Duration(0)
	if e.hasReason(condition.ReasonDeletionBlocked) {
		waited = min(e.since(condition.Ready, metav1.ConditionUnknown), e.facts.Now.Sub(e.facts.Deletion.Since))
	}
	return min(max(e.facts.Timings.RequeueAsync, waited), e.facts.Timings.BackoffMax)
}

const unprotect = "Set it to false in the spec, or set the annotation " + annotation.Deletion + "=" + policy.Orphan

func protected(message string) outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonTerminationProtected, message: message,
		phase: v1alpha1.PhaseFailed, activity: stalled,
	}
}

// sharedMessage is why a resource outlives its object.
func (e *evaluator) sharedMessage() string {
	return "Kept the Aiven resource: it is also managed by " + e.facts.Deletion.SharedWith
}

func (e *evaluator) orphaned() string {
	if e.facts.ObserveOnly {
		return "Kept the Aiven resource because of the annotation " + annotation.Management
	}
	return "Kept the Aiven resource because of the annotation " + annotation.Deletion
}

func (e *evaluator) notAllowed() bool { return e.facts.NotAllowed != "" }

// awaitPermission ends with a change of the Namespace, which enqueues the object.
func (e *evaluator) awaitPermission() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonProjectNotAllowed, message: e.facts.NotAllowed,
		phase: v1alpha1.PhaseFailed, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) paused() bool { return e.facts.Paused }

// awaitResumption is the outcome for an object that was paused before its first reconcile. Others keep everything.
func (e *evaluator) awaitResumption() outcome {
	v := outcome{ready: metav1.ConditionUnknown, reason: condition.ReasonPaused, message: "Paused before the first reconcile"}
	if e.phase() == "" {
		v.phase = v1alpha1.PhasePending
	}
	return v
}
