package status

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// pollPriority puts the polls of objects at rest behind everything that a user waits for.
const pollPriority = -100

// Conclusion is everything that follows from the facts of one reconcile.
type Conclusion struct {
	Row         string // of the table, for logs
	Deferred    bool   // nothing is written yet, and Status is the one before
	Status      v1alpha1.CommonStatus
	Annotations map[string]*string // to change: nil removes one
	Event       *Event             // nil: none
	Result      reconcile.Result
	Err         error // for the queue, which backs off and logs it, redacted; exclusive with Result
}

// Conclude decides what the facts mean for an object whose status was the one before. It changes neither.
func Conclude(before *v1alpha1.CommonStatus, facts *Facts) Conclusion {
	e := &evaluator{facts: facts, before: before}
	row := e.row()
	if e.facts.Paused && e.evaluatedBefore() {
		return Conclusion{Row: row.name, Status: e.kept()}
	}
	v := row.decide(e)
	if remaining := e.deferredFor(v); remaining > 0 {
		return Conclusion{Row: row.name, Deferred: true, Status: *before.DeepCopy(), Result: resultAfter(remaining, false)}
	}
	m := e.manager(before.Conditions)

	m.Set(condition.Ready, v.ready, v.reason, v.message)
	e.baseConditions(m, v)
	e.componentConditions(m, v)
	e.transient(m, v)
	e.legacyConditions(m, v)
	e.kindConditions(m)
	e.expiring(m)
	e.rotationBlocked(m)
	e.pruneConditions(m)

	c := Conclusion{Row: row.name, Annotations: e.annotations(m), Event: e.event(m, v), Err: e.facts.Secrets.Redacted(v.err)}
	switch {
	case v.err != nil:
		v.after = 0
	case !e.facts.Deleting:
		v.after = sooner(sooner(v.after, e.untilExpiring()), e.untilRotation())
	}
	c.Result = resultAfter(v.after, v.poll)
	c.Status = e.status(m, v)
	return c
}

// resultAfter requeues after a delay. What is no poll has a priority too: an item of the queue keeps its own otherwise.
func resultAfter(after time.Duration, poll bool) reconcile.Result {
	priority := 0
	if poll {
		priority = pollPriority
	}
	return reconcile.Result{RequeueAfter: after, Priority: &priority}
}

// manager edits conditions, without values that came from a Secret.
func (e *evaluator) manager(conditions []metav1.Condition) *condition.Manager {
	return condition.NewManager(conditions, e.facts.Generation, e.facts.Now).Filter(e.text)
}

// text is what users read of a text: one line, without values that came from a Secret.
func (e *evaluator) text(s string) string { return fault.OneLine(e.facts.Secrets.Scrub(s)) }

func (e *evaluator) row() rule {
	for _, r := range rules {
		if r.matches(e) {
			return r
		}
	}
	panic("the last row of the table matches everything")
}

// kindConditions sets the conditions that only this kind has.
func (e *evaluator) kindConditions(m *condition.Manager) {
	for _, extra := range e.facts.Conditions {
		if extra = e.completed(extra); extra.True {
			m.True(extra.Type, extra.Reason, extra.Message)
		} else {
			m.False(extra.Type, extra.Reason, extra.Message)
		}
	}
}

// transient sets the conditions that exist only while they are True.
func (e *evaluator) transient(m *condition.Manager, v outcome) {
	switch v.activity {
	case reconciling:
		m.True(condition.Reconciling, v.reason, v.message)
		m.Delete(condition.Stalled)
	case stalled:
		m.True(condition.Stalled, v.reason, v.message)
		m.Delete(condition.Reconciling)
	default:
		m.Delete(condition.Reconciling, condition.Stalled)
	}
	e.pausedCondition(m)
	e.drifted(m)
	e.pendingCondition(m)
}

func (e *evaluator) pausedCondition(m *condition.Manager) {
	if e.facts.Paused {
		m.True(condition.Paused, condition.ReasonPausedByAnnotation, "Paused by the annotation "+annotation.Paused)
	} else {
		m.Delete(condition.Paused)
	}
}

// own are the conditions whose type ends like that of a reference and that are none.
var own = map[string]bool{
	condition.Ready: true, condition.ServiceReady: true, condition.RemoteReady: true, condition.SecretReady: true,
	condition.TasksReady: true, condition.SourceServiceReady: true, condition.DestinationServiceReady: true,
}

