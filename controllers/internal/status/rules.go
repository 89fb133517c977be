package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
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
	waits    bool          // something else has to happen first, which is worth one event
}

// rule is one row of the table.
type rule struct {
	name    string
	matches func(*judge) bool
	decide  func(*judge) verdict
}

// rules is the table. The first row that matches wins. What was refused or failed is in failures.go, what is waited
// for and what is well in progress.go.
var rules = []rule{
	{"deletion policy unknown", (*judge).policyUnknown, (*judge).refusePolicy},
	{"deletion running", (*judge).deleting, (*judge).judgeDeletion},
	{"paused", (*judge).paused, (*judge).awaitResumption},
	{"spec rejected", (*judge).specRejected, (*judge).rejectSpec},
	{"token missing or rejected", (*judge).authFailed, (*judge).failAuth},
	{"claimed by another object", (*judge).claimed, (*judge).yieldClaim},
	{"reference absent", (*judge).referenceAbsent, (*judge).awaitReference},
	{"quota or billing refusal", (*judge).exhausted, (*judge).failExhausted},
	{"transient refusal of a mutation", (*judge).refusedForNow, (*judge).awaitAcceptance},
	{"infrastructure error within the grace", (*judge).troubleInGrace, (*judge).keepReady},
	{"infrastructure error", (*judge).inTrouble, (*judge).retry},
	{"Secret not published", (*judge).secretFailed, (*judge).retrySecret},
	{"reference not ready", (*judge).referencePending, (*judge).awaitPending},
	{"service powered off", (*judge).serviceOff, (*judge).awaitPower},
	{"service missing or not ready", (*judge).serviceUnusable, (*judge).awaitService},
	{"nothing there to observe", (*judge).nothingToObserve, (*judge).awaitAppearance},
	{"members partly down", (*judge).membersDown, (*judge).awaitMembers},
	{"powered off and left so", (*judge).leftOff, (*judge).acceptLeftOff},
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
		v.phase = v1alpha1.PhaseFailed
		v.message = "Termination protection is on: turn it off in the spec, or set the deletion policy to Orphan"
	case d.Blocked != "":
		v.reason, v.message = condition.ReasonDeletionBlocked, d.Blocked
	case d.Err != nil:
		v.reason, v.message = condition.ReasonRetrying, describe(d.Err)
		v.after, v.err = j.delayFor(d.Err)
	case d.HandedOver != "":
		v.message, v.after = j.handedOver(), 0
	case d.Orphaned:
		v.message, v.after = j.orphaned(), 0
	case d.Gone:
		v.phase, v.message, v.after = v1alpha1.PhaseNotAvailable, "Nothing is left at Aiven", 0
	}
	return v
}

func (j *judge) paused() bool { return j.Paused }

// awaitResumption is the verdict on an object that nobody has judged before it was paused; of others, everything is
// kept.
func (j *judge) awaitResumption() verdict {
	v := verdict{ready: metav1.ConditionUnknown, reason: condition.ReasonPaused, message: "Paused before it was reconciled"}
	if j.phase() == "" {
		v.phase = v1alpha1.PhasePending
	}
	return v
}
