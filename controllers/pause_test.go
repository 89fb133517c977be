package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestP19_APauseMakesNoCallAndEndsWithoutATrace(t *testing.T) {
	w := newWorld(t, newUser(annotated(annotation.Paused, "true")))
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Zero(t, result.RequeueAfter)
	assert.Equal(t, []string{"status"}, w.journal)
	assert.Equal(t, "Unknown/Paused", w.ready())
	w.settle()

	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) })
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Empty(t, w.condition(condition.Paused))
}

func TestP19_AChangeInAPauseIsNotTakenForApplied(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(allWell, nil).Times(1)
	w.settle()
	w.edit(func(u *v1alpha1.ServiceUser) {
		u.Generation = 2
		u.Annotations[annotation.Paused] = "true"
	})
	w.settle()
	user := w.get()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready(), "kept")
	assert.EqualValues(t, 1, user.Status.ObservedGeneration, "Ready speaks of the generation before")
	assert.Equal(t, "1", user.Annotations[annotation.Processed])
}