// pruneConditions removes the conditions of references that the object no longer holds.
func (e *evaluator) pruneConditions(m *condition.Manager) {
	if e.facts.Deleting || e.facts.Paused || e.facts.PolicyErr != nil || e.notAllowed() || e.facts.TokenErr != nil || e.facts.Owner != "" {
		return
	}
	held := map[string]bool{}
	for _, ref := range e.facts.References {
		held[ref.Type] = true
	}
	for _, extra := range e.facts.Conditions {
		held[extra.Type] = true
	}
	for _, kind := range m.Types() {
		if strings.HasSuffix(kind, condition.Ready) && !own[kind] && !held[kind] {
			m.Delete(kind)
		}
	}
}

// evaluatedBefore reports whether the object was reconciled before it was paused.
func (e *evaluator) evaluatedBefore() bool {
	c := e.previous(condition.Ready)
	return c != nil && c.Reason != condition.ReasonPaused
}

// kept is the status of a paused object: that of the generation that was evaluated last. Only Reconciling is no longer
// true.
func (e *evaluator) kept() v1alpha1.CommonStatus {
	out := *e.before.DeepCopy()
	m := e.manager(out.Conditions)
	e.pausedCondition(m)
	m.Delete(condition.Reconciling)
	out.Conditions, out.LastAttemptTime, out.EditObservedTime = m.Conditions(), nil, nil
	return out
}

func (e *evaluator) status(m *condition.Manager, v outcome) v1alpha1.CommonStatus {
	out := *e.before.DeepCopy()
	out.Conditions = m.Conditions()
	out.ObservedGeneration = e.facts.Generation
	if v.phase != "" {
		out.Phase = v.phase
	}
	out.Binding, out.Credentials, out.Provenance = e.binding(), e.credentials(), e.provenance(v)
	out.LastAttemptTime, out.EditObservedTime = nil, nil
	if e.facts.HandledAt != "" && !e.facts.Paused {
		out.LastHandledReconcileAt = e.facts.HandledAt
	}
	if e.rotationHandled() {
		out.LastHandledRotateAt = e.facts.Rotation.Request
	}
	if e.facts.observed() || len(e.facts.References) > 0 && e.referencesRead() {
		out.ResolvedRefs = e.facts.Resolved
	}
	if e.compared() {
		out.Drift = e.facts.shownDrift()
	}
	out.PendingChanges = e.pendingChanges()
	if v.activity == reconciling {
		out.EditObservedTime = e.editObserved(v)
		out.LastAttemptTime = e.lastAttempt(&out)
	}
	if began := e.before.LastAttemptTime; v.reason == condition.ReasonAwaitingApproval && e.hasReason(v.reason) && began != nil {
		out.LastAttemptTime = began.DeepCopy() // nothing is attempted before a user approves it
	}
	return out
}

// editObserved is when the generation was observed for the first time, where Reconciling doesn't say so: it keeps its time
// when what is worked on is edited, or approved.
func (e *evaluator) editObserved(v outcome) *metav1.Time {
	switch {
	case e.previous(condition.Reconciling) == nil:
		return nil
	case e.edited(), e.approvedNow(v):
		now := metav1.NewTime(e.facts.Now)
		return &now
	default:
		return e.before.EditObservedTime.DeepCopy()
	}
}

// binding names the connection Secret from its first publication on, until it is known to be another's. While one of another
// name can't be published, it is the former one.
func (e *evaluator) binding() *v1alpha1.SecretBinding {
	switch s := e.facts.Secret; {
	case s.Published:
		return &v1alpha1.SecretBinding{Name: s.Name}
	case s.Disabled, s.Conflict && e.before.Binding != nil && e.before.Binding.Name == s.Name:
		return nil
	default:
		return e.before.Binding.DeepCopy()
	}
}

// lastAttempt is now. At the beginning of a wait it stays as it is where nothing else has changed: it isn't worth a write.
func (e *evaluator) lastAttempt(next *v1alpha1.CommonStatus) *metav1.Time {
	if e.reconcilingFor() < e.facts.Timings.QuietWait {
		same := e.before.DeepCopy()
		same.LastAttemptTime = nil
		if equality.Semantic.DeepEqual(same, next) {
			return e.before.LastAttemptTime.DeepCopy()
		}
	}
	now := metav1.NewTime(e.facts.Now)
	return &now
}

func cut(s string) string {
	if len(s) > userconfig.MaxText {
		s = strings.ToValidUTF8(s[:userconfig.MaxText-3], "") + "..."
	}
	return s
}
