package status

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Event is what a reconcile has to tell. Its note is redacted and at most 1,024 bytes long.
type Event struct {
	Type   string // corev1.EventTypeNormal or corev1.EventTypeWarning
	Reason string
	Action string
	Note   string
}

// Reasons of events; the reference operator's where one fits.
const (
	EventMutated         = "CreatedOrUpdatedAtAiven"
	EventRunning         = "InstanceIsRunning"
	EventWaiting         = "WaitingForPreconditions"
	EventRecovered       = "ReconciliationSucceeded"
	EventRefused         = "UnableToCreateOrUpdateAtAiven"
	EventUnreachable     = "UnableToWaitForPreconditions"
	EventTokenMissing    = "UnableToGetAuthSecret"
	EventAuthFailed      = "AuthFailed"
	EventSecretFailed    = "CannotPublishConnectionDetails"
	EventSecretDisabled  = "ConnInfoSecretCreationDisabled"
	EventDrift           = "DriftDetected"
	EventNotConverging   = "DriftNotConverging"
	EventRemoteMissing   = "RemoteResourceMissing"
	EventDeleting        = "TryingToDeleteAtAiven"
	EventDeleted         = "SuccessfullyDeletedAtAiven"
	EventDeleteFailed    = "UnableToDelete"
	EventSkipped         = "SkippedDeletionAtAiven"
	EventOwnedByOther    = "AlreadyClaimed"
	EventDeletionBlocked = "DeletionBlocked"
)

// The actions of events.
const (
	ActionReconcile = "Reconcile"
	ActionFinalize  = "Finalize"
)

const maxNote = 1024

// event picks the one event of this reconcile, or nil: a warning before news, news only when something changed.
func (j *evaluator) event(m *condition.Manager, v outcome) *Event {
	action := ActionReconcile
	if j.Deletion != nil {
		action = ActionFinalize
	}
	kind, reason := corev1.EventTypeWarning, j.warning(v)
	notes := []string{v.message}
	switch {
	case j.Recreated:
		notes = []string{"The resource was gone from Aiven", v.message}
	case reason == EventDrift, reason == EventNotConverging:
		notes = []string{j.driftMessage()}
	case j.usesDefaultToken():
		notes = []string{j.fallbackMessage()}
	}
	if reason == "" {
		kind = corev1.EventTypeNormal
		reason, notes = j.normalEvent(m, v)
	}
	if reason == "" {
		return nil
	}
	return &Event{Type: kind, Reason: reason, Action: action, Note: note(notes)}
}

// warning is the reason of a warning that is due now: when a cause is new, and as long as it lasts for errors.
func (j *evaluator) warning(v outcome) string {
	switch {
	case v.reason == condition.ReasonInvalidDeletionPolicy:
		return j.onChange(v, EventDeleteFailed)
	case j.Deletion != nil:
		return j.deletionWarning(v)
	case j.Recreated && j.Mutation == Created:
		return EventRemoteMissing
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonResourceExhausted:
		return j.onChange(v, EventRefused)
	case v.reason == condition.ReasonConflict:
		return j.onChange(v, EventOwnedByOther)
	case v.reason == condition.ReasonAuthFailed && j.TokenMissing:
		return j.onChange(v, EventTokenMissing)
	case v.reason == condition.ReasonAuthFailed:
		return j.onChange(v, EventAuthFailed)
	case j.usesDefaultToken():
		return EventTokenMissing
	case j.missesDependency(v):
		return j.onChange(v, EventUnreachable)
	case j.driftWarning() != "":
		return j.driftWarning()
	default:
		return j.errorWarning(v)
	}
}

// missesDependency says whether something is missing or off that the object needs.
func (j *evaluator) missesDependency(v outcome) bool {
	return v.reason == condition.ReasonReferenceNotFound || j.serviceOff() && v.reason == condition.ReasonServicePoweredOff ||
		v.waits && j.serviceMissingTooLong()
}

// errorWarning is the reason of a warning about an error, which recurs as long as the error does.
func (j *evaluator) errorWarning(v outcome) string {
	switch {
	case v.reason == condition.ReasonSecretConflict:
		return EventSecretFailed
	case v.reason != condition.ReasonRetrying:
		return ""
	case j.mutationFailed():
		return EventRefused
	case j.firstError() == nil:
		return EventSecretFailed
	case j.unreachableFor() > j.Timings.Degradation:
		return EventUnreachable
	default:
		return ""
	}
}

