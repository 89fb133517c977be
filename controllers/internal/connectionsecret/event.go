package connectionsecret

import (
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/event"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// EventOf is the event of the change from one status to the next; nil if there is nothing to report. It is pure. A wait is none: it may be
// as short as the order of what is applied together. Neither is a Secret that is published for the first time, or after a wait.
func EventOf(before, after aero.SecretStatus) *event.Event {
	was, is := apimeta.FindStatusCondition(before.Conditions, condition.Ready), apimeta.FindStatusCondition(after.Conditions, condition.Ready)
	if is == nil || was != nil && was.Status == is.Status && was.Reason == is.Reason && was.Message == is.Message {
		return nil
	}
	e := &event.Event{Type: corev1.EventTypeWarning, Action: status.ActionReconcile, Note: is.Message}
	switch {
	case is.Status == metav1.ConditionTrue && (was == nil || was.Status == is.Status || was.Reason == condition.ReasonProgressing):
		return nil
	case is.Status == metav1.ConditionTrue:
		e.Type, e.Reason = corev1.EventTypeNormal, status.EventRecovered
	case is.Reason == condition.ReasonReferenceNotFound:
		e.Reason = status.EventUnreachable
	case is.Status == metav1.ConditionFalse, is.Reason == condition.ReasonRetrying:
		e.Reason = status.EventSecretFailed
	default:
		return nil
	}
	return e
}
