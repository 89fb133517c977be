package status

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// The annotations of the reference operator. Its readiness is that both are there and the first one equals the
// generation.
const (
	AnnotationProcessed = "controllers.aiven.io/generation-was-processed"
	AnnotationRunning   = "controllers.aiven.io/instance-is-running"
)

// legacyConditions sets what the reference operator would have set, as far as it was true.
func (j *evaluator) legacyConditions(m *condition.Manager, v outcome) {
	if j.Paused {
		return
	}
	old := m.Get(condition.LegacyInitialized)
	switch {
	case j.accepted():
		m.True(condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated, "Aiven has accepted the spec")
	case old == nil, old.ObservedGeneration != j.Generation && j.Deletion == nil:
		m.True(condition.LegacyInitialized, condition.LegacyReasonPreconditions, "Checking preconditions")
	}
	j.legacyRunning(m, v)
	if reason := j.legacyErrorReason(v); reason != "" {
		m.Unknown(condition.LegacyError, reason, v.message)
	} else {
		m.Delete(condition.LegacyError)
	}
}

// WasReady says whether an object with this status was usable at some time: its phase says so, or an annotation that
// survives a lost status. NotAvailable says nothing: an object can be born into a service that is powered off.
func WasReady(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	_, running := obj.GetAnnotations()[AnnotationRunning]
	usable := []v1alpha1.Phase{v1alpha1.PhaseReady, v1alpha1.PhaseRunning, v1alpha1.PhaseDegraded}
	return running || slices.Contains(usable, before.Phase)
}

// SeenBefore says whether Aiven had the resource at some time.
func SeenBefore(obj metav1.Object) bool {
	_, accepted := obj.GetAnnotations()[AnnotationProcessed]
	_, running := obj.GetAnnotations()[AnnotationRunning]
	return accepted || running
}

// Accepted says whether a status tells that Aiven has accepted a generation. The annotation was set at the same time, so
// where it is missing, somebody has removed it.
func Accepted(s *v1alpha1.CommonStatus, generation int64) bool {
	for _, c := range s.Conditions {
		if c.Type == condition.LegacyInitialized {
			return c.Reason == condition.LegacyReasonCreatedOrUpdated && c.ObservedGeneration == generation
		}
	}
	return false
}

// accepted says whether Aiven has what the current generation asks for, be it still at work on it.
func (j *evaluator) accepted() bool {
	return j.MutateErr == nil && j.WaitFor == "" && (j.Mutation != Unchanged || j.Remote != nil && j.Remote.Exists)
}

func (j *evaluator) legacyRunning(m *condition.Manager, v outcome) {
	switch {
	case j.gone():
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, m.Get(condition.RemoteReady).Message)
	case j.Remote == nil, j.Deletion != nil, v.reason == condition.ReasonAuthFailed:
		m.Keep(condition.LegacyRunning, metav1.ConditionUnknown, condition.LegacyReasonCheckRunning, "Not known yet")
	case j.secretPending():
		m.Unknown(condition.LegacyRunning, condition.LegacyReasonConnInfoSecret, "The connection Secret isn't published")
	case m.Has(condition.RemoteReady, metav1.ConditionTrue):
		m.True(condition.LegacyRunning, condition.LegacyReasonCheckRunning, j.runningMessage())
	case j.Mutation != Unchanged:
		m.Unknown(condition.LegacyRunning, condition.LegacyReasonCreatedOrUpdated, "Aiven has accepted the change")
	case j.unsettled():
		m.Keep(condition.LegacyRunning, metav1.ConditionFalse, condition.LegacyReasonCheckRunning, j.awaited())
	default:
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, m.Get(condition.RemoteReady).Message)
	}
}

func (j *evaluator) runningMessage() string {
	if j.Remote.PoweredOff {
		return "Powered off, as the spec asks"
	}
	return "Running at Aiven"
}

// legacyErrorReason is the reason of the condition Error, or "" where there must be none: tools of the reference
// operator's users take any Error as a failure, so a wait or a passing trouble is none.
func (j *evaluator) legacyErrorReason(v outcome) string {
	switch {
	case j.TokenMissing, j.serviceOff() && v.reason == condition.ReasonServicePoweredOff, fault.Is(j.firstError(), fault.Unauthorized):
		return condition.LegacyReasonPreconditions
	case v.reason == condition.ReasonInvalidDeletionPolicy, j.deletionFailed():
		return condition.LegacyReasonDelete
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonResourceExhausted, j.mutationFailed():
		return condition.LegacyReasonCreateOrUpdate
	case j.Secret.Conflict:
		return condition.LegacyReasonConnInfoSecret
	default:
		return ""
	}
}

func (j *evaluator) deletionFailed() bool {
	d := j.Deletion
	return d != nil && (d.Protected || d.Err != nil && !j.unreachable())
}

// mutationFailed leaves out what is a wait.
func (j *evaluator) mutationFailed() bool {
	return j.MutateErr != nil && !j.refusedForNow() && j.refusal() != fault.RateLimited
}

// annotations says which annotations to change: a nil value removes one, an absent key leaves it alone.
func (j *evaluator) annotations(m *condition.Manager) map[string]*string {
	out := map[string]*string{}
	if j.Deletion != nil || j.Paused {
		return out
	}
	if j.gone() {
		out[AnnotationRunning] = nil
	}
	if j.accepted() {
		out[AnnotationProcessed] = text(strconv.FormatInt(j.Generation, 10))
	}
	switch {
	case j.Remote == nil:
	case j.Remote.PoweredOff, j.leftOff():
		out[AnnotationRunning] = text("false")
	case m.Has(condition.LegacyRunning, metav1.ConditionTrue):
		out[AnnotationRunning] = text("true")
	case !j.Remote.Exists, j.Recreated, j.secretPending():
		out[AnnotationRunning] = nil
	}
	return out
}

func text(s string) *string { return &s }