func (j *evaluator) deletionWarning(v outcome) string {
	switch {
	case j.Deletion.Protected, v.reason == condition.ReasonDeletionBlocked:
		return j.onChange(v, EventDeletionBlocked)
	case j.TokenMissing:
		return j.onChange(v, EventTokenMissing)
	case fault.Is(j.Deletion.Err, fault.Unauthorized):
		return j.onChange(v, EventAuthFailed)
	case j.Deletion.Err != nil && (!j.unreachable() || j.unreachableFor() > j.Timings.Degradation):
		return EventDeleteFailed
	default:
		return ""
	}
}

// onChange is the reason if Ready says something new.
func (j *evaluator) onChange(v outcome, reason string) string {
	old := j.previous(condition.Ready)
	if old != nil && old.Reason == v.reason && old.Message == v.message {
		return ""
	}
	return reason
}

// normalEvent is the reason and the notes of an event that nobody has to act on.
func (j *evaluator) normalEvent(m *condition.Manager, v outcome) (string, []string) {
	if j.Deletion != nil {
		return j.deletionEvent()
	}
	var notes []string
	if j.Mutation != Unchanged {
		notes = append(notes, mutationNote(j.Mutation, j.Changes))
	}
	becameReady := v.ready == metav1.ConditionTrue && !j.was(condition.Ready, metav1.ConditionTrue)
	switch {
	case becameReady && j.recovered():
		return EventRecovered, append(notes, "Ready again: "+v.message)
	case becameReady:
		return EventRunning, append(notes, v.message)
	case j.Mutation == Updated && j.GenerationApplied && v.ready == metav1.ConditionTrue:
		return EventRecovered, append(notes, v.message)
	case j.Mutation != Unchanged:
		return EventMutated, append(notes, v.message)
	case j.driftEnded():
		return EventRecovered, []string{"Aiven no longer differs from the spec"}
	case j.disabledNow(m):
		return EventSecretDisabled, []string{"The spec asks for no connection Secret"}
	case v.waits:
		return j.onChange(v, EventWaiting), []string{v.message}
	default:
		return "", nil
	}
}

func (j *evaluator) deletionEvent() (string, []string) {
	d := j.Deletion
	switch {
	case d.SharedWith != "":
		return EventSkipped, []string{j.sharedMessage()}
	case d.Orphaned:
		return EventDeleted, []string{j.orphaned()}
	case d.Gone:
		return EventDeleted, []string{"Nothing is left at Aiven"}
	case d.Requested && !j.hasReason(condition.ReasonDeleting):
		return EventDeleting, []string{"Aiven is deleting the resource"}
	default:
		return "", nil
	}
}

// sharedMessage says why a resource outlives the object that goes.
func (j *evaluator) sharedMessage() string {
	return "The resource stays at Aiven: " + j.Deletion.SharedWith + " stands for it too, and goes on with it"
}

func (j *evaluator) orphaned() string {
	if j.ObserveOnly {
		return "The resource stays at Aiven, as the management policy asks"
	}
	return "The resource stays at Aiven, as the deletion policy asks"
}

// usesDefaultToken says whether the default token has begun to stand in for another one.
func (j *evaluator) usesDefaultToken() bool {
	old := j.previous(condition.AuthValid)
	return j.TokenFallback != nil && (old == nil || old.Message != j.fallbackMessage())
}

func (j *evaluator) fallbackMessage() string {
	return "The operator's default token stands in, as it did before this operator took the object over: " + describe(j.TokenFallback)
}

func (j *evaluator) hasReason(reason string) bool {
	c := j.previous(condition.Ready)
	return c != nil && c.Reason == reason
}

// recovered says whether the latest status told of an error with something that had been fine before.
func (j *evaluator) recovered() bool {
	c := j.previous(condition.Ready)
	return j.WasReady && c != nil && c.Reason != condition.ReasonProgressing && c.Reason != condition.ReasonPaused
}

func (j *evaluator) disabledNow(m *condition.Manager) bool {
	now := m.Get(condition.SecretReady)
	old := j.previous(condition.SecretReady)
	return now != nil && now.Reason == condition.ReasonDisabled && (old == nil || old.Reason != now.Reason)
}

func mutationNote(mutation Mutation, changes []string) string {
	if len(changes) == 0 {
		return fmt.Sprintf("The resource was %s at Aiven", mutation)
	}
	return fmt.Sprintf("The resource was %s at Aiven (%s)", mutation, strings.Join(changes, ", "))
}

func note(parts []string) string {
	s := strings.Join(parts, ". ")
	if len(s) > maxNote {
		s = strings.ToValidUTF8(s[:maxNote-3], "") + "..."
	}
	return s
}
