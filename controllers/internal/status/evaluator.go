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
	*Facts
	before *v1alpha1.CommonStatus
}

// previous is a condition that the object had, or nil.
func (j *evaluator) previous(kind string) *metav1.Condition {
	for i := range j.before.Conditions {
		if j.before.Conditions[i].Type == kind {
			return &j.before.Conditions[i]
		}
	}
	return nil
}

// since is how long a condition has had a status; 0 if it has another one.
func (j *evaluator) since(kind string, status metav1.ConditionStatus) time.Duration {
	c := j.previous(kind)
	if c == nil || c.Status != status {
		return 0
	}
	return max(0, j.Now.Sub(c.LastTransitionTime.Time))
}

func (j *evaluator) phase() v1alpha1.Phase { return j.before.Phase }

// wasReady says whether this generation was ready at the latest look.
func (j *evaluator) wasReady() bool {
	c := j.previous(condition.Ready)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == j.Generation
}

// unreachableFor is how long Aiven or the cluster has been giving trouble.
func (j *evaluator) unreachableFor() time.Duration {
	return j.since(condition.DependenciesReachable, metav1.ConditionFalse)
}

// workedOnFor is how long the object has been worked on without a result, since nothing else was in the way.
func (j *evaluator) workedOnFor() time.Duration {
	worked := j.since(condition.Reconciling, metav1.ConditionTrue)
	if j.Service != nil {
		worked = min(worked, j.since(condition.ServiceReady, metav1.ConditionTrue))
	}
	for _, ref := range j.References {
		worked = min(worked, j.since(ref.Type, metav1.ConditionTrue))
	}
	return worked
}

// refusedFor is how long a change may have been refused.
func (j *evaluator) refusedFor() time.Duration {
	return min(j.workedOnFor(), j.since(condition.DependenciesReachable, metav1.ConditionTrue))
}

// unsettled says whether a change was made so short a time ago that Aiven may still show the service as it was before.
// The clock is the legacy condition Running, which is Unknown from the change until a look that counts, or RemoteReady.
func (j *evaluator) unsettled() bool {
	if !j.IsService || j.Remote == nil || !j.Remote.Active || j.Mutation != Unchanged {
		return false
	}
	remote, running := j.previous(condition.RemoteReady), j.previous(condition.LegacyRunning)
	if remote != nil && (remote.Reason == condition.ReasonCreating || remote.Reason == condition.ReasonRebuilding) {
		return false // Aiven has shown that it is at it, so what it shows now came after
	}
	updating := remote != nil && remote.Reason == condition.ReasonUpdating &&
		j.recent(condition.RemoteReady, metav1.ConditionFalse)
	mutated := running != nil && running.Reason == condition.LegacyReasonCreatedOrUpdated &&
		j.recent(condition.LegacyRunning, metav1.ConditionUnknown)
	return updating || mutated
}

// recent says whether a condition took a status a moment ago.
func (j *evaluator) recent(kind string, status metav1.ConditionStatus) bool {
	return j.was(kind, status) && j.since(kind, status) < j.Timings.RequeueAsync
}

func (j *evaluator) was(kind string, status metav1.ConditionStatus) bool {
	c := j.previous(kind)
	return c != nil && c.Status == status
}

// secretPending says whether the resource is usable, and the applications can't know how. A Secret that was published
// before outlives a moment in which Aiven doesn't tell the details.
func (j *evaluator) secretPending() bool {
	s := j.Secret
	if !s.Applies || s.Disabled || s.Published || j.Remote == nil || !j.Remote.Active {
		return false
	}
	return s.Err != nil || !j.was(condition.SecretReady, metav1.ConditionTrue)
}

// blockedPhase is the phase of what can't go on: Pending until Aiven has taken it for the first time, Degraded from then on.
func (j *evaluator) blockedPhase() v1alpha1.Phase {
	if j.WasReady || j.phase() == v1alpha1.PhaseStarting || j.phase() == v1alpha1.PhaseDegraded {
		return v1alpha1.PhaseDegraded
	}
	return v1alpha1.PhasePending
}

// startingPhase is the phase while Aiven works: something Degraded stays so until it is usable again.
func (j *evaluator) startingPhase() v1alpha1.Phase {
	if j.phase() == v1alpha1.PhaseDegraded && j.before.ObservedGeneration == j.Generation {
		return v1alpha1.PhaseDegraded
	}
	return v1alpha1.PhaseStarting
}

func (j *evaluator) pollAfter() time.Duration {
	return j.Timings.Poll + time.Duration(float64(j.Timings.Poll)*j.Jitter/10)
}

func (j *evaluator) absentReference() *Component {
	return j.findReference(func(c Component) bool { return c.Absent })
}

func (j *evaluator) unreadyReference() *Component {
	return j.findReference(func(c Component) bool { return !c.Ready && c.Err == nil })
}

func (j *evaluator) findReference(match func(Component) bool) *Component {
	for i := range j.References {
		if match(j.References[i]) {
			return &j.References[i]
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
	fault.Conflict:    condition.ReasonInfrastructureError, // of a write to the cluster
}
