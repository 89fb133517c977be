package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// evaluator answers the questions that the rows ask, from the facts and the status that the object had.
type evaluator struct {
	facts  *Facts
	before *v1alpha1.CommonStatus
}

// previous is a condition that the object had, or nil.
func (e *evaluator) previous(kind string) *metav1.Condition {
	for i := range e.before.Conditions {
		if e.before.Conditions[i].Type == kind {
			return &e.before.Conditions[i]
		}
	}
	return nil
}

// since is how long a condition has had a status; 0 if it has another one.
func (e *evaluator) since(kind string, status metav1.ConditionStatus) time.Duration {
	c := e.previous(kind)
	if c == nil || c.Status != status {
		return 0
	}
	return max(0, e.facts.Now.Sub(c.LastTransitionTime.Time))
}

func (e *evaluator) phase() v1alpha1.Phase { return e.before.Phase }

// wasReady reports whether this generation was ready in the latest status.
func (e *evaluator) wasReady() bool {
	c := e.previous(condition.Ready)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == e.facts.Generation
}

// unreachableFor is how long Aiven or the cluster has been failing.
func (e *evaluator) unreachableFor() time.Duration {
	return e.since(condition.DependenciesReachable, metav1.ConditionFalse)
}

// reconcilingFor is how long Reconciling has been True, in whole seconds as the cluster stores times.
func (e *evaluator) reconcilingFor() time.Duration {
	c := e.previous(condition.Reconciling)
	if c == nil {
		return 0
	}
	return max(0, e.facts.Now.Truncate(time.Second).Sub(c.LastTransitionTime.Time))
}

// edited reports whether the latest status is about another generation.
func (e *evaluator) edited() bool { return e.before.ObservedGeneration != e.facts.Generation }

// workedOnFor is how long this generation has been worked on without a result, since nothing else was in the way.
func (e *evaluator) workedOnFor() time.Duration {
	worked := e.since(condition.Reconciling, metav1.ConditionTrue)
	switch begun := e.before.EditObservedTime; {
	case e.edited(), e.hasReason(condition.ReasonAwaitingApproval):
		return 0
	case begun != nil:
		worked = min(worked, max(0, e.facts.Now.Sub(begun.Time)))
	}
	for i := range e.facts.Services {
		worked = min(worked, e.since(e.facts.Services[i].conditionType(), metav1.ConditionTrue))
	}
	for _, ref := range e.facts.References {
		worked = min(worked, e.since(ref.Type, metav1.ConditionTrue))
	}
	return worked
}

// refusedFor is how long a change may have been refused.
func (e *evaluator) refusedFor() time.Duration {
	return min(e.workedOnFor(), e.since(condition.DependenciesReachable, metav1.ConditionTrue))
}

// asLongAgain is the next delay of what has waited: a backoff whose only state is a transition time.
func (e *evaluator) asLongAgain(waited time.Duration) time.Duration {
	return min(max(e.facts.Timings.RequeueAsync, waited), e.facts.Timings.BackoffMax)
}

// withheld reports whether the resource doesn't exist, and may not be made yet, or can't be asked for: something else has to be there first.
func (e *evaluator) withheld() bool {
	r := e.facts.Remote
	return r != nil && !r.Exists && (e.facts.WaitFor != "" || r.Unread)
}

// unsettled reports whether a change was made so recently that Aiven may still show the service as it was before. The
// clock is the legacy condition Running, which is Unknown from the change until an observation that counts, or RemoteReady.
func (e *evaluator) unsettled() bool {
	if !e.facts.IsService || e.facts.Remote == nil || !e.facts.Remote.Active || e.facts.Mutation != Unchanged {
		return false
	}
	remote, running := e.previous(condition.RemoteReady), e.previous(condition.LegacyRunning)
	if remote != nil && (remote.Reason == condition.ReasonCreating || remote.Reason == condition.ReasonRebuilding) {
		return false // Aiven has shown that it works on it, so what it shows now came after
	}
	updating := remote != nil && remote.Reason == condition.ReasonUpdating &&
		e.recent(condition.RemoteReady, metav1.ConditionFalse)
	mutated := running != nil && running.Reason == condition.LegacyReasonCreatedOrUpdated &&
		e.recent(condition.LegacyRunning, metav1.ConditionUnknown)
	return updating || mutated
}

// recent reports whether a condition took a status a moment ago.
func (e *evaluator) recent(kind string, status metav1.ConditionStatus) bool {
	return e.was(kind, status) && e.since(kind, status) < e.facts.Timings.RequeueAsync
}

func (e *evaluator) was(kind string, status metav1.ConditionStatus) bool {
	c := e.previous(kind)
	return c != nil && c.Status == status
}

// secretPending reports whether the resource is usable and its connection details aren't published. A Secret that was
// published before outlives an observation without details, unless it is lost.
func (e *evaluator) secretPending() bool {
	s := e.facts.Secret
	if !s.Applies || s.Disabled || s.Withheld || s.Published || e.facts.Remote == nil || !e.facts.Remote.Active {
		return false
	}
	return s.Err != nil || s.Lost != "" || !e.was(condition.SecretReady, metav1.ConditionTrue)
}

// blockedPhase is the phase of what can't go on: Pending until Aiven has accepted it for the first time, then Degraded.
func (e *evaluator) blockedPhase() v1alpha1.Phase {
	if e.facts.WasReady || e.phase() == v1alpha1.PhaseStarting || e.phase() == v1alpha1.PhaseDegraded {
		return v1alpha1.PhaseDegraded
	}
	return v1alpha1.PhasePending
}

// startingPhase is the phase while Aiven works: something Degraded stays so until it is usable again, and what was usable and
// lacks something else is.
func (e *evaluator) startingPhase() v1alpha1.Phase {
	if e.phase() == v1alpha1.PhaseDegraded && !e.edited() || e.facts.WasReady && (e.lacks() || e.withheld() || e.facts.Secret.Lost != "") {
		return v1alpha1.PhaseDegraded
	}
	return v1alpha1.PhaseStarting
}

func (e *evaluator) pollAfter() time.Duration {
	return e.facts.Timings.Poll + time.Duration(float64(e.facts.Timings.Poll)*e.facts.Jitter/10)
}

func (e *evaluator) absentReference() *Component {
	return e.findReference(func(c Component) bool { return c.Absent })
}

func (e *evaluator) unreadyReference() *Component {
	return e.findReference(func(c Component) bool { return !c.Ready && c.Err == nil })
}

func (e *evaluator) findReference(match func(Component) bool) *Component {
	for i := range e.facts.References {
		if match(e.facts.References[i]) {
			return &e.facts.References[i]
		}
	}
	return nil
}

// faultReasons are the reasons of DependenciesReachable=False.
var faultReasons = map[fault.Class]string{
	fault.Network:     condition.ReasonInfrastructureError,
	fault.Timeout:     condition.ReasonTimeout,
	fault.Server:      condition.ReasonServerError,
	fault.RateLimited: condition.ReasonRateLimited,
	fault.Forbidden:   condition.ReasonForbidden,
	fault.NotReady:    condition.ReasonServerError,
	fault.Conflict:    condition.ReasonInfrastructureError, // of a write to the cluster
}
