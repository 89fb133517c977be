package status

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// baseConditions sets the conditions that every object has from its first status on.
func (j *evaluator) baseConditions(m *condition.Manager, v outcome) {
	j.config(m, v)
	j.auth(m)
	j.reachable(m)
}

// config blames the spec for a reference to nothing at once, while Ready gives it some time to appear.
func (j *evaluator) config(m *condition.Manager, v outcome) {
	absent, old := j.absentReference(), m.Get(condition.ConfigValid)
	switch {
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonInvalidDeletionPolicy:
		m.False(condition.ConfigValid, v.reason, v.message)
	case absent != nil:
		m.False(condition.ConfigValid, condition.ReasonReferenceNotFound, absent.Message)
	case old != nil && old.Status == metav1.ConditionFalse && old.ObservedGeneration == j.Generation && !j.clears(old.Reason):
	default:
		m.True(condition.ConfigValid, condition.ReasonConfigurationValid, "No problem is known with the spec")
	}
}

// clears says whether this reconcile came far enough to know that an earlier complaint about the spec is moot.
func (j *evaluator) clears(reason string) bool {
	switch reason {
	case condition.ReasonInvalidSpec:
		return j.observed() && j.MutateErr == nil
	case condition.ReasonReferenceNotFound:
		return j.TokenErr == nil && j.Deletion == nil && !j.Paused && j.referencesRead()
	default:
		return true
	}
}

// referencesRead says whether it is known of each reference what it leads to.
func (j *evaluator) referencesRead() bool {
	return j.findReference(func(c Component) bool { return c.Err != nil }) == nil
}

func (j *evaluator) auth(m *condition.Manager) {
	switch {
	case j.TokenMissing:
		m.False(condition.AuthValid, condition.ReasonTokenMissing, describe(j.firstError()))
	case j.authFailed():
		m.False(condition.AuthValid, condition.ReasonAuthFailed, describe(j.firstError()))
	case j.answered() && !j.nothingObserved() && j.TokenFallback != nil:
		m.True(condition.AuthValid, condition.ReasonAuthenticationValid, j.fallbackMessage())
	case j.answered() && !j.nothingObserved():
		m.True(condition.AuthValid, condition.ReasonAuthenticationValid, "Aiven accepts the token")
	default:
		m.Keep(condition.AuthValid, metav1.ConditionUnknown, condition.ReasonUnverified, "Aiven hasn't been asked yet")
	}
}

// nothingObserved says whether nothing at all could be seen with the token.
func (j *evaluator) nothingObserved() bool {
	return j.unreachable() && !j.observed() && j.observedService() == nil
}

func (j *evaluator) reachable(m *condition.Manager) {
	f := fault.Of(j.firstError())
	switch {
	case j.unreachable() && !j.forbiddenForGood() && !j.TokenMissing:
		reason := cmp.Or(faultReasons[f.Class], condition.ReasonUnknownError)
		m.False(condition.DependenciesReachable, reason, f.Message)
	case j.answered():
		m.True(condition.DependenciesReachable, condition.ReasonReachable, "Aiven answers")
	default:
		m.Keep(condition.DependenciesReachable, metav1.ConditionUnknown, condition.ReasonUnverified, "Aiven hasn't been asked yet")
	}
}

// componentConditions sets the conditions of the components, and removes those that the object no longer has.
func (j *evaluator) componentConditions(m *condition.Manager, v outcome) {
	if j.gone() {
		m.False(condition.RemoteReady, condition.ReasonMissing, v.message)
	}
	if j.Deletion != nil || j.Paused || j.PolicyErr != nil {
		return
	}
	for _, ref := range j.References {
		switch {
		case ref.Ready:
			m.True(ref.Type, condition.ReasonReady, ref.Message)
		case ref.Err != nil:
			j.notObserved(m, ref.Type, v)
		default:
			m.False(ref.Type, cmp.Or(ref.Reason, condition.ReasonUnknown), ref.Message)
		}
	}
	j.service(m, v)
	j.remote(m, v)
	j.members(m)
	j.secret(m)
}

// notObserved is for a component that nobody could look at: what was known of it holds for the time of the grace, and for as
// long as a reference is what keeps us from looking.
func (j *evaluator) notObserved(m *condition.Manager, kind string, v outcome) {
	switch {
	case v.reason == condition.ReasonAuthFailed:
		m.False(kind, condition.ReasonAuthFailed, v.message)
	case j.absentReference() != nil, j.unreadyReference() != nil,
		j.unreachable() && j.unreachableFor() <= j.Timings.Degradation:
		m.Keep(kind, metav1.ConditionFalse, condition.ReasonUnknown, "Not known yet")
	default:
		m.False(kind, condition.ReasonUnknown, "Could not be looked at: "+v.message)
	}
}

