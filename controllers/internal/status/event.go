package status

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Event is what a reconcile reports to users. Its note is redacted and at most 1,024 bytes long.
type Event struct {
	Type   string // corev1.EventTypeNormal or corev1.EventTypeWarning
	Reason string
	Action string
	Note   string
}

// Reasons of events; aiven-operator's where one fits.
const (
	EventMutated           = "CreatedOrUpdatedAtAiven"
	EventRunning           = "InstanceIsRunning"
	EventWaiting           = "WaitingForPreconditions"
	EventRecovered         = "ReconciliationSucceeded"
	EventRefused           = "UnableToCreateOrUpdateAtAiven"
	EventUnreachable       = "UnableToWaitForPreconditions"
	EventTokenMissing      = "UnableToGetAuthSecret"
	EventAuthFailed        = "AuthFailed"
	EventSecretFailed      = "CannotPublishConnectionDetails"
	EventSecretDisabled    = "ConnInfoSecretCreationDisabled"
	EventDrift             = "DriftDetected"
	EventNotConverging     = "DriftNotConverging"
	EventRemoteMissing     = "RemoteResourceMissing"
	EventDeleting          = "TryingToDeleteAtAiven"
	EventDeleted           = "SuccessfullyDeletedAtAiven"
	EventDeleteFailed      = "UnableToDelete"
	EventSkipped           = "SkippedDeletionAtAiven"
	EventOwnedByOther      = "OwnedByAnotherObject"
	EventProjectNotAllowed = "ProjectNotAllowed"
	EventNotOwned          = "AlreadyExistsAtAiven"
	EventNothingToAdopt    = "NothingToAdoptAtAiven"
	EventDeletionBlocked   = "DeletionBlocked"
	EventSecretKept        = "UnableToDeleteMigrationSecret"
	EventOverwritten       = "ConnectionDetailsOverwritten"
	EventRotated           = "Rotated"
	EventAwaitingApproval  = "AwaitingApproval"
	EventRotationBlocked   = "RotationBlocked"
)

// The actions of events.
const (
	ActionReconcile = "Reconcile"
	ActionFinalize  = "Finalize"
)

