package status

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
func (j *judge) legacyConditions(m *condition.Manager, v verdict) {
	if j.accepted() {
		m.True(condition.LegacyInitialized, condition.LegacyReasonCreatedOrUpdated, "Aiven has accepted the spec")
	} else if old := m.Get(condition.LegacyInitialized); old == nil || old.ObservedGeneration != j.Generation {
		m.True(condition.LegacyInitialized, condition.LegacyReasonPreconditions, "Checking preconditions")
	}
	j.legacyRunning(m)
	if reason := j.legacyErrorReason(v); reason != "" {
		m.Unknown(condition.LegacyError, reason, v.message)
	} else {
		m.Delete(condition.LegacyError)
	}
}

// accepted says whether Aiven has what the current generation asks for, be it still at work on it.
func (j *judge) accepted() bool {
	return j.MutateErr == nil && (j.Mutation != Unchanged || j.Remote != nil && j.Remote.Exists)
}

func (j *judge) legacyRunning(m *condition.Manager) {
	switch {
	case j.Remote == nil || j.Deletion != nil:
		m.Keep(condition.LegacyRunning, metav1.ConditionUnknown, condition.LegacyReasonCheckRunning, "Not known yet")
	case j.secretPending():
		m.Unknown(condition.LegacyRunning, condition.LegacyReasonConnInfoSecret, "The connection Secret isn't published")
	case m.Has(condition.RemoteReady, metav1.ConditionTrue):
		m.True(condition.LegacyRunning, condition.LegacyReasonCheckRunning, j.runningMessage())
	case j.Mutation != Unchanged:
		m.Unknown(condition.LegacyRunning, condition.LegacyReasonCreatedOrUpdated, "Aiven has accepted the change")
	default:
		m.False(condition.LegacyRunning, condition.LegacyReasonCheckRunning, j.remoteMessage())
	}
}

func (j *judge) runningMessage() string {
	if j.Remote.PoweredOff {
		return "Powered off, as the spec asks"
	}
	return "Running at Aiven"
}

// secretPending says whether the resource is usable, and the applications can't know how.
func (j *judge) secretPending() bool {
	s := j.Secret
	return s.Applies && !s.Disabled && !s.Published && j.Remote != nil && j.Remote.Active
}

// legacyErrorReason is the reason of the condition Error, or "" where there must be none: tools of the reference
// operator's users take any Error as a failure, so a wait or a passing trouble is none.
func (j *judge) legacyErrorReason(v verdict) string {
	refusal := j.refusal()
	switch {
	case v.reason == condition.ReasonInvalidDeletionPolicy, j.Deletion != nil && j.Deletion.Err != nil,
		j.Deletion != nil && j.Deletion.Protected:
		return condition.LegacyReasonDelete
	case j.TokenMissing, v.reason == condition.ReasonServicePoweredOff,
		fault.Of(j.failure()).Class == fault.Unauthorized:
		return condition.LegacyReasonPreconditions
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonResourceExhausted,
		refusal.Class != fault.None && !isTransientRefusal(refusal.Class):
		return condition.LegacyReasonCreateOrUpdate
	case j.Secret.Conflict:
		return condition.LegacyReasonConnInfoSecret
	default:
		return ""
	}
}

// annotations says which annotations to change: a nil value removes one, an absent key leaves it alone.
func (j *judge) annotations(m *condition.Manager) map[string]*string {
	out := map[string]*string{}
	if j.Deletion != nil || j.Paused {
		return out
	}
	if j.accepted() {
		out[AnnotationProcessed] = text(strconv.FormatInt(j.Generation, 10))
	}
	switch {
	case j.Remote == nil:
	case j.Remote.PoweredOff:
		out[AnnotationRunning] = text("false")
	case m.Has(condition.LegacyRunning, metav1.ConditionTrue):
		out[AnnotationRunning] = text("true")
	case !j.Remote.Exists, j.secretPending():
		out[AnnotationRunning] = nil
	}
	return out
}

func text(s string) *string { return &s }
