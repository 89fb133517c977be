package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// ObservationRequested reports whether a user asks, by an annotation, for an observation that no reconcile has made yet.
func ObservationRequested(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	asked := obj.GetAnnotations()[annotation.Requested]
	return asked != "" && asked != before.LastHandledReconcileAt
}

// IsRequested reports whether a user has requested an observation, or another password, and the operator hasn't handled that yet.
func IsRequested(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	return ObservationRequested(obj, before) || RotationRequested(obj, before)
}

// IsAwaited reports whether a user waits for a reconcile: for an observation, for a deletion that is neither blocked nor
// refused, or for an edit that was neither applied nor refused nor left. Generation 1 is no edit, so that a thousand new objects don't
// come before one. What was refused is tried again as a poll: only an edit makes another generation of it.
func IsAwaited(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	has := func(kind string, reasons ...string) bool {
		return slices.ContainsFunc(before.Conditions, func(c metav1.Condition) bool {
			return c.Type == kind && c.ObservedGeneration == obj.GetGeneration() && c.Status != metav1.ConditionTrue && slices.Contains(reasons, c.Reason)
		})
	}
	if IsRequested(obj, before) || isApproved(obj, before) {
		return true
	}
	if !obj.GetDeletionTimestamp().IsZero() {
		refused := has(condition.Ready, condition.ReasonRetrying) && has(condition.LegacyError, condition.LegacyReasonDelete)
		return !refused && !has(condition.Ready, blocks...)
	}
	refused := has(condition.Ready, refusals...) || has(condition.ConfigValid, refusals...)
	return obj.GetGeneration() > 1 && !annotation.IsProcessed(obj) && !refused && !leftUnapplied(before, obj.GetGeneration())
}

// blocks are the reasons for which a deletion doesn't begin before something else changes.
var blocks = []string{condition.ReasonDeletionBlocked, condition.ReasonTerminationProtected}

// refusals are the reasons for which a generation isn't applied before a user changes something.
var refusals = []string{
	condition.ReasonInvalidSpec, condition.ReasonTerminationProtected, condition.ReasonResourceExhausted,
	condition.ReasonAuthFailed, condition.ReasonConflict, condition.ReasonAlreadyExists, condition.ReasonNothingToAdopt,
	condition.ReasonRemoteMissing, condition.ReasonConfirmationRequired, condition.ReasonAwaitingApproval,
}

// Released reports whether the object went with its finalizer: there is none any more whose status could be written.
func (f *Facts) Released(obj metav1.Object) bool {
	return f.Deletion.Gone && len(obj.GetFinalizers()) <= 1
}
