package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Values of annotation.Drift.
const (
	DriftCorrect = "Correct" // the default
	DriftReport  = "Report"
)

// Drift is what Aiven has otherwise than the spec asks, and is left so. The zero value is no drift.
type Drift struct {
	Reason  string // of the condition Drifted
	Entries []v1alpha1.DriftEntry
}

// remedies complete the message of the condition Drifted.
var remedies = map[string]string{
	condition.ReasonReportOnly: "it is left so, as the annotation " + annotation.Drift + " asks",
	condition.ReasonTakenOver: "it is left so, because it was so when this operator took the object over; change the spec, or set " +
		"the annotation " + annotation.Drift + " to " + DriftCorrect,
	condition.ReasonNotConverging: "Aiven has accepted the change more than once and doesn't show it; it is sent again when the " +
		"spec or the value at Aiven changes",
}

// DriftMode says why differences of an object are shown and not repaired; "" if they are repaired. A policy that isn't
// known is taken for the one that writes nothing.
func DriftMode(obj metav1.Object) string {
	switch policy, set := obj.GetAnnotations()[annotation.Drift]; {
	case policy == DriftCorrect:
		return ""
	case set:
		return condition.ReasonReportOnly
	case obj.GetAnnotations()[annotation.TakenOver] == annotation.FormatGeneration(obj.GetGeneration()):
		return condition.ReasonTakenOver
	default:
		return ""
	}
}

// IsTakeover says whether the reference operator has applied this generation, and this operator sees the object for
// the first time. The other never repairs what is changed at Aiven: a disk that somebody made larger by hand must not
// shrink because the operator was exchanged. Its objects have a status without observedGeneration; in those that are new
// to everybody, the default is -1.
func IsTakeover(obj metav1.Object, before *v1alpha1.CommonStatus) bool {
	return annotation.IsProcessed(obj) &&
		before.ObservedGeneration == 0 && len(before.Conditions) > 0
}

// drifted shows drift that is left as it is, and forgets it after a look that found none.
func (e *evaluator) drifted(m *condition.Manager) {
	switch {
	case len(e.facts.Drift.Entries) > 0:
		m.True(condition.Drifted, e.facts.Drift.Reason, e.driftMessage())
	case e.facts.observed():
		m.Delete(condition.Drifted)
	}
}

// driftEnded says whether differences that were left as they were are gone.
func (e *evaluator) driftEnded() bool {
	return len(e.facts.Drift.Entries) == 0 && e.facts.observed() && e.previous(condition.Drifted) != nil
}

func (e *evaluator) driftMessage() string {
	paths := make([]string, 0, len(e.facts.Drift.Entries))
	for _, entry := range e.facts.Drift.Entries {
		paths = append(paths, entry.Path)
	}
	remedy := remedies[e.facts.Drift.Reason]
	if e.facts.ObserveOnly {
		remedy = "it is left so, as the annotation " + annotation.Management + " asks"
	}
	return fmt.Sprintf("Aiven differs in %s: %s", strings.Join(paths, ", "), remedy)
}

// driftWarning is the reason of the event when drift begins to be left as it is, or for another reason than before.
func (e *evaluator) driftWarning() string {
	before := e.previous(condition.Drifted)
	switch {
	case len(e.facts.Drift.Entries) == 0, before != nil && before.Reason == e.facts.Drift.Reason:
		return ""
	case e.facts.Drift.Reason == condition.ReasonNotConverging:
		return EventNotConverging
	default:
		return EventDrift
	}
}
