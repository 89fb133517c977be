package status

import (
	"cmp"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// baseConditions sets the conditions that every object has from its first status on.
func (e *evaluator) baseConditions(m *condition.Manager, v outcome) {
	e.config(m, v)
	e.auth(m)
	e.reachable(m)
}

// config reports a missing reference at once, while Ready gives it some time to appear.
func (e *evaluator) config(m *condition.Manager, v outcome) {
	absent, old := e.absentReference(), m.Get(condition.ConfigValid)
	switch {
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonInvalidDeletionPolicy:
		m.False(condition.ConfigValid, v.reason, v.message)
	case absent != nil:
		m.False(condition.ConfigValid, condition.ReasonReferenceNotFound, "Reference not found: see "+absent.Type)
	case old != nil && old.Status == metav1.ConditionFalse && old.ObservedGeneration == e.facts.Generation && !e.clears(old.Reason):
	default:
		m.True(condition.ConfigValid, condition.ReasonConfigurationValid, "No errors found in the spec")
	}
}

// clears reports whether this reconcile came far enough to know that an earlier error in the spec is gone.
func (e *evaluator) clears(reason string) bool {
	switch reason {
	case condition.ReasonInvalidSpec:
		return e.facts.observed() && e.facts.MutateErr == nil
	case condition.ReasonReferenceNotFound:
		return e.facts.TokenErr == nil && !e.facts.Deleting && !e.facts.Paused && e.referencesRead()
	default:
		return true
	}
}

// referencesRead reports whether every reference could be read.
func (e *evaluator) referencesRead() bool {
	return e.findReference(func(c Component) bool { return c.Err != nil && !c.invalid() }) == nil
}

func (e *evaluator) auth(m *condition.Manager) {
	switch {
	case e.facts.TokenMissing:
		m.False(condition.AuthValid, condition.ReasonTokenMissing, e.describe(e.facts.firstError()))
	case e.authFailed():
		m.False(condition.AuthValid, condition.ReasonAuthFailed, e.authMessage())
	case e.facts.answered() && !e.nothingObserved() && e.facts.TokenFallback != nil:
		m.True(condition.AuthValid, condition.ReasonAuthenticationValid, e.fallbackMessage())
	case e.facts.answered() && !e.nothingObserved():
		m.True(condition.AuthValid, condition.ReasonAuthenticationValid, "Aiven accepts the token")
	default:
		m.Keep(condition.AuthValid, metav1.ConditionUnknown, condition.ReasonUnverified, "Token not used yet")
	}
}

// nothingObserved reports whether nothing at all could be read with the token.
func (e *evaluator) nothingObserved() bool {
	return e.facts.unreachable() && !e.facts.observed() && e.facts.observedService() == nil
}

func (e *evaluator) reachable(m *condition.Manager) {
	f := e.facts.Secrets.Of(e.facts.firstError())
	switch {
	case e.facts.unreachable() && !e.forbiddenForGood() && !e.facts.TokenMissing && (!e.throttled() || e.throttledTooLong()):
		reason := cmp.Or(faultReasons[f.Class], condition.ReasonUnknownError)
		m.False(condition.DependenciesReachable, reason, f.Message)
	case e.facts.answered():
		m.True(condition.DependenciesReachable, condition.ReasonReachable, "Aiven responds")
	default:
		m.Keep(condition.DependenciesReachable, metav1.ConditionUnknown, condition.ReasonUnverified, "Aiven not called yet")
	}
}

// componentConditions sets the conditions of the components, and removes those that the object no longer has.
func (e *evaluator) componentConditions(m *condition.Manager, v outcome) {
	if e.facts.gone() {
		m.False(condition.RemoteReady, condition.ReasonMissing, e.missing())
	}
	if e.facts.Deleting || e.facts.Paused || e.facts.PolicyErr != nil || e.notAllowed() {
		return
	}
	for _, ref := range e.facts.References {
		switch {
		case ref.Ready:
			m.True(ref.Type, condition.ReasonReady, ref.Message)
		case ref.Err != nil && !ref.invalid():
			e.notObserved(m, ref.Type, v)
		default:
			m.False(ref.Type, cmp.Or(ref.Reason, condition.ReasonUnknown), ref.Message)
		}
	}
	e.services(m, v)
	e.remote(m, v)
	e.members(m)
	e.secret(m)
}

// notObserved is for a component that could not be read: what was known of it holds for the time of the grace, and for as
// long as a reference is in the way.
func (e *evaluator) notObserved(m *condition.Manager, kind string, v outcome) {
	switch {
	case v.reason == condition.ReasonAuthFailed:
		m.False(kind, condition.ReasonAuthFailed, "Not checked: see AuthValid")
	case e.absentReference() != nil, e.unreadyReference() != nil,
		e.facts.unreachable() && e.unreachableFor() <= e.facts.Timings.Degradation:
		m.Keep(kind, metav1.ConditionFalse, condition.ReasonUnknown, notChecked)
	default:
		m.False(kind, condition.ReasonUnknown, e.whyNotChecked())
	}
}

// whyNotChecked names what prevents the check of a component.
func (e *evaluator) whyNotChecked() string {
	switch s := e.facts.observedService(); {
	case s != nil && s.Off:
		return fmt.Sprintf("Not checked: service %s is powered off", s.Name)
	case s != nil && s.Exists && !s.Usable:
		return fmt.Sprintf("Not checked: service %s is %s", s.Name, s.State)
	default:
		return "Not checked: see Ready"
	}
}

// missing is the message of a resource that is known to be gone.
func (e *evaluator) missing() string {
	if e.facts.Deleting {
		return "Deleted at Aiven"
	}
	return "The service does not exist"
}

// services sets the condition of each service. It keeps those of the services that were not reached, and removes those that
// the resource no longer has or that the token may not read.
func (e *evaluator) services(m *condition.Manager, v outcome) {
	observed := map[string]bool{}
	for _, s := range e.facts.observedServices() {
		observed[s.conditionType()] = true
		service(m, &s)
	}
	for _, kind := range condition.ServiceTypes {
		switch {
		case observed[kind] || m.Get(kind) == nil:
		case e.facts.ObserveErr == nil && len(e.facts.Services) > 0:
			m.Delete(kind)
		default:
			e.notObserved(m, kind, v)
		}
	}
}

func service(m *condition.Manager, s *Service) {
	kind := s.conditionType()
	switch {
	case !s.Exists:
		m.False(kind, condition.ReasonNotFound, fmt.Sprintf("Service %s does not exist at Aiven", s.Name))
	case s.Off:
		m.False(kind, condition.ReasonServicePoweredOff, fmt.Sprintf("Service %s is powered off", s.Name))
	case s.Usable:
		m.True(kind, condition.ReasonRunning, fmt.Sprintf("Service %s is %s", s.Name, s.State))
	default:
		m.False(kind, serviceReason(s.State), fmt.Sprintf("Service %s is %s", s.Name, s.State))
	}
}

func serviceReason(state string) string {
	if state == string(avnservice.ServiceStateTypeRebuilding) {
		return condition.ReasonRebuilding
	}
	return condition.ReasonPending
}

func (e *evaluator) remote(m *condition.Manager, v outcome) {
	switch {
	case v.reason == condition.ReasonInvalidSpec && firstOf(e.facts.ObserveErr, e.facts.MutateErr) != nil:
		m.False(condition.RemoteReady, condition.ReasonInvalidSpec, "Not applied: see ConfigValid")
	case v.reason == condition.ReasonAuthFailed:
		m.False(condition.RemoteReady, condition.ReasonAuthFailed, "Not checked: see AuthValid")
	case e.facts.Remote == nil && e.facts.gone():
		m.False(condition.RemoteReady, condition.ReasonMissing, e.missing())
	case e.facts.Remote == nil:
		e.notObserved(m, condition.RemoteReady, v)
	case e.unsettled():
		m.False(condition.RemoteReady, condition.ReasonUpdating, e.awaited())
	case e.facts.Remote.Active, e.facts.Remote.PoweredOff:
		m.True(condition.RemoteReady, e.remoteReason(), cmp.Or(e.facts.Remote.Message, e.usable()))
	default:
		m.False(condition.RemoteReady, e.remoteReason(), e.remoteMessage())
	}
}

// members sets the condition of what a resource consists of.
func (e *evaluator) members(m *condition.Manager) {
	switch {
	case e.facts.Remote == nil:
		e.refresh(m, condition.TasksReady)
	case e.facts.Remote.Members == nil:
		m.Delete(condition.TasksReady)
	case e.facts.Remote.Members.Total == 0:
		m.False(condition.TasksReady, condition.ReasonUnknown, "Waiting for Aiven to start the tasks")
	case e.facts.Remote.Members.Failed == 0:
		m.True(condition.TasksReady, condition.ReasonAllReady, fmt.Sprintf("Tasks running: %d of %[1]d", e.facts.Remote.Members.Total))
	case e.facts.Remote.Members.Failed == e.facts.Remote.Members.Total:
		m.False(condition.TasksReady, cmp.Or(e.facts.Remote.Members.Reason, condition.ReasonAllFailed), e.facts.Remote.Members.failures())
	default:
		m.False(condition.TasksReady, cmp.Or(e.facts.Remote.Members.Reason, condition.ReasonSomeFailed), e.facts.Remote.Members.failures())
	}
}

// usable is the message of a resource that has none of its own.
func (e *evaluator) usable() string {
	switch {
	case e.facts.Remote.PoweredOff:
		return poweredOff
	case e.facts.IsService:
		return "Running"
	default:
		return "Active"
	}
}

func (e *evaluator) remoteReason() string {
	r := e.facts.Remote
	switch {
	case r == nil:
		return condition.ReasonUnknown
	case e.leftOff():
		return condition.ReasonServicePoweredOff
	case r.Reason != "":
		return r.Reason
	case r.PoweredOff:
		return condition.ReasonPoweredOffAsRequested
	case r.Active && e.facts.IsService:
		return condition.ReasonRunning
	case r.Active:
		return condition.ReasonActive
	case r.Failure != "":
		return condition.ReasonFailed
	case r.Unread:
		return condition.ReasonUnknown
	case !r.Exists, r.Lacks != "":
		return condition.ReasonMissing
	case e.facts.Mutation == Updated, e.facts.Mutation == Reset, e.facts.Mutation == Unchanged && e.facts.WasReady:
		return condition.ReasonUpdating
	default:
		return condition.ReasonCreating
	}
}

// notAdopted is why an object that only observes publishes no credentials.
const notAdopted = "Not published: the object only observes what it doesn't own. To publish it, set the annotations " +
	annotation.Adoption + "=" + policy.Adopt + " and " + annotation.Deletion + "=" + policy.Orphan

func (e *evaluator) secret(m *condition.Manager) {
	s := e.facts.Secret
	switch {
	case !s.Applies && (e.facts.Remote == nil || e.refused() || !e.carriedOut()):
		e.refresh(m, condition.SecretReady)
	case !s.Applies:
		m.Delete(condition.SecretReady)
	case s.Disabled:
		m.True(condition.SecretReady, condition.ReasonDisabled, noSecret)
	case s.Withheld:
		m.False(condition.SecretReady, condition.ReasonNotAdopted, notAdopted)
	case s.Published:
		m.True(condition.SecretReady, condition.ReasonPublished, "Secret "+s.Name+" holds the connection details")
	case s.Conflict:
		m.False(condition.SecretReady, condition.ReasonOwnedByOther, e.describe(s.Err))
	case s.NoRoute:
		m.False(condition.SecretReady, condition.ReasonRouteNotAvailable, e.describe(s.Err))
	case s.Err != nil:
		m.False(condition.SecretReady, condition.ReasonWriteFailed, e.describe(s.Err))
	case s.Lost != "":
		m.False(condition.SecretReady, condition.ReasonNotYetAvailable, s.Lost)
	default:
		m.Keep(condition.SecretReady, metav1.ConditionFalse, condition.ReasonNotYetAvailable, waitingForDetails)
	}
}

// refresh keeps a condition, if there is one: the station that sets it was not reached.
func (e *evaluator) refresh(m *condition.Manager, kind string) {
	if m.Get(kind) != nil {
		m.Keep(kind, metav1.ConditionFalse, condition.ReasonUnknown, notChecked)
	}
}
