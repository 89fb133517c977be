package status

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/reason"
)

// What is left alone because no policy agrees that it is changed, and who owns what.

func (e *evaluator) refused() bool { return e.facts.Refused != "" }

// consents are the messages of what waits for consent, and how to give it.
var consents = map[string]struct{ message, remedy string }{
	condition.ReasonAlreadyExists: {
		"Already exists at Aiven, not created by this object. ",
		"To adopt it, set " + annotation.Adoption + "=" + policy.Adopt + ", see " + (&reason.Reason{Name: condition.ReasonAlreadyExists}).Page(),
	},
	condition.ReasonNothingToAdopt: {
		"Does not exist at Aiven, and the adoption policy doesn't allow to create it. ",
		"To create it, set the annotation " + annotation.Adoption + "=" + policy.AdoptOrCreate,
	},
	condition.ReasonRemoteMissing: {
		"Missing at Aiven, after it was ready. It isn't created again, as it would be empty. ",
		"Restore it, or set the annotation " + annotation.Recreate + "=" + policy.Always + ", or recreate this object",
	},
}

// kept is the message where a policy that the object has doesn't let anything be created again, and keeps are the remedies.
const kept = "Missing at Aiven. It isn't created again, as drift isn't corrected. "

var keeps = map[string]string{
	condition.ReasonReportOnly: "Restore it, or remove the annotation " + annotation.Drift,
	condition.ReasonTakenOver:  "It was missing when aero took over this object. Change the spec to create it, or recreate this object",
}

// Consent is why nothing is written for a reason of Ready that asks for consent, and how to give it. note is what else is known.
func Consent(reason, note string) string {
	if remedy, is := keeps[note]; is {
		return kept + remedy
	}
	return consents[reason].message + cmp.Or(note, consents[reason].remedy)
}

func (e *evaluator) awaitConsent() outcome {
	return outcome{
		ready: metav1.ConditionFalse, reason: e.facts.Refused, message: Consent(e.facts.Refused, e.facts.RefusedNote),
		phase: v1alpha1.PhaseFailed, activity: stalled, after: e.pollAfter(), poll: true,
	}
}

func (e *evaluator) unconfirmed() bool { return e.facts.Unconfirmed != "" }

// awaitConfirmation leaves out one change of the spec, and no other.
func (e *evaluator) awaitConfirmation() outcome {
	message := fmt.Sprintf("Not applied, unlike the rest: %s. To confirm it, set the annotation %s=%d, or undo it",
		e.facts.Unconfirmed, annotation.ConfirmDataLoss, e.facts.Generation)
	if e.facts.GenerationApplied && e.facts.WasOff {
		message = fmt.Sprintf("Not applied again: %s. To confirm it, edit the spec, and set the annotation %s to its generation, or undo it",
			e.facts.Unconfirmed, annotation.ConfirmDataLoss)
	}
	return outcome{
		ready: metav1.ConditionFalse, reason: condition.ReasonConfirmationRequired,
		message: message, phase: v1alpha1.PhaseFailed, activity: stalled, after: e.pollAfter(), poll: true,
	}
}

// provenance is how the object owns its resource from now on.
func (e *evaluator) provenance(v outcome) *v1alpha1.Provenance {
	known := e.newProvenance()
	if known == nil {
		known = e.knownProvenance()
	}
	if known == nil {
		return e.before.Provenance.DeepCopy()
	}
	known.WasReady = known.WasReady || v.ready == metav1.ConditionTrue && e.exists() && known.Type != v1alpha1.ProvenanceObserved
	return known
}

func (e *evaluator) exists() bool { return e.facts.Remote != nil && e.facts.Remote.Exists }

// newProvenance is that of what was created in this reconcile, or only observed for the first time; nil for everything else.
func (e *evaluator) newProvenance() *v1alpha1.Provenance {
	kind, known := v1alpha1.ProvenanceCreated, e.before.Provenance != nil && e.before.Provenance.UID == e.facts.UID
	if e.facts.Mutation != Created {
		if kind = v1alpha1.ProvenanceObserved; !e.facts.ObserveOnly || e.facts.Deleting || e.facts.Provenance != nil || known || !e.exists() {
			return nil
		}
	}
	return &v1alpha1.Provenance{Type: kind, UID: e.facts.UID, Time: metav1.NewTime(e.facts.Now).Rfc3339Copy()}
}

// knownProvenance is what the object had. What it may have created counts once Aiven shows it, and what lives in a service isn't
// older than that.
func (e *evaluator) knownProvenance() *v1alpha1.Provenance {
	known, recorded := e.facts.Provenance.DeepCopy(), e.owned()
	switch {
	case e.isLost():
		known.Type = v1alpha1.ProvenanceObserved // what comes back was made by another client
	case known == nil, recorded:
	case known.Type == v1alpha1.ProvenanceCreated && !e.exists():
		return nil
	case !e.facts.IsService:
		known.Time = metav1.NewTime(e.facts.Now).Rfc3339Copy()
	}
	return known
}

// owned reports whether the status says that the object owned its resource until now.
func (e *evaluator) owned() bool {
	before := e.before.Provenance
	return before != nil && before.UID == e.facts.UID && before.Type != v1alpha1.ProvenanceObserved
}

// adopted reports whether the object manages what it only observed before, or what another object owned whose status it was restored with.
func (e *evaluator) adopted() bool {
	return e.before.Provenance != nil && !e.owned() && e.facts.Provenance != nil
}

// isLost reports whether an object that only observes has lost what it owned, or has made nothing. What can't be asked for isn't lost.
func (e *evaluator) isLost() bool {
	attempted := e.facts.Provenance != nil && e.facts.Provenance.Type == v1alpha1.ProvenanceCreated
	return (attempted || e.owned()) && e.facts.ObserveOnly && e.facts.Remote != nil && !e.exists() && !e.facts.Uncompared
}

// refusalEvents are the reasons of the warnings about what only a user can change.
var refusalEvents = map[string]string{
	condition.ReasonInvalidSpec: EventRefused, condition.ReasonResourceExhausted: EventRefused, condition.ReasonTerminationProtected: EventRefused,
	condition.ReasonRemoteMissing: EventRemoteMissing, condition.ReasonAlreadyExists: EventNotOwned, condition.ReasonNothingToAdopt: EventNothingToAdopt,
	condition.ReasonConfirmationRequired: EventRefused,
	condition.ReasonConflict:             EventOwnedByOther, condition.ReasonProjectNotAllowed: EventProjectNotAllowed,
}

// notOwned is why nothing is deleted for an object that has only the finalizer.
const notOwned = "Deleted nothing at Aiven: this object neither created nor adopted a resource"
