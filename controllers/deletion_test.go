package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// finalized makes an object one that a create was tried for.
func finalized(u *v1alpha1.ServiceUser) {
	u.Finalizers = append(u.Finalizers, ownership.FinalizerName)
	policy.Annotate(u, annotation.Attempted, "true")
}

// newDying is a world whose object is being deleted.
func newDying(t *testing.T, changes ...func(*v1alpha1.ServiceUser)) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	w := newWorld(t, newUser(append(changes, finalized)...))
	w.delete()
	return w
}

func TestW10_ADeletionIsAwaited(t *testing.T) {
	w := newDying(t)
	w.deletes(deletion.ErrPending).Times(2)
	for range 2 {
		result, err := w.reconcile()
		require.NoError(t, err)
		assert.Equal(t, 10*time.Second, result.RequeueAfter)
	}
	assert.Equal(t, "Unknown/Deleting", w.ready())
	assert.Equal(t, []string{"Normal TryingToDeleteAtAiven Finalize: Deletion started at Aiven"}, w.events)
	assert.True(t, ownership.HasFinalizer(w.get()))

	w.deletes(nil)
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Zero(t, result.RequeueAfter)
	assert.True(t, w.gone())
	assert.Len(t, w.events, 2)
}

func TestX15_WhatIsNotThereIsDeleted(t *testing.T) {
	w := newDying(t)
	w.deletes(nil).Times(1)
	w.settle()
	assert.True(t, w.gone())
	w.settle()
}

func TestW07_AnObjectWithoutOurFinalizerIsNotOurs(t *testing.T) {
	w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{"example.com/theirs"} }))
	w.delete()
	w.settle()
	assert.Empty(t, w.journal)
	assert.Equal(t, []string{"example.com/theirs"}, w.get().Finalizers)
}

func TestW08_DeletionPolicies(t *testing.T) {
	t.Run("Orphan leaves the resource alone", func(t *testing.T) {
		w := newDying(t, annotated(annotation.Deletion, "Orphan"))
		_, err := w.reconcile()
		require.NoError(t, err)
		assert.True(t, w.gone())
		assert.Contains(t, w.events[0], "Kept the Aiven resource")
	})
	t.Run("Orphan goes past termination protection", func(t *testing.T) {
		w := newDying(t, annotated(annotation.Deletion, "Orphan"))
		w.engine.kind.Protected = func(*v1alpha1.ServiceUser) bool { return true }
		w.settle()
		assert.True(t, w.gone())
	})
	t.Run("Orphan needs no token", func(t *testing.T) {
		w := newDying(t, annotated(annotation.Deletion, "Orphan"))
		w.engine.credentials.Default = ""
		w.settle()
		assert.True(t, w.gone())
	})
	t.Run("Delete is the default's name", func(t *testing.T) {
		w := newDying(t, annotated(annotation.Deletion, "Delete"))
		w.deletes(nil)
		w.settle()
		assert.True(t, w.gone())
	})
	for _, value := range []string{"", "delete", "orphan", "Retain"} {
		t.Run("an unknown value deletes nothing: "+value, func(t *testing.T) {
			w := newDying(t, annotated(annotation.Deletion, value))
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, "False/InvalidDeletionPolicy", w.ready())
			assert.Equal(t, "Unknown/Delete", w.condition(condition.LegacyError))
			assert.Len(t, w.events, 1)
			w.settle()
			assert.Empty(t, w.events, "the event is not repeated")
			assert.True(t, ownership.HasFinalizer(w.get()))

			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Deletion) })
			w.deletes(nil)
			w.settle()
			assert.True(t, w.gone())
		})
	}
	t.Run("an unknown value stops an object that lives, too", func(t *testing.T) {
		w := newWorld(t, newUser(annotated(annotation.Deletion, "Retain")))
		w.settle()
		assert.Equal(t, "False/InvalidDeletionPolicy", w.ready())
	})
}

func TestW09_WhatHoldsUpADeletion(t *testing.T) {
	tests := map[string]struct {
		err    error
		ready  string
		wantOK bool
	}{
		"a dependency that the kind knows of": {&deletion.BlockedError{Reason: "delete the pool first"}, "Unknown/DeletionBlocked", true},
		"a 409":                               {answer(409, "the user owns things"), "Unknown/DeletionBlocked", true},
		"a 503":                               {answer(503, "down"), "Unknown/ProgressingWithRetry", false},
		"a 400":                               {answer(400, "no"), "Unknown/ProgressingWithRetry", false},
		"a 401, which another token ends":     {answer(401, "invalid token"), "Unknown/ProgressingWithRetry", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newDying(t)
			w.deletes(tt.err)
			_, err := w.reconcile()
			assert.Equal(t, tt.wantOK, err == nil)
			assert.Equal(t, tt.ready, w.ready())
			assert.True(t, ownership.HasFinalizer(w.get()))
		})
	}
}

func TestW11_ProtectionHoldsUpADeletion(t *testing.T) {
	w := newDying(t)
	protected := true
	w.engine.kind.Protected = func(*v1alpha1.ServiceUser) bool { return protected }
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Zero(t, result.RequeueAfter)
	assert.Equal(t, "False/TerminationProtected", w.ready())
	protected = false
	w.deletes(nil)
	w.settle()
	assert.True(t, w.gone())
}

func TestP19_APauseStopsNoDeletion(t *testing.T) {
	w := newDying(t, annotated(annotation.Paused, "true"))
	w.deletes(nil)
	w.settle()
	assert.True(t, w.gone())
}

func TestW11_ADeletionWithoutATokenWaits(t *testing.T) {
	w := newDying(t)
	w.engine.credentials.Default = ""
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, 5*time.Minute, result.RequeueAfter)
	assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid))
	assert.True(t, ownership.HasFinalizer(w.get()))
}

func TestW11_WhatWasNeverMadeNeedsNoTokenToGo(t *testing.T) {
	never := func(t *testing.T) *world[*v1alpha1.ServiceUser] {
		w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{ownership.FinalizerName} }))
		w.delete()
		return w
	}
	t.Run("the token is missing", func(t *testing.T) {
		w := never(t)
		w.engine.credentials.Default = ""
		w.settle()
		assert.True(t, w.gone())
	})
	t.Run("the token can be none", func(t *testing.T) {
		w := never(t)
		w.engine.credentials.Default = "to ken"
		w.settle()
		assert.True(t, w.gone())
	})
	t.Run("Aiven rejects the token", func(t *testing.T) {
		w := never(t)
		w.deletes(answer(401, "Invalid token"))
		w.settle()
		assert.True(t, w.gone())
	})
	t.Run("but it is asked for with a token that works", func(t *testing.T) {
		w := never(t)
		w.deletes(answer(503, "down"))
		_, err := w.reconcile()
		require.ErrorContains(t, err, "down")
		assert.False(t, w.gone(), "a user may have added the finalizer")
	})
	for name, mark := range map[string]string{
		"a create was tried": annotation.Attempted, "aiven-operator has created it": annotation.Processed,
	} {
		t.Run("and not if "+name, func(t *testing.T) {
			w := newWorld(t, newUser(annotated(mark, "1"), func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{ownership.FinalizerName} }))
			w.delete()
			w.deletes(answer(401, "Invalid token"))
			w.settle()
			assert.Equal(t, "False/AuthFailed", w.condition(condition.AuthValid))
			assert.False(t, w.gone())
		})
	}
}

func TestManagementPolicyObserveOrphans(t *testing.T) {
	w := newDying(t, annotated(annotation.Management, policy.Observe))
	w.settle()
	assert.True(t, w.gone(), "and Aiven was not asked")
}
