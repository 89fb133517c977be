package status

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Changes that wait for approval: see package plan for which do.

// awaitsApproval reports whether the object is in use, and changes wait for approval. While Aiven works on it, that is what is shown. A
// service that is off, and is to be powered on, waits for nothing else.
func (e *evaluator) awaitsApproval() bool {
	return e.facts.Pending != nil && !e.routeMissing() && (e.facts.Remote.Off || !e.progressing())
}

// awaitApproval ends with the annotation, which enqueues the object.
func (e *evaluator) awaitApproval() outcome {
	v := e.acceptSync()
	switch {
	case e.facts.Remote.Off:
		v = e.acceptLeftOff()
	case e.offAsRequested():
		v = e.acceptOff()
	}
	v.ready, v.reason, v.message, v.activity = metav1.ConditionUnknown, condition.ReasonAwaitingApproval, e.approvalMessage(), reconciling
	return v
}

func (e *evaluator) approvalMessage() string {
	paths := make([]string, 0, len(e.facts.Pending.Changes))
	for _, change := range e.facts.Pending.Changes {
		text := change.Path
		if len(change.Impact) > 0 {
			text += " (" + strings.Join(change.Impact, ", ") + ")"
		}
		paths = append(paths, text)
	}
	see := "See status.pendingChanges"
	if e.facts.Approved != "" && e.facts.Approved != e.facts.Pending.Hash {
		see = "Another hash is approved"
	}
	return fmt.Sprintf("Not applied before approval: %s. %s. To approve, set the annotation %s=%s",
		fault.Few(paths, maxListed), see, annotation.ApprovedChanges, e.facts.Pending.Hash)
}

// approvalKnown reports whether this reconcile has found out what waits for approval. What was written and isn't shown yet may be a part of it.
func (e *evaluator) approvalKnown() bool {
	return e.facts.Pending != nil || e.compared() && e.facts.WaitFor == ""
}

// pendingCondition shows that changes wait for approval.
func (e *evaluator) pendingCondition(m *condition.Manager) {
	switch {
	case !e.approvalKnown():
	case e.facts.Pending != nil:
		m.True(condition.ChangesPending, condition.ReasonAwaitingApproval, e.approvalMessage())
	default:
		m.Delete(condition.ChangesPending)
	}
}

// pendingChanges are those of the status, whose texts are bounded as those of drift.
func (e *evaluator) pendingChanges() *v1alpha1.PendingChanges {
	before := e.before.PendingChanges
	if !e.approvalKnown() {
		return before.DeepCopy()
	}
	pending := e.facts.Pending.DeepCopy()
	if pending == nil {
		return nil
	}
	for i, change := range pending.Changes {
		pending.Changes[i].Path = cut(change.Path)
		pending.Changes[i].From, pending.Changes[i].To = cut(change.From), cut(change.To)
		if max(len(change.From), len(change.To)) > userconfig.MaxText {
			pending.Changes[i].Message = strings.TrimPrefix(change.Message+"; the values are longer than is shown here, and the spec has the new one", "; ")
		}
	}
	switch {
	case e.facts.MutateErr == nil && e.facts.WaitFor == "":
		pending.AppliedGeneration = e.facts.Generation
	case before != nil:
		pending.AppliedGeneration = before.AppliedGeneration
	}
	return pending
}

// heldNow reports whether changes begin to wait for approval, or others than before.
func (e *evaluator) heldNow() bool {
	return e.facts.Pending != nil && (e.before.PendingChanges == nil || e.before.PendingChanges.Hash != e.facts.Pending.Hash)
}

// approvedNow reports whether the object no longer waits for a user. What is worked on since begins now.
func (e *evaluator) approvedNow(v outcome) bool {
	return e.hasReason(condition.ReasonAwaitingApproval) && v.reason != condition.ReasonAwaitingApproval
}

// isApproved reports whether a user has approved what the status shows, and nothing has come of it yet.
func isApproved(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	return before.PendingChanges != nil && obj.GetAnnotations()[annotation.ApprovedChanges] == before.PendingChanges.Hash
}

// RestApplied reports whether Aiven has accepted all of the current generation but what needs consent or approval. Where options that it
// never returns, which are shown without a value at Aiven, waited for that, they weren't sent.
func RestApplied(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	if pending := before.PendingChanges; pending != nil && pending.AppliedGeneration == obj.GetGeneration() {
		return !slices.ContainsFunc(pending.Changes, func(c v1alpha1.PendingChange) bool {
			return c.From == userconfig.NotReturned || c.From == "" && c.To == ""
		})
	}
	ready := meta.FindStatusCondition(before.Conditions, condition.Ready)
	return ready != nil && ready.Reason == condition.ReasonConfirmationRequired && ready.ObservedGeneration == obj.GetGeneration()
}
