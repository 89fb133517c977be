package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// legacyConditions sets what aiven-operator would have set, as far as it is true.
func (e *evaluator) legacyConditions(m *condition.Manager, v outcome) {
	if e.facts.Paused {
		return
	}
	old := m.Get(condition.LegacyInitialized)
	switch {
	case e.accepted():
		m.True(condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated, "Aiven accepted the spec")
	case old == nil, e.adopted(), old.ObservedGeneration != e.facts.Generation && !e.facts.Deleting:
		m.True(condition.LegacyInitialized, condition.LegacyReasonPreconditions, "Checking preconditions")
	}
	e.legacyRunning(m, v)
	if reason := e.legacyErrorReason(v); reason != "" {
		m.Unknown(condition.LegacyError, reason, legacyErrors[reason])
	} else {
		m.Delete(condition.LegacyError)
	}
}

// FactsOf are the facts that an object has by itself, when a reconcile begins. before is its status.
func FactsOf(obj client.Object, before *v1alpha1.CommonStatus) Facts {
	return Facts{
		CreatedAt: obj.GetCreationTimestamp().Time, Generation: obj.GetGeneration(), UID: obj.GetUID(), Deleting: !obj.GetDeletionTimestamp().IsZero(),
		ObserveOnly: policy.ObservesOnly(obj), Approved: policy.ApprovedChanges(obj), HandledAt: obj.GetAnnotations()[annotation.Requested],
		WasReady: wasReady(obj, before), WasOff: obj.GetAnnotations()[annotation.Running] == "false", TakenOver: obj.GetAnnotations()[annotation.TakenOver],
	}
}

// wasReady reports whether an object with this status was usable at some time: by its phase, by a Secret that was
// published, or by an annotation that survives a lost status. NotAvailable means nothing: the service of a new object
// may be powered off.
func wasReady(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	_, running := obj.GetAnnotations()[annotation.Running]
	return running || wasUsable(before)
}

// ProvenReady is WasReady by the status of this very object alone: every backup has the annotation, and some tools restore a status. That
// something adopted was ready says nothing of the object.
func ProvenReady(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	switch own := before.Provenance; {
	case own == nil:
		return wasUsable(before)
	case own.UID != obj.GetUID():
		return false
	default:
		return wasUsable(before) || own.WasReady && own.Type == v1alpha1.ProvenanceCreated
	}
}

func wasUsable(before *v1alpha1.CommonStatus) bool {
	usable := []v1alpha1.Phase{v1alpha1.PhaseReady, v1alpha1.PhaseRunning, v1alpha1.PhaseDegraded}
	published := slices.ContainsFunc(before.Conditions, func(c metav1.Condition) bool {
		return c.Type == condition.SecretReady && c.Reason == condition.ReasonPublished
	})
	return published || slices.Contains(usable, before.Phase)
}

// SeenBefore reports whether Aiven had the resource at some time.
func SeenBefore(obj metav1.Object) bool {
	_, accepted := obj.GetAnnotations()[annotation.Processed]
	_, running := obj.GetAnnotations()[annotation.Running]
	return accepted || running
}

// Accepted reports whether Aiven has accepted a generation, by a status. The annotation was set at the same time: where
// it is missing, a user has removed it.
func Accepted(s *v1alpha1.CommonStatus, generation int64) bool {
	return condition.Accepted(s.Conditions, generation)
}

// leftUnapplied reports whether a generation is at rest that Aiven wasn't asked for, by the policy of a user.
func leftUnapplied(before *v1alpha1.CommonStatus, generation int64) bool {
	return !Accepted(before, generation) && slices.ContainsFunc(before.Conditions, func(c metav1.Condition) bool {
		atRest := c.Type == condition.Ready || c.Type == condition.Drifted
		return atRest && c.Status == metav1.ConditionTrue && c.ObservedGeneration == generation
	})
}

// accepted reports whether Aiven has accepted the current generation, even if it still works on it. What a policy leaves out,
// Aiven wasn't asked for.
func (e *evaluator) accepted() bool {
	asked := e.facts.Mutation != Unchanged || e.carriedOut() && e.facts.Remote != nil && e.facts.Remote.Exists
	return asked && e.facts.MutateErr == nil && e.facts.WaitFor == "" && !e.facts.Unapplied && !e.facts.Uncompared
}

// carriedOut reports whether what was planned is known to be done: nothing has failed in Kubernetes before it, or it was done all the same.
func (e *evaluator) carriedOut() bool { return e.facts.Problem == nil || e.facts.Mutation != Unchanged }

// compared reports whether it is known how the resource differs from the spec.
func (e *evaluator) compared() bool {
	return e.facts.gone() || e.facts.observed() && e.facts.Remote != nil && e.carriedOut() && !e.facts.Uncompared
}

