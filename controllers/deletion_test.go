package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// finalized makes an object one that a create was tried for.
func finalized(u *v1alpha1.ServiceUser) {
	u.Finalizers = append(u.Finalizers, ownership.FinalizerName)
	policy.Annotate(u, annotation.Attempted, string(u.UID))
}

// owning has a recorded provenance, without a finalizer.
func owning(u *v1alpha1.ServiceUser) {
	u.Status.Provenance = ownership.Created(u)
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

func TestNoStatusIsWrittenToWhatComesAfterAnObject(t *testing.T) {
	for name, test := range map[string]struct {
		others []string
		writes []string
	}{
		"it goes with the finalizer":         {writes: []string{"aiven delete", "finalizers"}},
		"another finalizer keeps the object": {others: []string{"example.com/other"}, writes: []string{"aiven delete", "finalizers", "status"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDying(t, func(u *v1alpha1.ServiceUser) { u.Finalizers = append(u.Finalizers, test.others...) })
			w.deletes(nil)
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, test.writes, w.journal)
		})
	}
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
		w.engine.credentials.Default = credentials.NewDefault("")
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
	w.engine.credentials.Default = credentials.NewDefault("")
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, 5*time.Minute, result.RequeueAfter)
	assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid))
	assert.True(t, ownership.HasFinalizer(w.get()))
}

// Every user can set a finalizer and annotations, so that they give no permission to anything at Aiven.
func TestW11_WhatOwnsNothingGoesWithoutACall(t *testing.T) {
	finalizer := func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{ownership.FinalizerName} }
	for name, mark := range map[string]func(*v1alpha1.ServiceUser){
		"a finalizer alone":          func(*v1alpha1.ServiceUser) {},
		"the mark of another object": annotated(annotation.Attempted, "uid-other"),
		"the mark of before":         annotated(annotation.Attempted, "true"),
		"a mark of aiven-operator":   annotated(annotation.Processed, "1"),
		"a mark of a takeover":       annotated(annotation.TakenOver, "1"),
		"a copy of another status":   func(u *v1alpha1.ServiceUser) { u.Status.Provenance = ownership.Created(namesake()) },
	} {
		for token, value := range map[string]string{"and a token": "token", "and no token": ""} {
			t.Run(name+" "+token, func(t *testing.T) {
				w := newWorld(t, newUser(finalizer, mark))
				w.engine.credentials.Default = credentials.NewDefault(value)
				w.delete()
				_, err := w.reconcile()
				require.NoError(t, err, "a call of Delete would be one that the mock doesn't expect")
				assert.True(t, w.gone())
				require.Len(t, w.events, 1)
				assert.Contains(t, w.events[0], "SkippedDeletionAtAiven")
			})
		}
	}
	for name, proof := range map[string]func(*v1alpha1.ServiceUser){"its creation was attempted": finalized, "it is recorded": owning} {
		t.Run("but not if "+name, func(t *testing.T) {
			w := newWorld(t, newUser(finalizer, proof))
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
