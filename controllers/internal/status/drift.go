package status

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Values of annotation.Drift.
const (
	DriftCorrect = "Correct" // the default
	DriftReport  = "Report"
)

// Drift is how the resource differs from the spec, where that isn't corrected. The zero value is no drift.
type Drift struct {
	Reason  string // of the condition Drifted
	Entries []userconfig.Difference
}

// remedies complete the message of the condition Drifted.
var remedies = map[string]string{
	condition.ReasonAlreadyExists: "Not corrected: the resource isn't adopted",
	condition.ReasonReportOnly:    "Not corrected because of the annotation " + annotation.Drift,
	condition.ReasonTakenOver: "Not corrected: it existed before aero took over this object. Change the spec, or set the " +
		"annotation " + annotation.Drift + "=" + DriftCorrect,
	condition.ReasonConfirmationRequired: "Not corrected: that it loses data isn't confirmed",
	condition.ReasonNewerVersion:         "Not corrected: the service runs a newer version, and Aiven lowers none. Set that version in the spec",
	condition.ReasonNotConverging: "Not corrected: Aiven accepted the update more than once and doesn't show it. It is sent " +
		"again when the spec, a Secret it names, or the value at Aiven changes",
}

// DriftMode returns why the drift of an object is shown and not corrected; "" if it is corrected. An unknown policy counts
// as the one that writes nothing. The mark of a takeover counts beside the proof of one: users can bring the annotation along.
func (f *Facts) DriftMode(obj metav1.Object) string {
	takenOver := f.Provenance != nil && f.Provenance.Type == v1alpha1.ProvenanceTakenOver
	switch policy, set := obj.GetAnnotations()[annotation.Drift]; {
	case policy == DriftCorrect:
		return ""
	case set:
		return condition.ReasonReportOnly
	case takenOver && f.TakenOver == annotation.FormatGeneration(f.Generation):
		return condition.ReasonTakenOver
	default:
		return ""
	}
}

// drifted shows drift that isn't corrected, and removes it after an observation without any.
func (e *evaluator) drifted(m *condition.Manager) {
	switch {
	case len(e.facts.Drift.Entries) > 0:
		m.True(condition.Drifted, e.facts.Drift.Reason, e.driftMessage())
	case e.compared():
		m.Delete(condition.Drifted)
	}
}

// maxDrift bounds what is shown of drift, in entries, as userconfig.MaxText bounds each.
const maxDrift = 100

// Redacted are the first differences as they may be shown, in a status, an event or the log.
func (f *Facts) Redacted(diff []userconfig.Difference) []userconfig.Shown {
	out := f.Concealed(diff[:min(len(diff), maxDrift)])
	for i, one := range out {
		out[i].DriftEntry = v1alpha1.DriftEntry{Path: cut(one.Path), Wanted: cut(one.Wanted), Found: cut(one.Found)}
	}
	return out
}

// shownDrift is the drift as the status shows it.
func (f *Facts) shownDrift() []v1alpha1.DriftEntry {
	var entries []v1alpha1.DriftEntry
	for _, one := range f.Redacted(f.Drift.Entries) {
		entries = append(entries, one.DriftEntry)
	}
	return entries
}

// Concealed are differences, in full, without what came from a Secret, and without the values of options whose names say that they are
// secrets.
func (f *Facts) Concealed(diff []userconfig.Difference) []userconfig.Shown {
	out := make([]userconfig.Shown, 0, len(diff))
	for _, d := range diff {
		secret := fault.NamesSecret(d.Path) || fault.HoldsSecret(d.Wanted) || fault.HoldsSecret(d.Found)
		shown := func(text string) string {
			if secret {
				return userconfig.Concealed
			}
			return fault.Redact(f.Secrets.Scrub(text))
		}
		out = append(out, d.Show(shown(d.Wanted), shown(d.Found), secret))
	}
	return out
}

// driftEnded reports whether drift that wasn't corrected is gone.
func (e *evaluator) driftEnded() bool {
	return len(e.facts.Drift.Entries) == 0 && e.compared() && e.previous(condition.Drifted) != nil
}

// maxListed bounds the fields that a message lists, in bytes: status.drift and status.pendingChanges have all of them.
const maxListed = 60

func (e *evaluator) driftMessage() string {
	paths := make([]string, 0, len(e.facts.Drift.Entries))
	for _, entry := range e.facts.Drift.Entries {
		paths = append(paths, entry.Path)
	}
	return fmt.Sprintf("Drift in %s. %s", fault.Few(paths, maxListed), WhyLeft(e.facts.Drift.Reason, e.facts.ObserveOnly))
}

// WhyLeft is why drift isn't corrected, and what to do, for a reason of the condition Drifted.
func WhyLeft(reason string, observeOnly bool) string {
	if observeOnly {
		return "Not corrected because of the annotation " + annotation.Management
	}
	return remedies[reason]
}

// driftWarning is the reason of the event when drift begins that isn't corrected, or for another reason than before.
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
