package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// On creation every user can write the annotations of the operator: a dump that is restored has them, too.

func TestWhatAivenDoesNotReturnIsSentAtAnAdoptionWhateverMarkTheObjectBringsAlong(t *testing.T) {
	w := newWorld(t, newUser(annotated(annotation.Processed, "1"), annotated(annotation.Running, "true"),
		annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Delete)))
	w.adoption = policy.Never
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	silent := allWell
	silent.WriteOnly = []string{"spec.password"}
	w.observes(silent, nil)
	w.updates(allWell, nil).Times(1)
	w.settle()
	w.settle()
	assert.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
}

// An adoption records the provenance before it sends anything.
func TestAMarkThatIsBroughtAlongCountsNoMoreOnceTheAdoptionIsRecorded(t *testing.T) {
	w := newWorld(t, newUser(annotated(annotation.Processed, "1"), annotated(annotation.Adoption, policy.Adopt), annotated(annotation.Deletion, policy.Delete)))
	w.adoption = policy.Never
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	silent := allWell
	silent.WriteOnly = []string{"spec.password"}
	w.observes(silent, nil)
	w.updates(Observation{}, answer(503, "down")).Times(1)
	_, err := w.reconcile()
	require.Error(t, err)
	require.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
	w.updates(allWell, nil).Times(1)
	w.settle()
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

func TestDriftOfWhatAnObjectHasCreatedIsCorrectedWhateverMarkItBringsAlong(t *testing.T) {
	w := newWorld(t, newUser(annotated(annotation.TakenOver, "1")))
	observed := w.observes(nothing, nil)
	w.creates(allWell, nil)
	w.settle()
	observed.Return(differs, nil)
	w.updates(allWell, nil).Times(1)
	w.settle()
	assert.Empty(t, w.condition("Drifted"))
	assert.Equal(t, "1", w.get().Annotations[annotation.TakenOver], "the annotation is accepted")
}
