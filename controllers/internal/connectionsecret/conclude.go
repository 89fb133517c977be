package connectionsecret

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Object is one with such a Secret.
type Object interface {
	client.Object
	GetSecretStatus() *aero.SecretStatus
	GetSecretName() string
}

// conclusion is what a condition shows.
type conclusion struct {
	status          metav1.ConditionStatus
	reason, message string
	// stalled means that only a change of the spec helps; reconciling, that a later reconcile is expected to succeed.
	stalled, reconciling bool
}

// Conclude returns the status after a reconcile: of the published values, or of an error. What was published stays after an error, so
// the status goes on naming it. It is pure.
//
// What the spec names may be missing for a grace time before that is an error: what is applied together comes in any order.
func Conclude(obj Object, published Values, err error, now time.Time, grace time.Duration) aero.SecretStatus {
	status := *obj.GetSecretStatus().DeepCopy()
	var gone *GoneError
	isGone := errors.As(err, &gone)
	if missing := (*MissingError)(nil); errors.As(err, &missing) && isBrief(obj, now, grace) {
		err = &absence{missing}
	}
	conditions := condition.NewManager(status.Conditions, obj.GetGeneration(), now)
	var wait *WaitError
	unknown := errors.As(err, &wait) && !wait.Observed || fault.Is(err, fault.Conflict)
	if unknown && !isGone && status.ObservedGeneration == obj.GetGeneration() && isReady(status.Conditions) {
		conditions.Delete(condition.Paused)
		status.Conditions = conditions.Conditions()
		return status // it was published for this spec: nothing about it has changed
	}
	status.LastHandledReconcileAt = cmp.Or(obj.GetAnnotations()[annotation.Requested], status.LastHandledReconcileAt)
	status.ObservedGeneration = obj.GetGeneration()
	switch {
	case err == nil:
		status.Binding = &aero.SecretBinding{Name: obj.GetSecretName()}
		status.Endpoint = endpointStatus(published)
	case isGone:
		status.Binding, status.Endpoint = nil, nil
	}
	ready := conclude(err)
	ready.message = fault.ShortLine(ready.message) // it may quote what users have written
	conditions.Set(condition.Ready, ready.status, ready.reason, ready.message)
	conditions.Delete(condition.Stalled, condition.Reconciling, condition.Paused)
	if ready.stalled {
		conditions.True(condition.Stalled, ready.reason, ready.message)
	}
	if ready.reconciling {
		conditions.True(condition.Reconciling, ready.reason, ready.message)
	}
	setSecretReady(conditions, status.Binding, err)
	status.Conditions = conditions.Conditions()
	return status
}

func isReady(conditions []metav1.Condition) bool {
	return apimeta.IsStatusConditionTrue(conditions, condition.Ready)
}

// isBrief reports whether what is missing now is so for less than a grace time, as far as the status shows that.
func isBrief(obj Object, now time.Time, grace time.Duration) bool {
	ready := apimeta.FindStatusCondition(obj.GetSecretStatus().Conditions, condition.Ready)
	switch {
	case ready == nil:
		return grace > 0
	case ready.Status == metav1.ConditionUnknown:
		return now.Sub(ready.LastTransitionTime.Time) < grace
	default:
		return ready.Reason != condition.ReasonReferenceNotFound && grace > 0
	}
}

// absence is what is missing since a short while.
type absence struct{ *MissingError }

// Paused returns the status of an object with the annotation: what was published goes on being so.
func Paused(obj Object, now time.Time) aero.SecretStatus {
	status := *obj.GetSecretStatus().DeepCopy()
	conditions := condition.NewManager(status.Conditions, obj.GetGeneration(), now)
	if conditions.Get(condition.Ready) == nil {
		status.ObservedGeneration = obj.GetGeneration()
		conditions.Unknown(condition.Ready, condition.ReasonPaused, "Paused before the first reconcile")
	}
	conditions.True(condition.Paused, condition.ReasonPausedByAnnotation, "Remove the annotation "+annotation.Paused+" to go on")
	status.Conditions = conditions.Conditions()
	return status
}

