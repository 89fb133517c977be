package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// The rows for waits and for success.

func (e *evaluator) referenceAbsent() bool { return e.absentReference() != nil }

func (e *evaluator) awaitReference() outcome {
	ref := e.absentReference()
	message := ref.Message + e.others()
	v := e.await(message)
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
	return e.await(e.unreadyReference().Message + e.others())
}

// others counts the references that wait besides the one that the message is about.
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

func (e *evaluator) serviceOff() bool {
	s := e.facts.service()
	return s != nil && s.Off
}

func (e *evaluator) awaitPower() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonServicePoweredOff,
		message: fmt.Sprintf("Service %s is powered off. Power it on", e.facts.service().Name),
		phase:   v1alpha1.PhaseNotAvailable, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) serviceUnusable() bool {
	s := e.facts.service()
	return s != nil && !s.Usable
}

func (e *evaluator) awaitService() outcome {
	s := e.facts.service()
	if !s.Exists {
		return e.await(e.absence(s))
	}
	return e.await(fmt.Sprintf("Waiting for service %s: it is %s", s.Name, s.State))
}

// serviceFields are the fields that name a service, by the condition that it has. All of them are immutable.
var serviceFields = map[string]string{
	condition.ServiceReady:            "spec.project, spec.serviceName",
	condition.SourceServiceReady:      "spec.sourceServiceName",
	condition.DestinationServiceReady: "spec.destinationServiceName",
}

// absence names a service that doesn't exist, the fields that name it, and what to do.
func (e *evaluator) absence(s *Service) string {
	format := "Waiting for service %s (%s): it does not exist at Aiven. %s"
	if e.serviceMissingTooLong() {
		format = "Service %s (%s) does not exist at Aiven. %s"
	}
	remedy := "Create it, or recreate this object with the right names"
	if known := e.facts.Provenance; known != nil && known.WasReady {
		remedy = "It did when this object was ready: restore it, or delete this object"
	}
	return fmt.Sprintf(format, s.Name, serviceFields[s.conditionType()], remedy)
}

// serviceMissingTooLong reports whether a name may be wrong rather than early.
func (e *evaluator) serviceMissingTooLong() bool {
	s := e.facts.service()
	if s == nil || s.Exists {
		return false
	}
	old := e.previous(s.conditionType())
	return old != nil && old.Reason == condition.ReasonNotFound &&
		e.since(s.conditionType(), metav1.ConditionFalse) > e.facts.Timings.ProgressDeadline
}

// await is the outcome while something else has to become ready.
func (e *evaluator) await(message string) outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: message,
		phase: e.blockedPhase(), activity: reconciling, after: e.facts.Timings.RequeueDependency, waits: true,
	}
}

// deferredFor is for how long the first status of a new object isn't written yet, because the object only waits for others.
// Of what is applied together, most becomes ready together, or what it waits for changes at once: the first status would be
// replaced by the next. Errors are written at once. An object from the future has been created by another clock.
func (e *evaluator) deferredFor(v outcome) time.Duration {
	age := e.facts.Now.Sub(e.facts.CreatedAt)
	onlyWaits := v.waits && v.activity == reconciling && e.facts.Mutation == Unchanged && e.facts.firstError() == nil
	if !onlyWaits || len(e.before.Conditions) > 0 || age < 0 {
		return 0
	}
	return max(0, e.facts.Timings.FirstStatus-age)
}

func (e *evaluator) progressing() bool {
	return e.facts.WaitFor != "" || e.facts.Remote == nil || !e.facts.Remote.PoweredOff && !e.facts.Remote.Active || e.unsettled() || e.secretPending() && !e.routeMissing() || e.memberless()
}

// memberless reports whether what consists of several things has none yet.
func (e *evaluator) memberless() bool {
	return e.facts.Remote.Members != nil && e.facts.Remote.Members.Total == 0
}

func (e *evaluator) awaitRemote() outcome {
	v := outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing, message: e.awaited(),
		phase: e.startingPhase(), activity: reconciling, after: e.facts.Timings.RequeueAsync,
	}
	if e.withheld() || e.facts.Secret.Lost != "" {
		v.after = e.asLongAgain(e.workedOnFor())
	}
	if waited := e.workedOnFor(); waited > e.facts.Timings.ProgressDeadline {
		v.phase = v1alpha1.PhaseDegraded
		v.message += fmt.Sprintf(" (for %s)", waited.Truncate(time.Minute))
		if e.awaited() == waitingForDetails {
			v.message += ". Check that the token has the permission to read secrets"
		}
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
		return cmp.Or(e.facts.Secret.Lost, waitingForDetails)
	case e.facts.Remote != nil && e.memberless():
		return "Waiting for Aiven to start the tasks"
	default:
		return e.remoteMessage()
	}
}

