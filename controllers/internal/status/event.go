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
func (e *evaluator) event(m *condition.Manager, v outcome) *Event {
	action := ActionReconcile
	if e.facts.Deletion != nil {
		action = ActionFinalize
	}
	kind, reason := corev1.EventTypeWarning, e.warning(v)
	notes := []string{v.message}
	switch {
	case e.facts.Recreated:
		notes = []string{"The resource was gone from Aiven", v.message}
	case reason == EventDrift, reason == EventNotConverging:
		notes = []string{e.driftMessage()}
	case e.usesDefaultToken():
		notes = []string{e.fallbackMessage()}
	}
	if reason == "" {
		kind = corev1.EventTypeNormal
		reason, notes = e.normalEvent(m, v)
	}
	if reason == "" {
		return nil
	}
	return &Event{Type: kind, Reason: reason, Action: action, Note: note(notes)}
}

// warning is the reason of a warning that is due now: when a cause is new, and as long as it lasts for errors.
func (e *evaluator) warning(v outcome) string {
	switch {
	case v.reason == condition.ReasonInvalidDeletionPolicy:
		return e.onChange(v, EventDeleteFailed)
	case e.facts.Deletion != nil:
		return e.deletionWarning(v)
	case e.facts.Recreated && e.facts.Mutation == Created:
		return EventRemoteMissing
	case v.reason == condition.ReasonInvalidSpec, v.reason == condition.ReasonResourceExhausted:
		return e.onChange(v, EventRefused)
	case v.reason == condition.ReasonConflict:
		return e.onChange(v, EventOwnedByOther)
	case v.reason == condition.ReasonAuthFailed && e.facts.TokenMissing:
		return e.onChange(v, EventTokenMissing)
	case v.reason == condition.ReasonAuthFailed:
		return e.onChange(v, EventAuthFailed)
	case e.usesDefaultToken():
		return EventTokenMissing
	case e.missesDependency(v):
		return e.onChange(v, EventUnreachable)
	case e.driftWarning() != "":
		return e.driftWarning()
	default:
		return e.errorWarning(v)
	}
}

// missesDependency says whether something is missing or off that the object needs.
func (e *evaluator) missesDependency(v outcome) bool {
	return v.reason == condition.ReasonReferenceNotFound || e.serviceOff() && v.reason == condition.ReasonServicePoweredOff ||
		v.waits && e.serviceMissingTooLong()
}

// errorWarning is the reason of a warning about an error, which recurs as long as the error does.
func (e *evaluator) errorWarning(v outcome) string {
	switch {
	case v.reason == condition.ReasonSecretConflict:
		return EventSecretFailed
	case v.reason != condition.ReasonRetrying:
		return ""
	case e.mutationFailed():
		return EventRefused
	case e.facts.firstError() == nil:
		return EventSecretFailed
	case e.unreachableFor() > e.facts.Timings.Degradation:
		return EventUnreachable
	default:
		return ""
	}
}

func (e *evaluator) deletionWarning(v outcome) string {
	switch {
	case e.facts.Deletion.Protected, v.reason == condition.ReasonDeletionBlocked:
		return e.onChange(v, EventDeletionBlocked)
	case e.facts.TokenMissing:
		return e.onChange(v, EventTokenMissing)
	case fault.Is(e.facts.Deletion.Err, fault.Unauthorized):
		return e.onChange(v, EventAuthFailed)
	case e.facts.Deletion.Err != nil && (!e.facts.unreachable() || e.unreachableFor() > e.facts.Timings.Degradation):
		return EventDeleteFailed
	default:
		return ""
	}
}

// onChange is the reason if Ready says something new.
func (e *evaluator) onChange(v outcome, reason string) string {
	old := e.previous(condition.Ready)
	if old != nil && old.Reason == v.reason && old.Message == v.message {
		return ""
	}
	return reason
}

// normalEvent is the reason and the notes of an event that nobody has to act on.
func (e *evaluator) normalEvent(m *condition.Manager, v outcome) (string, []string) {
	if e.facts.Deletion != nil {
		return e.deletionEvent()
	}
	var notes []string
	if e.facts.Mutation != Unchanged {
		notes = append(notes, mutationNote(e.facts.Mutation, e.facts.Changes))
	}
	becameReady := v.ready == metav1.ConditionTrue && !e.was(condition.Ready, metav1.ConditionTrue)
	switch {
	case becameReady && e.recovered():
		return EventRecovered, append(notes, "Ready again: "+v.message)
	case becameReady:
		return EventRunning, append(notes, v.message)
	case e.facts.Mutation == Updated && e.facts.GenerationApplied && v.ready == metav1.ConditionTrue:
		return EventRecovered, append(notes, v.message)
	case e.facts.Mutation != Unchanged:
		return EventMutated, append(notes, v.message)
	case e.driftEnded():
		return EventRecovered, []string{"Aiven no longer differs from the spec"}
	case e.disabledNow(m):
		return EventSecretDisabled, []string{"The spec asks for no connection Secret"}
	case v.waits:
		return e.onChange(v, EventWaiting), []string{v.message}
	default:
		return "", nil
	}
}

func (e *evaluator) deletionEvent() (string, []string) {
	d := e.facts.Deletion
	switch {
	case d.SharedWith != "":
		return EventSkipped, []string{e.sharedMessage()}
	case d.Orphaned:
		return EventDeleted, []string{e.orphaned()}
	case d.Gone:
		return EventDeleted, []string{"Nothing is left at Aiven"}
	case d.Requested && !e.hasReason(condition.ReasonDeleting):
		return EventDeleting, []string{"Aiven is deleting the resource"}
	default:
		return "", nil
	}
}

// sharedMessage says why a resource outlives the object that goes.
func (e *evaluator) sharedMessage() string {
	return "The resource stays at Aiven: " + e.facts.Deletion.SharedWith + " stands for it too, and goes on with it"
}

func (e *evaluator) orphaned() string {
	if e.facts.ObserveOnly {
		return "The resource stays at Aiven, as the management policy asks"
	}
	return "The resource stays at Aiven, as the deletion policy asks"
}

// usesDefaultToken says whether the default token has begun to stand in for another one.
func (e *evaluator) usesDefaultToken() bool {
	old := e.previous(condition.AuthValid)
	return e.facts.TokenFallback != nil && (old == nil || old.Message != e.fallbackMessage())
}

func (e *evaluator) fallbackMessage() string {
	return "The operator's default token stands in, as it did before this operator took the object over: " + describe(e.facts.TokenFallback)
}

func (e *evaluator) hasReason(reason string) bool {
	c := e.previous(condition.Ready)
	return c != nil && c.Reason == reason
}

// recovered says whether the latest status told of an error with something that had been fine before.
func (e *evaluator) recovered() bool {
	c := e.previous(condition.Ready)
	return e.facts.WasReady && c != nil && c.Reason != condition.ReasonProgressing && c.Reason != condition.ReasonPaused
}

func (e *evaluator) disabledNow(m *condition.Manager) bool {
	now := m.Get(condition.SecretReady)
	old := e.previous(condition.SecretReady)
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