func (j *evaluator) service(m *condition.Manager, v outcome) {
	s := j.observedService()
	switch {
	case s == nil && m.Get(condition.ServiceReady) == nil:
	case s == nil:
		j.notObserved(m, condition.ServiceReady, v)
	case !s.Exists:
		m.False(condition.ServiceReady, condition.ReasonNotFound, fmt.Sprintf("Service %s does not exist at Aiven", s.Name))
	case s.Off:
		m.False(condition.ServiceReady, condition.ReasonServicePoweredOff, fmt.Sprintf("Service %s is powered off", s.Name))
	case s.Usable:
		m.True(condition.ServiceReady, condition.ReasonRunning, fmt.Sprintf("Service %s is %s", s.Name, s.State))
	default:
		m.False(condition.ServiceReady, serviceReason(s.State), fmt.Sprintf("Service %s is %s", s.Name, s.State))
	}
}

func serviceReason(state string) string {
	if state == "REBUILDING" {
		return condition.ReasonRebuilding
	}
	return condition.ReasonPending
}

func (j *evaluator) remote(m *condition.Manager, v outcome) {
	service := j.observedService()
	switch {
	case v.reason == condition.ReasonInvalidSpec && firstOf(j.ObserveErr, j.MutateErr) != nil:
		m.False(condition.RemoteReady, condition.ReasonInvalidSpec, v.message)
	case v.reason == condition.ReasonAuthFailed:
		m.False(condition.RemoteReady, condition.ReasonAuthFailed, v.message)
	case j.Remote == nil && service != nil && !service.Exists:
		m.False(condition.RemoteReady, condition.ReasonMissing, "The service does not exist")
	case j.Remote == nil:
		j.notObserved(m, condition.RemoteReady, v)
	case j.unsettled():
		m.False(condition.RemoteReady, condition.ReasonUpdating, j.awaited())
	case j.Remote.Active, j.Remote.PoweredOff:
		m.True(condition.RemoteReady, j.remoteReason(), cmp.Or(j.Remote.Message, "Aiven has it, and it is in use"))
	default:
		m.False(condition.RemoteReady, j.remoteReason(), j.remoteMessage())
	}
}

// members sets the condition of what a resource consists of.
func (j *evaluator) members(m *condition.Manager) {
	switch {
	case j.Remote == nil:
		j.refresh(m, condition.TasksReady)
	case j.Remote.Members == nil:
		m.Delete(condition.TasksReady)
	case j.Remote.Members.Total == 0:
		m.False(condition.TasksReady, condition.ReasonUnknown, "There is none yet")
	case j.Remote.Members.Failed == 0:
		m.True(condition.TasksReady, condition.ReasonAllReady, fmt.Sprintf("All %d work", j.Remote.Members.Total))
	case j.Remote.Members.Failed == j.Remote.Members.Total:
		m.False(condition.TasksReady, cmp.Or(j.Remote.Members.Reason, condition.ReasonAllFailed), j.Remote.Members.Message)
	default:
		m.False(condition.TasksReady, cmp.Or(j.Remote.Members.Reason, condition.ReasonSomeFailed), j.Remote.Members.Message)
	}
}

func (j *evaluator) remoteReason() string {
	r := j.Remote
	switch {
	case r == nil:
		return condition.ReasonUnknown
	case j.leftOff():
		return condition.ReasonServicePoweredOff
	case r.Reason != "":
		return r.Reason
	case r.PoweredOff:
		return condition.ReasonPoweredOffAsRequested
	case r.Active && j.IsService:
		return condition.ReasonRunning
	case r.Active:
		return condition.ReasonActive
	case !r.Exists:
		return condition.ReasonMissing
	case j.Mutation == Updated, j.Mutation == Unchanged && j.WasReady:
		return condition.ReasonUpdating
	default:
		return condition.ReasonCreating
	}
}

func (j *evaluator) secret(m *condition.Manager) {
	s := j.Secret
	switch {
	case !s.Applies && j.Remote == nil:
		j.refresh(m, condition.SecretReady)
	case !s.Applies:
		m.Delete(condition.SecretReady)
	case s.Disabled:
		m.True(condition.SecretReady, condition.ReasonDisabled, "The spec asks for no connection Secret")
	case s.Published:
		m.True(condition.SecretReady, condition.ReasonPublished, "Secret "+s.Name+" holds the connection details")
	case s.Conflict:
		m.False(condition.SecretReady, condition.ReasonOwnedByOther, describe(s.Err))
	case s.Err != nil:
		m.False(condition.SecretReady, condition.ReasonWriteFailed, describe(s.Err))
	default:
		m.Keep(condition.SecretReady, metav1.ConditionFalse, condition.ReasonNotYetAvailable, "The connection details aren't known yet")
	}
}

// refresh keeps a condition, if there is one: the station that knows was not reached.
func (j *evaluator) refresh(m *condition.Manager, kind string) {
	if m.Get(kind) != nil {
		m.Keep(kind, metav1.ConditionFalse, condition.ReasonUnknown, "Not known yet")
	}
}
