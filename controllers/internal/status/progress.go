package status

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// The rows for what is waited for, and for what is well.

func (j *evaluator) referenceAbsent() bool { return j.absentReference() != nil }

func (j *evaluator) awaitReference() outcome {
	ref := j.absentReference()
	message := ref.Message + j.others()
	v := j.await("Waiting: " + message)
	v.after = min(j.Timings.Degradation, j.Timings.RequeueDependency)
	if !j.absentTooLong(ref) {
		return v
	}
	v.ready, v.reason, v.message = metav1.ConditionFalse, condition.ReasonReferenceNotFound, message
	v.phase, v.activity, v.after, v.waits = v1alpha1.PhaseFailed, settled, j.Timings.RequeueDependency, false
	if j.WasReady {
		v.phase = v1alpha1.PhaseDegraded
	}
	return v
}

// absentTooLong doesn't count the time in which the reference was there and not ready.
func (j *evaluator) absentTooLong(ref *Component) bool {
	old := j.previous(ref.Type)
	return old != nil && old.Reason == ref.Reason && j.since(ref.Type, metav1.ConditionFalse) > j.Timings.Degradation
}

func (j *evaluator) referencePending() bool { return j.unreadyReference() != nil }

func (j *evaluator) awaitPending() outcome {
	return j.await("Waiting: " + j.unreadyReference().Message + j.others())
}

// others says how many references wait besides the one that the message is about.
func (j *evaluator) others() string {
	waiting := 0
	for _, ref := range j.References {
		if !ref.Ready && ref.Err == nil {
			waiting++
		}
	}
	if waiting < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", waiting-1)
}

func (j *evaluator) serviceOff() bool { return j.Service != nil && j.Service.Off }

func (j *evaluator) awaitPower() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonServicePoweredOff,
		message: fmt.Sprintf("Service %s is powered off", j.Service.Name),
		phase:   v1alpha1.PhaseNotAvailable, after: j.pollAfter(), poll: true,
	}
}

func (j *evaluator) serviceUnusable() bool { return j.Service != nil && !j.Service.Usable }

func (j *evaluator) awaitService() outcome {
	switch {
	case j.serviceMissingTooLong():
		return j.await(fmt.Sprintf("Service %s still does not exist at Aiven: check its name and the project's", j.Service.Name))
	case !j.Service.Exists:
		return j.await(fmt.Sprintf("Waiting for service %s: it does not exist at Aiven", j.Service.Name))
	default:
		return j.await(fmt.Sprintf("Waiting for service %s: it is %s", j.Service.Name, j.Service.State))
	}
}

// serviceMissingTooLong says whether a name may be wrong rather than early.
func (j *evaluator) serviceMissingTooLong() bool {
	old := j.previous(condition.ServiceReady)
	return j.Service != nil && !j.Service.Exists && old != nil && old.Reason == condition.ReasonNotFound &&
		j.since(condition.ServiceReady, metav1.ConditionFalse) > j.Timings.ProgressDeadline
}

// await is the verdict while something else has to become ready.
func (j *evaluator) await(message string) outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: message,
		phase: j.blockedPhase(), activity: reconciling, after: j.Timings.RequeueDependency, waits: true,
	}
}

func (j *evaluator) progressing() bool {
	return j.WaitFor != "" || j.Remote == nil || !j.Remote.PoweredOff && !j.Remote.Active || j.unsettled() || j.secretPending() || j.memberless()
}

// memberless says whether what consists of several things has none yet.
func (j *evaluator) memberless() bool { return j.Remote.Members != nil && j.Remote.Members.Total == 0 }

func (j *evaluator) awaitRemote() outcome {
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: j.awaited(),
		phase: j.startingPhase(), activity: reconciling, after: j.Timings.RequeueAsync,
	}
	if waited := j.workedOnFor(); waited > j.Timings.ProgressDeadline {
		v.phase = v1alpha1.PhaseDegraded
		v.message += fmt.Sprintf(" (for %s)", waited.Truncate(time.Minute))
	}
	return v
}

// awaited names what keeps the resource from being ready.
func (j *evaluator) awaited() string {
	switch {
	case j.WaitFor != "":
		return j.WaitFor
	case j.unsettled():
		return "Waiting for Aiven to show the latest change"
	case j.secretPending():
		return "Waiting for Aiven to tell the connection details"
	case j.Remote != nil && j.memberless():
		return "Waiting for Aiven to start the tasks"
	default:
		return j.remoteMessage()
	}
}

func (j *evaluator) nothingToObserve() bool {
	return j.ObserveOnly && j.Remote != nil && !j.Remote.Exists
}

func (j *evaluator) awaitAppearance() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing,
		message: "Waiting for the resource to appear at Aiven: the annotation " + policy.Management + " lets nothing be made",
		phase:   j.blockedPhase(), after: j.pollAfter(), poll: true, waits: true,
	}
}

func (j *evaluator) membersDown() bool {
	return j.Remote != nil && j.Remote.Active && j.Remote.Members != nil && j.Remote.Members.Failed > 0
}

// awaitMembers judges what consists of several things of which some don't work. They may recover by themselves, so that
// even without a single one that works, nothing is known to need somebody.
func (j *evaluator) awaitMembers() outcome {
	members := j.Remote.Members
	v := j.await(fmt.Sprintf("%d of %d work: %s", members.Total-members.Failed, members.Total, members.Message))
	v.phase, v.waits = v1alpha1.PhaseDegraded, false
	if members.Failed == members.Total {
		v.phase = v1alpha1.PhaseFailed
	}
	return v
}

// leftOff says whether a service is off against the spec, and nobody is going to power it on: nothing is awaited then.
func (j *evaluator) leftOff() bool {
	return j.Remote != nil && j.Remote.Off && j.Mutation == Unchanged && len(j.Drift.Entries) > 0
}

func (j *evaluator) acceptLeftOff() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonServicePoweredOff, message: j.remoteMessage(),
		phase: v1alpha1.PhaseNotAvailable, after: j.pollAfter(), poll: true,
	}
}

func (j *evaluator) offAsRequested() bool { return j.Remote.PoweredOff }

func (j *evaluator) acceptOff() outcome {
	return outcome{
		ready: metav1.ConditionTrue, reason: condition.ReasonPoweredOffAsRequested, message: "Powered off, as the spec asks",
		phase: v1alpha1.PhaseNotAvailable, after: j.pollAfter(), poll: true,
	}
}

func (j *evaluator) acceptSync() outcome {
	v := outcome{
		ready: metav1.ConditionTrue, reason: condition.ReasonSucceeded, message: "Aiven has what the spec asks for",
		phase: v1alpha1.PhaseReady, after: j.pollAfter(), poll: true,
	}
	if j.IsService {
		v.phase = v1alpha1.PhaseRunning
	}
	if len(j.Drift.Entries) > 0 {
		v.message = "In use, though not all as the spec asks: see the condition Drifted"
	}
	for _, extra := range j.Conditions {
		if extra.Pending {
			v.after, v.poll = j.Timings.RequeueAsync, false
		}
	}
	return v
}

func (j *evaluator) remoteMessage() string {
	if j.Remote == nil {
		return "Waiting for Aiven"
	}
	if j.leftOff() {
		return "The service is powered off, and is left so, although the spec asks for power"
	}
	if j.Remote.Message != "" {
		return j.Remote.Message
	}
	return strings.TrimSpace("Waiting for Aiven: the resource is " + strings.ToLower(j.remoteReason()))
}
