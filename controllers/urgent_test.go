package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestASpecThatAivenRejectsOvertakesOthersOnceAGeneration(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.creates(Observation{}, answer(400, "no such plan")).AnyTimes()
	urgent := func() bool {
		p, err := w.engine.fetch(t.Context(), reconcile.Request{NamespacedName: w.key})
		require.NoError(t, err)
		return status.IsAwaited(p.before, p.before.GetCommonStatus())
	}
	assert.False(t, urgent(), "a thousand new objects don't overtake an edit")
	w.settle()
	assert.Equal(t, "False/InvalidSpec", w.ready())
	assert.False(t, urgent())
	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation++ })
	assert.True(t, urgent(), "the spec was edited")
	w.settle()
	assert.False(t, urgent())
	w.edit(finalized)
	w.delete()
	assert.True(t, urgent(), "a deletion")
	w.deletes(answer(503, "down"))
	_, err := w.reconcile()
	require.Error(t, err)
	assert.True(t, urgent(), "a deletion that Aiven couldn't answer")
	w.deletes(answer(409, "the user owns things"))
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "Unknown/DeletionBlocked", w.ready())
	assert.False(t, urgent(), "a deletion that is blocked")
	w.deletes(answer(400, "not a user that can be deleted"))
	_, err = w.reconcile()
	require.Error(t, err)
	assert.Equal(t, "Unknown/ProgressingWithRetry", w.ready())
	assert.False(t, urgent(), "a deletion that Aiven refuses")
	w.deletes(fault.NoTurn("ServiceUserDelete", time.Second))
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.False(t, urgent(), "and that waits for its turn")
}