func (e *evaluator) legacyRunning(m *condition.Manager, v outcome) {
	switch {
	case e.facts.gone():
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, "Not running: see RemoteReady")
	case e.refused():
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, "Not running: see Ready")
	case v.reason == condition.ReasonInvalidSpec && m.Has(condition.RemoteReady, metav1.ConditionFalse) && !e.secretPending():
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, "Not running the spec: see RemoteReady")
	case e.facts.Remote == nil, e.facts.Deleting, v.reason == condition.ReasonAuthFailed:
		m.Keep(condition.LegacyRunning, metav1.ConditionUnknown, condition.LegacyReasonCheckRunning, "Not known yet")
	case e.secretPending():
		m.Unknown(condition.LegacyRunning, condition.LegacyReasonConnInfoSecret, "The connection Secret isn't published")
	case m.Has(condition.RemoteReady, metav1.ConditionTrue):
		m.True(condition.LegacyRunning, condition.LegacyReasonCheckRunning, e.runningMessage())
	case e.facts.Mutation != Unchanged:
		m.Unknown(condition.LegacyRunning, condition.LegacyReasonCreatedOrUpdated, "Aiven accepted the change")
	case e.unsettled():
		m.Keep(condition.LegacyRunning, metav1.ConditionFalse, condition.LegacyReasonCheckRunning, "Not running the latest change: see RemoteReady")
	default:
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, "Not running: see RemoteReady")
	}
}

func (e *evaluator) runningMessage() string {
	if e.facts.Remote.PoweredOff {
		return "Powered off: see RemoteReady"
	}
	return "Running at Aiven"
}

// legacyErrors are the messages of the condition Error by its reason: the cause is in another condition.
var legacyErrors = map[string]string{
	condition.LegacyReasonPreconditions:  "Preconditions not met: see Ready",
	condition.LegacyReasonCreateOrUpdate: "Not created or updated: see Ready",
	condition.LegacyReasonDelete:         "Not deleted: see Ready",
	condition.LegacyReasonConnInfoSecret: "Connection Secret not published: see SecretReady",
}

// legacyErrorReason is the reason of the condition Error, or "" where there must be none: tools of aiven-operator's users
// take any Error as a failure, so a wait or an outage has none.
func (e *evaluator) legacyErrorReason(v outcome) string {
	switch {
	case e.facts.TokenMissing, e.serviceOff() && v.reason == condition.ReasonServicePoweredOff, fault.Is(e.facts.firstError(), fault.Unauthorized):
		return condition.LegacyReasonPreconditions
	case v.reason == condition.ReasonInvalidDeletionPolicy, e.deletionFailed():
		return condition.LegacyReasonDelete
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonResourceExhausted, e.refused(), e.unconfirmed(), e.mutationFailed():
		return condition.LegacyReasonCreateOrUpdate
	case e.facts.Secret.Conflict, v.reason == condition.ReasonRouteNotAvailable:
		return condition.LegacyReasonConnInfoSecret
	default:
		return ""
	}
}

// deletionFailed stays true while the next attempt waits for its turn. A refusal of another generation, or of the policy, is
// over: nothing has been attempted since.
func (e *evaluator) deletionFailed() bool {
	d, old := e.facts.Deletion, e.previous(condition.LegacyError)
	failed := old != nil && old.Reason == condition.LegacyReasonDelete && old.ObservedGeneration == e.facts.Generation &&
		!e.hasReason(condition.ReasonInvalidDeletionPolicy)
	return d.Protected || d.Err != nil && (!e.facts.unreachable() || failed && e.throttled())
}

// mutationFailed leaves out what is a wait.
func (e *evaluator) mutationFailed() bool {
	return e.facts.MutateErr != nil && !e.refusedForNow() && e.facts.refusal() != fault.RateLimited
}

// annotations returns the annotations to change: a nil value removes one, an absent key leaves it alone.
func (e *evaluator) annotations(m *condition.Manager) map[string]*string {
	out := map[string]*string{}
	if mark := e.facts.TakenOver; mark != "" {
		out[annotation.TakenOver] = &mark
	}
	if e.facts.Deleting || e.facts.Paused {
		return out
	}
	if e.facts.gone() {
		out[annotation.Running] = nil
	}
	if e.isLost() {
		out[annotation.Attempted] = nil // an attempt is no proof of owning what another client makes later
	}
	if e.accepted() {
		out[annotation.Processed] = text(annotation.FormatGeneration(e.facts.Generation))
	}
	switch {
	case e.facts.Remote == nil:
	case !e.carriedOut(), e.keepsOff():
	case e.refused():
		out[annotation.Running] = nil
	case e.facts.Remote.PoweredOff, e.leftOff():
		out[annotation.Running] = text("false")
	case m.Has(condition.LegacyRunning, metav1.ConditionTrue):
		out[annotation.Running] = text("true")
	case !e.facts.Remote.Exists, e.lacks(), e.remoteFailed(), e.facts.Recreated, e.secretPending(), e.changing():
		out[annotation.Running] = nil
	}
	return out
}

// keepsOff reports whether the annotation stays as it is: a service that was off needs consent as long as it shows that.
func (e *evaluator) keepsOff() bool {
	return e.unconfirmed() || e.facts.WasOff && (e.facts.LosesData || e.refused() || !e.exists())
}

// changing reports whether Aiven has accepted a change that it doesn't show yet.
func (e *evaluator) changing() bool {
	return e.accepted() && (e.facts.Mutation != Unchanged || !e.facts.GenerationApplied)
}

func text(s string) *string { return &s }
