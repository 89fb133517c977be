package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// pollPriority puts the slow look at something at rest behind everything that a person waits for.
const pollPriority = -100

// Conclusion is everything that follows from the facts of one reconcile.
type Conclusion struct {
	Row         string // of the table, for logs
	Status      v1alpha1.CommonStatus
	Annotations map[string]*string // to change: nil removes one
	Event       *Event             // nil: nothing to tell
	Result      reconcile.Result
	Err         error // for the queue, which backs off; exclusive with Result
}

// Ready says whether the object is usable as far as anyone knows.
func (c *Conclusion) Ready() bool {
	return len(c.Status.Conditions) > 0 && c.Status.Conditions[0].Type == condition.Ready &&
		c.Status.Conditions[0].Status == metav1.ConditionTrue
}

// Conclude decides what the facts mean for an object whose status was the one before. It changes neither.
func Conclude(before *v1alpha1.CommonStatus, facts *Facts) Conclusion {
	j := &judge{Facts: facts, before: before}
	row := j.row()
	v := row.decide(j)
	m := condition.NewManager(before.Conditions, facts.Generation, facts.Now)

	m.Set(condition.Ready, v.ready, v.reason, v.message)
	j.parents(m, v)
	j.children(m, v)
	j.transient(m, v)
	j.legacyConditions(m, v)
	j.dropStrangers(m)

	c := Conclusion{Row: row.name, Annotations: j.annotations(m), Event: j.event(m, v), Err: v.err}
	if v.err == nil {
		c.Result.RequeueAfter = v.after
	}
	if v.poll {
		priority := pollPriority
		c.Result.Priority = &priority
	}
	c.Status = j.status(m, v)
	return c
}

func (j *judge) row() rule {
	for _, r := range rules {
		if r.matches(j) {
			return r
		}
	}
	panic("the last row of the table matches everything")
}

// transient sets the conditions that exist only while they are True.
func (j *judge) transient(m *condition.Manager, v verdict) {
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
	if j.Paused {
		m.True(condition.Paused, condition.ReasonPausedByAnnotation, "An annotation asks to leave this object alone")
	} else {
		m.Delete(condition.Paused)
	}
}

// dropStrangers removes the conditions of references that the object no longer holds.
func (j *judge) dropStrangers(m *condition.Manager) {
	if j.Deletion != nil || j.Paused || j.PolicyErr != nil || j.TokenErr != nil {
		return
	}
	known := map[string]bool{}
	for _, kind := range []string{
		condition.Ready, condition.ConfigValid, condition.AuthValid, condition.DependenciesReachable,
		condition.RemoteReady, condition.SecretReady, condition.Reconciling, condition.Stalled, condition.Paused,
		condition.ServiceReady, condition.Drifted, condition.MigrationComplete,
		condition.LegacyInitialized, condition.LegacyRunning, condition.LegacyError,
	} {
		known[kind] = true
	}
	for _, ref := range j.References {
		known[ref.Type] = true
	}
	for _, kind := range m.Types() {
		if !known[kind] {
			m.Delete(kind)
		}
	}
}

func (j *judge) status(m *condition.Manager, v verdict) v1alpha1.CommonStatus {
	out := *j.before.DeepCopy()
	out.Conditions = m.Conditions()
	out.ObservedGeneration = j.Generation
	if v.phase != "" {
		out.Phase = v.phase
	}
	out.LastAttemptTime = nil
	if v.activity == reconciling {
		now := metav1.NewTime(j.Now)
		out.LastAttemptTime = &now
	}
	if j.HandledAt != "" {
		out.LastHandledReconcileAt = j.HandledAt
	}
	if j.looked() {
		out.ResolvedRefs = j.Resolved
		out.Drift = j.ReportDrift
	}
	return out
}
