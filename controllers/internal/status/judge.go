package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// judge answers the questions that the rows ask, from the facts and the status that the object had.
type judge struct {
	*Facts
	before *v1alpha1.CommonStatus
}

// previous is a condition that the object had, or nil.
func (j *judge) previous(kind string) *metav1.Condition {
	for i := range j.before.Conditions {
		if j.before.Conditions[i].Type == kind {
			return &j.before.Conditions[i]
		}
	}
	return nil
}

// since is how long a condition has had a status; 0 if it has another one.
func (j *judge) since(kind string, status metav1.ConditionStatus) time.Duration {
	c := j.previous(kind)
	if c == nil || c.Status != status {
		return 0
	}
	return max(0, j.Now.Sub(c.LastTransitionTime.Time))
}

func (j *judge) phase() v1alpha1.Phase { return j.before.Phase }

// wasReady says whether this generation was ready at the latest look.
func (j *judge) wasReady() bool {
	c := j.previous(condition.Ready)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == j.Generation
}

// unreachableFor is how long Aiven or the cluster has been giving trouble.
func (j *judge) unreachableFor() time.Duration {
	return j.since(condition.DependenciesReachable, metav1.ConditionFalse)
}

// waitingFor is how long the object has been worked on without a result.
func (j *judge) waitingFor() time.Duration {
	return j.since(condition.Reconciling, metav1.ConditionTrue)
}

// unsettled says whether a change of the kind that Aiven shows late was made a moment ago.
func (j *judge) unsettled() bool {
	c := j.previous(condition.RemoteReady)
	return c != nil && c.Status == metav1.ConditionFalse && c.Reason == condition.ReasonUpdating &&
		j.Now.Sub(c.LastTransitionTime.Time) < j.Timings.RequeueAsync
}

// degradedOr is Degraded for what has been usable, and the given phase for what never was.
func (j *judge) degradedOr(phase v1alpha1.Phase) v1alpha1.Phase {
	if j.EverReady {
		return v1alpha1.PhaseDegraded
	}
	return phase
}

// startingPhase is the phase while Aiven works: something Degraded stays so until it is usable again.
func (j *judge) startingPhase() v1alpha1.Phase {
	if j.phase() == v1alpha1.PhaseDegraded && j.before.ObservedGeneration == j.Generation {
		return v1alpha1.PhaseDegraded
	}
	return v1alpha1.PhaseStarting
}

func (j *judge) pollAfter() time.Duration {
	return j.Timings.Poll + time.Duration(float64(j.Timings.Poll)*j.Spread/10)
}

func (j *judge) absentReference() *Component {
	return j.findReference(func(c Component) bool { return c.Absent })
}

func (j *judge) unreadyReference() *Component {
	return j.findReference(func(c Component) bool { return !c.Ready && c.Err == nil })
}

func (j *judge) findReference(match func(Component) bool) *Component {
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
}
