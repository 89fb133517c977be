package status

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// parents sets the conditions that every object has from its first status on.
func (j *judge) parents(m *condition.Manager, v verdict) {
	switch v.reason {
	case condition.ReasonInvalidSpec, condition.ReasonReferenceNotFound, condition.ReasonInvalidDeletionPolicy:
		m.False(condition.ConfigValid, v.reason, v.message)
	default:
		if old := m.Get(condition.ConfigValid); old != nil && old.Status == metav1.ConditionFalse &&
			old.ObservedGeneration == j.Generation && !j.clears(old.Reason) {
			break
		}
		m.True(condition.ConfigValid, condition.ReasonConfigurationValid, "No problem is known with the spec")
	}
	j.auth(m)
	j.reachable(m)
}

// clears says whether this reconcile came far enough to know that an earlier complaint about the spec is moot.
func (j *judge) clears(reason string) bool {
	return reason != condition.ReasonInvalidSpec || j.looked() && j.MutateErr == nil
}

func (j *judge) auth(m *condition.Manager) {
	f := fault.Of(j.failure())
	if j.Deletion != nil && j.Deletion.Err != nil {
		f = fault.Of(j.Deletion.Err)
	}
	switch {
	case j.TokenMissing:
		m.False(condition.AuthValid, condition.ReasonTokenMissing, f.Message)
	case f.Class == fault.Unauthorized, f.Class == fault.Forbidden && j.authFailed():
		m.False(condition.AuthValid, condition.ReasonAuthFailed, f.Message)
	case j.looked() || j.refusal().Class == fault.Rejected:
		m.True(condition.AuthValid, condition.ReasonAuthenticationValid, "Aiven accepts the token")
	default:
		m.Keep(condition.AuthValid, metav1.ConditionUnknown, condition.ReasonUnverified, "Aiven hasn't been asked yet")
	}
}

func (j *judge) reachable(m *condition.Manager) {
	err := j.failure()
	if j.Deletion != nil {
		err = j.Deletion.Err
	}
	f := fault.Of(err)
	switch {
	case err != nil && isTrouble(f.Class) && !j.TokenMissing:
		reason, known := faultReasons[f.Class]
		if !known {
			reason = condition.ReasonUnknownError
		}
		m.False(condition.DependenciesReachable, reason, f.Message)
	case j.looked() || j.Deletion != nil && j.Deletion.Err == nil || err != nil && !j.TokenMissing:
		m.True(condition.DependenciesReachable, condition.ReasonReachable, "Aiven answers")
	default:
		m.Keep(condition.DependenciesReachable, metav1.ConditionUnknown, condition.ReasonUnverified, "Aiven hasn't been asked yet")
	}
}

// isTrouble says whether a class speaks of the way to Aiven rather than of the request.
func isTrouble(class fault.Class) bool {
	switch class {
	case fault.Unauthorized, fault.Rejected, fault.Exhausted, fault.Invalid, fault.Exists, fault.Conflict, fault.NotFound, fault.Canceled:
		return false
	default:
		return true
	}
}

// children sets the conditions of the components, and removes those that the object no longer has.
func (j *judge) children(m *condition.Manager, v verdict) {
	if j.Deletion != nil || j.Paused || j.PolicyErr != nil {
		return
	}
	for _, ref := range j.References {
		switch {
		case ref.Ready:
			m.True(ref.Type, condition.ReasonReady, ref.Message)
		case ref.Err != nil:
			m.Keep(ref.Type, metav1.ConditionFalse, condition.ReasonUnknown, j.describe(ref.Err))
		default:
			m.False(ref.Type, ref.Reason, ref.Message)
		}
	}
	j.service(m)
	j.remote(m, v)
	j.secret(m)
}

func (j *judge) service(m *condition.Manager) {
	s := j.Service
	switch {
	case s == nil && m.Get(condition.ServiceReady) == nil:
	case s == nil:
		j.unknownAfterGrace(m, condition.ServiceReady)
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

func (j *judge) remote(m *condition.Manager, v verdict) {
	switch {
	case v.reason == condition.ReasonInvalidSpec:
		m.False(condition.RemoteReady, condition.ReasonInvalidSpec, v.message)
	case v.reason == condition.ReasonAuthFailed:
		m.False(condition.RemoteReady, condition.ReasonAuthFailed, v.message)
	case j.Remote == nil && j.Service != nil && !j.Service.Exists:
		m.False(condition.RemoteReady, condition.ReasonMissing, "The service does not exist")
	case j.Remote == nil:
		j.unknownAfterGrace(m, condition.RemoteReady)
	case j.unsettled() && j.Remote.Active:
		m.False(condition.RemoteReady, condition.ReasonUpdating, "Aiven may not show the latest change yet")
	case j.Remote.Active, j.Remote.PoweredOff:
		m.True(condition.RemoteReady, j.remoteReason(), j.Remote.Message)
	default:
		m.False(condition.RemoteReady, j.remoteReason(), j.remoteMessage())
	}
}

// unknownAfterGrace keeps what was known about a component for a while, and then admits that it isn't known.
func (j *judge) unknownAfterGrace(m *condition.Manager, kind string) {
	if j.wasReady() && j.unreachableFor() <= j.Timings.Degradation {
		m.Keep(kind, metav1.ConditionFalse, condition.ReasonUnknown, "Not known yet")
		return
	}
	message := "Not known yet"
	if err := j.failure(); err != nil {
		message = j.describe(err)
	}
	m.False(kind, condition.ReasonUnknown, message)
}

func (j *judge) remoteReason() string {
	r := j.Remote
	switch {
	case r == nil:
		return condition.ReasonUnknown
	case r.Reason != "":
		return r.Reason
	case r.PoweredOff:
		return condition.ReasonPoweredOffAsRequested
	case r.Active && j.EndsRunning:
		return condition.ReasonRunning
	case r.Active:
		return condition.ReasonActive
	case !r.Exists:
		return condition.ReasonMissing
	default:
		return condition.ReasonCreating
	}
}

func (j *judge) secret(m *condition.Manager) {
	s := j.Secret
	switch {
	case !s.Applies:
		m.Delete(condition.SecretReady)
	case s.Disabled:
		m.True(condition.SecretReady, condition.ReasonDisabled, "The spec asks for no connection Secret")
	case s.Published:
		m.True(condition.SecretReady, condition.ReasonPublished, "Secret "+s.Name+" holds the connection details")
	case s.Conflict:
		m.False(condition.SecretReady, condition.ReasonOwnedByOther, j.describe(s.Err))
	case s.Err != nil:
		m.False(condition.SecretReady, condition.ReasonWriteFailed, j.describe(s.Err))
	default:
		m.Keep(condition.SecretReady, metav1.ConditionFalse, condition.ReasonNotYetAvailable, "The connection details aren't known yet")
	}
}