// event picks the one event of this reconcile, or nil: a warning comes first, a normal event needs a change.
func (e *evaluator) event(m *condition.Manager, v outcome) *Event {
	action := ActionReconcile
	if e.facts.Deleting {
		action = ActionFinalize
	}
	kind, reason := corev1.EventTypeWarning, e.warning(v)
	notes := []string{v.message}
	switch {
	case e.facts.Recreated:
		notes = []string{"Deleted outside Kubernetes"}
		if e.facts.Mutation == Created {
			notes = append(notes, "Created again at Aiven")
		} else {
			notes = append(notes, v.message)
		}
	case reason == EventDrift, reason == EventNotConverging:
		notes = []string{e.driftMessage()}
	case reason == EventRotationBlocked:
		notes = []string{e.facts.Rotation.Message}
	case reason == EventSecretKept:
		notes = []string{e.facts.Discarded.Message}
	case reason == EventOverwritten:
		notes = []string{mutationNote(e.facts)}
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
	return &Event{Type: kind, Reason: reason, Action: action, Note: note(e.text(strings.Join(notes, ". ")))}
}

// warning is the reason of a warning that is due now: when a cause is new, and as long as it lasts for errors.
func (e *evaluator) warning(v outcome) string {
	switch {
	case v.reason == condition.ReasonInvalidDeletionPolicy:
		return e.onChange(v, EventDeleteFailed)
	case e.facts.Deleting:
		return e.deletionWarning(v)
	case e.wasRecreated():
		return EventRemoteMissing
	case e.wasOverwritten():
		return EventOverwritten
	case refusalEvents[v.reason] != "":
		return e.onChange(v, refusalEvents[v.reason])
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
	case e.keepsSecret():
		return EventSecretKept
	case e.rotationBlockedNow():
		return EventRotationBlocked
	default:
		return e.errorWarning(v)
	}
}

// missesDependency reports whether something is missing or off that the object needs.
func (e *evaluator) missesDependency(v outcome) bool {
	return v.reason == condition.ReasonReferenceNotFound || e.serviceOff() && v.reason == condition.ReasonServicePoweredOff ||
		v.waits && e.serviceMissingTooLong()
}

// errorWarning is the reason of a warning about an error, which recurs as long as the error does.
func (e *evaluator) errorWarning(v outcome) string {
	switch {
	case v.reason == condition.ReasonSecretConflict, v.reason == condition.ReasonRouteNotAvailable:
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
	case v.reason == condition.ReasonTerminationProtected:
		return e.onChange(v, EventDeletionBlocked)
	case v.reason == condition.ReasonDeletionBlocked:
		return e.waitWorthReporting(v, EventDeletionBlocked)
	case e.facts.TokenMissing:
		return e.onChange(v, EventTokenMissing)
	case fault.Is(e.facts.Deletion.Err, fault.Unauthorized):
		return e.onChange(v, EventAuthFailed)
	case e.throttled():
		return ""
	case e.facts.Deletion.Err != nil && (!e.facts.unreachable() || e.unreachableFor() > e.facts.Timings.Degradation):
		return EventDeleteFailed
	default:
		return ""
	}
}

// onChange is the reason if Ready has another reason or message than before.
func (e *evaluator) onChange(v outcome, reason string) string {
	old := e.previous(condition.Ready)
	if old != nil && old.Reason == v.reason && old.Message == v.message {
		return ""
	}
	return reason
}

// normalEvent is the reason and the notes of an event that needs no action.
func (e *evaluator) normalEvent(m *condition.Manager, v outcome) (string, []string) {
	if e.facts.Deleting {
		return e.deletionEvent()
	}
	notes := e.mutationNotes()
	if e.heldNow() {
		return cmp.Or(e.mutated(), EventAwaitingApproval), append(notes, e.approvalMessage())
	}
	becameReady := v.ready == metav1.ConditionTrue && !e.was(condition.Ready, metav1.ConditionTrue)
	switch {
	case becameReady && e.recovered():
		return EventRecovered, append(notes, "Ready again")
	case becameReady:
		return EventRunning, append(notes, readyNote(v))
	case e.facts.Mutation == Updated && e.facts.GenerationApplied && v.ready == metav1.ConditionTrue:
		return EventRecovered, notes
	case e.mutated() != "":
		return e.mutated(), notes
	case e.driftEnded():
		return EventRecovered, []string{"Drift is gone"}
	case e.disabledNow(m):
		return EventSecretDisabled, []string{noSecret}
	case v.waits:
		return e.waitWorthReporting(v, EventWaiting), []string{v.message}
	default:
		return "", nil
	}
}

// mutationNotes are about a change at Aiven; none if there was none.
func (e *evaluator) mutationNotes() []string {
	if e.facts.Mutation == Unchanged {
		return nil
	}
	return []string{mutationNote(e.facts)}
}

// mutated is the reason of the event about a change at Aiven; empty for none.
func (e *evaluator) mutated() string {
	switch e.facts.Mutation {
	case Unchanged:
		return ""
	case Rotated:
		return EventRotated
	default:
		return EventMutated
	}
}

// waitWorthReporting is the reason if a wait has taken long, once for each cause. A wait without a heartbeat is for a user,
// and is reported at once.
func (e *evaluator) waitWorthReporting(v outcome, reason string) string {
	if v.activity != reconciling {
		return e.onChange(v, reason)
	}
	waited, quiet := e.reconcilingFor(), e.facts.Timings.QuietWait
	if e.facts.Deleting {
		waited = min(waited, e.facts.Now.Sub(e.facts.Deletion.Since)) // it may have been reconciling before
	}
	if waited < quiet {
		return ""
	}
	began, last := e.facts.Now.Add(-waited), e.before.LastAttemptTime
	if last != nil && last.Sub(began) >= quiet {
		return e.onChange(v, reason)
	}
	return reason
}

func (e *evaluator) deletionEvent() (string, []string) {
	d := e.facts.Deletion
	switch {
	case d.SharedWith != "" && d.Err == nil && d.Blocked == "":
		return EventSkipped, []string{e.sharedMessage()}
	case d.NotOwned:
		return EventSkipped, []string{notOwned}
	case d.Orphaned:
		return EventSkipped, []string{e.orphaned()}
	case d.Gone:
		return EventDeleted, []string{"Deleted at Aiven"}
	case d.Requested && !e.hasReason(condition.ReasonDeleting):
		return EventDeleting, []string{"Deletion started at Aiven"}
	default:
		return "", nil
	}
}

// usesDefaultToken reports whether the default token is used instead of another one, for the first time.
func (e *evaluator) usesDefaultToken() bool {
	old := e.previous(condition.AuthValid)
	return e.facts.TokenFallback != nil && (old == nil || old.Message != e.fallbackMessage())
}

func (e *evaluator) fallbackMessage() string {
	return "spec.authSecretRef names a Secret that doesn't exist. Using the operator's default token, as aiven-operator did"
}

func (e *evaluator) hasReason(reason string) bool {
	c := e.previous(condition.Ready)
	return c != nil && c.Reason == reason
}

func (e *evaluator) disabledNow(m *condition.Manager) bool {
	now := m.Get(condition.SecretReady)
	old := e.previous(condition.SecretReady)
	return now != nil && now.Reason == condition.ReasonDisabled && (old == nil || old.Reason != now.Reason)
}

func readyNote(v outcome) string {
	if v.reason == condition.ReasonPoweredOffAsRequested {
		return v.message
	}
	return "Ready"
}

// noSecret is the message of an object without a connection Secret.
const noSecret = "Connection Secret disabled in the spec"

func note(s string) string { return cut(s) }
