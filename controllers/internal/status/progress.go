package status

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// The rows for what is waited for, and for what is well.

func (e *evaluator) referenceAbsent() bool { return e.absentReference() != nil }

func (e *evaluator) awaitReference() outcome {
	ref := e.absentReference()
	message := ref.Message + e.others()
	v := e.await("Waiting: " + message)
	v.after = min(e.facts.Timings.Degradation, e.facts.Timings.RequeueDependency)
	if !e.absentTooLong(ref) {
		return v
	}
	v.ready, v.reason, v.message = metav1.ConditionFalse, condition.ReasonReferenceNotFound, message
	v.phase, v.activity, v.after, v.waits = v1alpha1.PhaseFailed, settled, e.facts.Timings.RequeueDependency, false
	if e.facts.WasReady {
		v.phase = v1alpha1.PhaseDegraded
	}
	return v
}

// absentTooLong doesn't count the time in which the reference was there and not ready.
func (e *evaluator) absentTooLong(ref *Component) bool {
	old := e.previous(ref.Type)
	return old != nil && old.Reason == ref.Reason && e.since(ref.Type, metav1.ConditionFalse) > e.facts.Timings.Degradation
}

func (e *evaluator) referencePending() bool { return e.unreadyReference() != nil }

func (e *evaluator) awaitPending() outcome {
	return e.await("Waiting: " + e.unreadyReference().Message + e.others())
}

// others says how many references wait besides the one that the message is about.
func (e *evaluator) others() string {
	waiting := 0
	for _, ref := range e.facts.References {
		if !ref.Ready && ref.Err == nil {
			waiting++
		}
	}
	if waiting < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", waiting-1)
}

func (e *evaluator) serviceOff() bool { return e.facts.Service != nil && e.facts.Service.Off }

func (e *evaluator) awaitPower() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonServicePoweredOff,
		message: fmt.Sprintf("Service %s is powered off", e.facts.Service.Name),
		phase:   v1alpha1.PhaseNotAvailable, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) serviceUnusable() bool { return e.facts.Service != nil && !e.facts.Service.Usable }

func (e *evaluator) awaitService() outcome {
	switch {
	case e.serviceMissingTooLong():
		return e.await(fmt.Sprintf("Service %s still does not exist at Aiven: check its name and the project's", e.facts.Service.Name))
	case !e.facts.Service.Exists:
		return e.await(fmt.Sprintf("Waiting for service %s: it does not exist at Aiven", e.facts.Service.Name))
	default:
		return e.await(fmt.Sprintf("Waiting for service %s: it is %s", e.facts.Service.Name, e.facts.Service.State))
	}
}

// serviceMissingTooLong says whether a name may be wrong rather than early.
func (e *evaluator) serviceMissingTooLong() bool {
	old := e.previous(condition.ServiceReady)
	return e.facts.Service != nil && !e.facts.Service.Exists && old != nil && old.Reason == condition.ReasonNotFound &&
		e.since(condition.ServiceReady, metav1.ConditionFalse) > e.facts.Timings.ProgressDeadline
}

// await is the verdict while something else has to become ready.
func (e *evaluator) await(message string) outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: message,
		phase: e.blockedPhase(), activity: reconciling, after: e.facts.Timings.RequeueDependency, waits: true,
	}
}

func (e *evaluator) progressing() bool {
	return e.facts.WaitFor != "" || e.facts.Remote == nil || !e.facts.Remote.PoweredOff && !e.facts.Remote.Active || e.unsettled() || e.secretPending() || e.memberless()
}

// memberless says whether what consists of several things has none yet.
func (e *evaluator) memberless() bool {
	return e.facts.Remote.Members != nil && e.facts.Remote.Members.Total == 0
}

func (e *evaluator) awaitRemote() outcome {
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: e.awaited(),
		phase: e.startingPhase(), activity: reconciling, after: e.facts.Timings.RequeueAsync,
	}
	if waited := e.workedOnFor(); waited > e.facts.Timings.ProgressDeadline {
		v.phase = v1alpha1.PhaseDegraded
		v.message += fmt.Sprintf(" (for %s)", waited.Truncate(time.Minute))
	}
	return v
}

// awaited names what keeps the resource from being ready.
func (e *evaluator) awaited() string {
	switch {
	case e.facts.WaitFor != "":
		return e.facts.WaitFor
	case e.unsettled():
		return "Waiting for Aiven to show the latest change"
	case e.secretPending():
		return "Waiting for Aiven to tell the connection details"
	case e.facts.Remote != nil && e.memberless():
		return "Waiting for Aiven to start the tasks"
	default:
		return e.remoteMessage()
	}
}

func (e *evaluator) nothingToObserve() bool {
	return e.facts.ObserveOnly && e.facts.Remote != nil && !e.facts.Remote.Exists
}

func (e *evaluator) awaitAppearance() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing,
		message: "Waiting for the resource to appear at Aiven: the annotation " + annotation.Management + " lets nothing be made",
		phase:   e.blockedPhase(), after: e.pollAfter(), poll: true, waits: true,
	}
}

func (e *evaluator) membersDown() bool {
	return e.facts.Remote != nil && e.facts.Remote.Active && e.facts.Remote.Members != nil && e.facts.Remote.Members.Failed > 0
}

// awaitMembers judges what consists of several things of which some don't work. They may recover by themselves, so that
// even without a single one that works, nothing is known to need somebody.
func (e *evaluator) awaitMembers() outcome {
	members := e.facts.Remote.Members
	v := e.await(fmt.Sprintf("%d of %d work: %s", members.Total-members.Failed, members.Total, members.Message))
	v.phase, v.waits = v1alpha1.PhaseDegraded, false
	if members.Failed == members.Total {
		v.phase = v1alpha1.PhaseFailed
	}
	return v
}

// leftOff says whether a service is off against the spec, and nobody is going to power it on: nothing is awaited then.
func (e *evaluator) leftOff() bool {
	return e.facts.Remote != nil && e.facts.Remote.Off && e.facts.Mutation == Unchanged && len(e.facts.Drift.Entries) > 0
}

func (e *evaluator) acceptLeftOff() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonServicePoweredOff, message: e.remoteMessage(),
		phase: v1alpha1.PhaseNotAvailable, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) offAsRequested() bool { return e.facts.Remote.PoweredOff }

func (e *evaluator) acceptOff() outcome {
	return outcome{
		ready: metav1.ConditionTrue, reason: condition.ReasonPoweredOffAsRequested, message: "Powered off, as the spec asks",
		phase: v1alpha1.PhaseNotAvailable, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) acceptSync() outcome {
	v := outcome{
		ready: metav1.ConditionTrue, reason: condition.ReasonSucceeded, message: "Aiven has what the spec asks for",
		phase: v1alpha1.PhaseReady, after: e.pollAfter(), poll: true,
	}
	if e.facts.IsService {
		v.phase = v1alpha1.PhaseRunning
	}
	if len(e.facts.Drift.Entries) > 0 {
		v.message = "In use, though not all as the spec asks: see the condition Drifted"
	}
	for _, extra := range e.facts.Conditions {
		if extra.Pending {
			v.after, v.poll = e.facts.Timings.RequeueAsync, false
		}
	}
	return v
}

func (e *evaluator) remoteMessage() string {
	if e.facts.Remote == nil {
		return "Waiting for Aiven"
	}
	if e.leftOff() {
		return "The service is powered off, and is left so, although the spec asks for power"
	}
	if e.facts.Remote.Message != "" {
		return e.facts.Remote.Message
	}
	return strings.TrimSpace("Waiting for Aiven: the resource is " + strings.ToLower(e.remoteReason()))
}
