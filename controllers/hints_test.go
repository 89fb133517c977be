package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// On creation every user can write the annotations of the operator: a dump that is restored has them, too.

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