// conclude names an error. Errors of this package and of specs are shown as they are: they hold no value.
func conclude(err error) conclusion {
	var (
		template *TemplateError
		route    *RouteError
		grant    *GrantError
		missing  *MissingError
		wait     *WaitError
		conflict *ConflictError
		brief    *absence
		foreign  *connection.OwnershipError
		pending  *connection.PendingError
	)
	failed := conclusion{status: metav1.ConditionFalse}
	switch {
	case err == nil:
		return conclusion{status: metav1.ConditionTrue, reason: condition.ReasonSucceeded, message: "The Secret is published"}
	case errors.As(err, &template):
		failed.reason, failed.message, failed.stalled = condition.ReasonInvalidTemplate, template.Error(), true
	case errors.As(err, &route):
		failed.reason, failed.message = condition.ReasonRouteNotAvailable, route.Error()
	case errors.As(err, &grant):
		failed.reason, failed.message = condition.ReasonReferenceNotPermitted, grant.Error()
	case errors.As(err, &conflict):
		failed.reason, failed.message = condition.ReasonConflict, conflict.Error()
	case errors.As(err, &brief):
		return conclusion{metav1.ConditionUnknown, condition.ReasonProgressing, brief.Error(), false, true}
	case errors.As(err, &missing):
		failed.reason, failed.message = condition.ReasonReferenceNotFound, missing.Error()
	case errors.As(err, &foreign):
		failed.reason, failed.message = condition.ReasonSecretConflict, foreign.Error()
	case errors.As(err, &wait):
		return conclusion{metav1.ConditionUnknown, condition.ReasonProgressing, wait.Error(), false, true}
	case errors.As(err, &pending):
		return conclusion{metav1.ConditionUnknown, condition.ReasonProgressing, pending.Error(), false, true}
	case fault.Is(err, fault.Invalid):
		failed.reason, failed.message, failed.stalled = condition.ReasonInvalidSpec, fault.Of(err).Message, true
	default:
		return conclusion{metav1.ConditionUnknown, condition.ReasonRetrying, fault.Of(err).Message, false, true}
	}
	return failed
}

// setSecretReady shows the state of the Secret, which an error before it was to be written leaves as it was.
func setSecretReady(conditions *condition.Manager, binding *aero.SecretBinding, err error) {
	var foreign *connection.OwnershipError
	switch {
	case err == nil:
		conditions.True(condition.SecretReady, condition.ReasonPublished, "")
	case errors.As(err, &foreign):
		conditions.False(condition.SecretReady, condition.ReasonOwnedByOther, fault.ShortLine(foreign.Error()))
	case binding == nil:
		conditions.False(condition.SecretReady, condition.ReasonNotYetAvailable, "Not published")
	default:
		conditions.Keep(condition.SecretReady, metav1.ConditionTrue, condition.ReasonPublished, "")
	}
}

// endpointStatus is nil for a project, which has none.
func endpointStatus(v Values) *aero.EndpointStatus {
	if v.Address.Host == "" {
		return nil
	}
	port, _ := strconv.ParseInt(v.Address.Port, 10, 32) // of Flink, Aiven may return none
	return &aero.EndpointStatus{Host: v.Address.Host, Port: int32(port), Route: aero.Route(v.Route), Usage: v.Usage}
}

// Waits reports whether an error is a wait, or may be one as what is applied together comes in any order.
func Waits(err error) bool {
	var wait *WaitError
	var missing *MissingError
	return errors.As(err, &wait) || errors.As(err, &missing)
}

// Outlasts reports whether a wait for what is missing becomes an error after the grace time.
func Outlasts(status aero.SecretStatus, err error) bool {
	var missing *MissingError
	return errors.As(err, &missing) && apimeta.IsStatusConditionPresentAndEqual(status.Conditions, condition.Ready, metav1.ConditionUnknown)
}

// Recheck is after how long an object is reconciled again that nothing enqueues once the error is gone: its Secret is another's, or the
// cluster serves no grants. The wait is as long as the error lasts, within bounds. It is 0 for other errors.
func Recheck(status aero.SecretStatus, err error, now time.Time, shortest, longest time.Duration) time.Duration {
	var foreign *connection.OwnershipError
	var pending *connection.PendingError
	var grant *GrantError
	var wait *WaitError
	unwatched := errors.As(err, &foreign) || errors.As(err, &pending) ||
		errors.As(err, &grant) && grant.Unserved || errors.As(err, &wait) && wait.Unwatched
	ready := apimeta.FindStatusCondition(status.Conditions, condition.Ready)
	if !unwatched || ready == nil {
		return 0
	}
	return min(max(now.Sub(ready.LastTransitionTime.Time), shortest), longest)
}

// Retries reports whether an error goes away by itself, unnoticed by a watch: one of the API server. After the others, a change of what
// the message names enqueues the object.
func Retries(err error) bool {
	return err != nil && conclude(err).reason == condition.ReasonRetrying
}