func (e *evaluator) nothingToObserve() bool {
	return e.facts.ObserveOnly && e.facts.Remote != nil && !e.facts.Remote.Exists && !e.facts.Remote.Unread
}

func (e *evaluator) awaitAppearance() outcome {
	return outcome{
		ready: metav1.ConditionUnknown, reason: condition.ReasonProgressing,
		message: "Does not exist at Aiven. Not created because of the annotation " + annotation.Management + ": correct the name, or remove the annotation",
		phase:   e.blockedPhase(), after: e.pollAfter(), poll: true, waits: true,
	}
}

func (e *evaluator) lacks() bool { return e.facts.Remote != nil && e.facts.Remote.Lacks != "" }

// awaitReturn is the outcome for what can't be used, as it leads to something that Aiven doesn't have.
func (e *evaluator) awaitReturn() outcome {
	v := e.await(e.facts.Remote.Lacks)
	v.phase = e.startingPhase()
	if e.workedOnFor() > e.facts.Timings.ProgressDeadline {
		v.phase = v1alpha1.PhaseDegraded // what was made in part isn't starting any more
	}
	return v
}

func (e *evaluator) remoteFailed() bool { return e.facts.Remote != nil && e.facts.Remote.Failure != "" }

// awaitRecovery is the outcome for what Aiven made, and reports as failed.
func (e *evaluator) awaitRecovery() outcome {
	v := e.await(e.facts.Remote.Failure)
	v.phase, v.waits = v1alpha1.PhaseDegraded, false
	return v
}

func (e *evaluator) membersDown() bool {
	return e.facts.Remote != nil && e.facts.Remote.Active && e.facts.Remote.Members != nil && e.facts.Remote.Members.Failed > 0
}

// awaitMembers is the outcome for what consists of several things of which some failed. They may recover by themselves,
// even if all have failed.
func (e *evaluator) awaitMembers() outcome {
	members := e.facts.Remote.Members
	v := e.await(members.failures())
	v.phase, v.waits = v1alpha1.PhaseDegraded, false
	if members.Failed == members.Total {
		v.phase = v1alpha1.PhaseFailed
	}
	return v
}

// leftOff reports whether a service is off against the spec and stays so: drift isn't corrected.
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
		ready: metav1.ConditionTrue, reason: condition.ReasonPoweredOffAsRequested, message: poweredOff,
		phase: v1alpha1.PhaseNotAvailable, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) acceptSync() outcome {
	v := outcome{
		ready: metav1.ConditionTrue, reason: condition.ReasonSucceeded,
		message: cmp.Or(e.facts.Remote.Message, "In sync with the spec"),
		phase:   v1alpha1.PhaseReady, after: e.pollAfter(), poll: true,
	}
	if e.facts.IsService {
		v.phase = v1alpha1.PhaseRunning
	}
	if len(e.facts.Drift.Entries) > 0 {
		v.message = "In use, with drift that isn't corrected: see Drifted"
	}
	pending := func(extra KindCondition) bool { return extra.Pending }
	if e.facts.Discarded.Retry || slices.ContainsFunc(e.facts.Conditions, pending) {
		v.after, v.poll = e.facts.Timings.RequeueAsync, false
	}
	return v
}

func (e *evaluator) remoteMessage() string {
	reason := e.remoteReason()
	switch {
	case e.facts.Remote == nil:
		return "Waiting for Aiven"
	case e.leftOff():
		return "Powered off, although spec.powered isn't false. Not corrected: see Drifted"
	case e.lacks(), e.remoteFailed():
		return "Not usable: see Ready"
	case e.facts.Remote.Message != "":
		return e.facts.Remote.Message
	case reason == condition.ReasonCreating:
		return "Waiting for Aiven to create the resource"
	case reason == condition.ReasonUpdating:
		return "Waiting for Aiven to update the resource"
	case reason == condition.ReasonMissing:
		return "Does not exist at Aiven"
	default:
		return "Waiting for Aiven: the resource is " + strings.ToLower(reason)
	}
}

// Messages that several conditions have.
const (
	poweredOff        = "Powered off as requested"
	notChecked        = "Not checked yet"
	waitingForDetails = "Waiting for Aiven to return connection details"
)
