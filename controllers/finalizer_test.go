package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

const theirs = "example.com/theirs"

// changeBefore changes the object right before our first write of finalizers.
func changeBefore(w *world[*v1alpha1.ServiceUser], change func()) {
	done := false
	w.before = func(call string) error {
		if call == "finalizers" && !done {
			done = true
			change()
		}
		return nil
	}
}

func TestW03_FinalizersOfOthersSurvive(t *testing.T) {
	t.Run("while ours is added", func(t *testing.T) {
		w := newWorld(t, newUser())
		changeBefore(w, func() { w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{theirs} }) })
		w.observes(allWell, nil)
		w.settle()
		assert.ElementsMatch(t, []string{theirs, ownership.FinalizerName}, w.get().Finalizers)
	})
	t.Run("while ours is removed", func(t *testing.T) {
		w := newDying(t, func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{theirs} })
		changeBefore(w, func() { w.edit(func(u *v1alpha1.ServiceUser) { u.Labels = map[string]string{"a": "b"} }) })
		w.deletes(nil)
		w.settle()
		assert.Equal(t, []string{theirs}, w.get().Finalizers)
		assert.Equal(t, v1alpha1.PhaseNotAvailable, w.get().Status.Phase)
	})
	t.Run("and do not come back once they are gone", func(t *testing.T) {
		w := newDying(t, func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{theirs, "example.com/other"} })
		changeBefore(w, func() {
			w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{theirs, ownership.FinalizerName} })
		})
		w.deletes(nil)
		w.settle()
		assert.Equal(t, []string{theirs}, w.get().Finalizers)
	})
}

func TestW05_TheFinalizerOfAnObjectThatVanished(t *testing.T) {
	vanish := func(w *world[*v1alpha1.ServiceUser]) func() {
		return func() { w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = nil }) }
	}
	t.Run("need not be removed", func(t *testing.T) {
		w := newDying(t)
		changeBefore(w, vanish(w))
		w.deletes(nil)
		_, err := w.reconcile()
		require.NoError(t, err)
		assert.True(t, w.gone())
	})
	t.Run("is not thought to protect its successor", func(t *testing.T) {
		w := newWorld(t, newUser())
		w.observes(nothing, nil)
		changeBefore(w, func() {
			w.delete()
			require.NoError(t, w.cluster.Create(t.Context(), newUser(func(u *v1alpha1.ServiceUser) { u.UID = types.UID("another") })))
		})
		_, err := w.reconcile()
		require.NoError(t, err, "the successor is reconciled next")
		assert.NotContains(t, w.journal, "aiven create", "W06: a create without a finalizer could leak")
	})
}

func TestW04_AConflictIsTriedAgain(t *testing.T) {
	w := newWorld(t, newUser())
	conflicts := 0
	w.before = func(call string) error {
		if call == "finalizers" && conflicts < 2 {
			conflicts++
			return apierrors.NewConflict(schema.GroupResource{Resource: "serviceusers"}, "joe", nil)
		}
		return nil
	}
	w.observes(allWell, nil)
	w.settle()
	assert.True(t, ownership.HasFinalizer(w.get()))
}

func TestWhatAivenHasRefusedToCreateIsNotCleanedUp(t *testing.T) {
	for name, tc := range map[string]struct {
		err       error
		before    func(*v1alpha1.ServiceUser)
		withdrawn bool
	}{
		"a 400":                                {err: answer(400, "no"), withdrawn: true},
		"a 404 of what it names":               {err: answer(404, "no such account"), withdrawn: true},
		"a 422":                                {err: answer(422, "invalid schema"), withdrawn: true},
		"a 401":                                {err: answer(401, "Invalid token"), withdrawn: true},
		"a 403":                                {err: answer(403, "not allowed"), withdrawn: true},
		"a 409, which another attempt may end": {err: answer(409, "busy")},
		"a 503":                                {err: answer(503, "down")},
		"an answer that is lost":               {err: errors.New("EOF")},
		"a 400 after an earlier attempt":       {err: answer(400, "no"), before: finalized},
		"a 400 for what was managed before":    {err: answer(400, "no"), before: owning},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(func(u *v1alpha1.ServiceUser) { u.Finalizers = []string{theirs} })
			if tc.before != nil {
				tc.before(u)
			}
			w := newWorld(t, u)
			w.observes(nothing, nil)
			w.creates(Observation{}, tc.err).Times(2)
			for range 2 {
				_, _ = w.reconcile()
				got := w.get()
				assert.Equal(t, !tc.withdrawn, ownership.HasFinalizer(got))
				assert.Equal(t, !tc.withdrawn, ownership.Attempted(got))
				assert.Contains(t, got.Finalizers, theirs)
			}
		})
	}
	t.Run("and one that can't be written to is deleted as usual", func(t *testing.T) {
		w := newWorld(t, newUser())
		writes := 0
		w.before = func(call string) error {
			if writes++; call == "finalizers" && writes > 1 {
				return errors.New("boom")
			}
			return nil
		}
		w.observes(nothing, nil)
		w.creates(Observation{}, answer(400, "no"))
		_, _ = w.reconcile()
		assert.True(t, ownership.HasFinalizer(w.get()))
	})
}

// Aiven limits the rate of calls at first: nothing that this process has tried can have created it.
func TestACreateThatIsRefusedInTheEndIsWithdrawn(t *testing.T) {
	for name, tc := range map[string]struct {
		first     error
		withdrawn bool
	}{
		"after a 429":                  {answer(429, "later"), true},
		"after a 409":                  {answer(409, "busy"), true},
		"after an answer that is lost": {errors.New("EOF"), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser())
			w.observes(nothing, nil)
			w.creates(Observation{}, tc.first).Times(1)
			_, _ = w.reconcile()
			assert.True(t, ownership.HasFinalizer(w.get()))
			w.creates(Observation{}, answer(400, "no")).Times(1)
			_, _ = w.reconcile()
			assert.Equal(t, !tc.withdrawn, ownership.HasFinalizer(w.get()))
			assert.Equal(t, !tc.withdrawn, ownership.Attempted(w.get()))
		})
	}
}

// A previous leader may have begun, and been killed before Aiven's answer: what it may have created isn't created again, nor
// taken for refused.
func TestACreateThatAnotherProcessHasBegunIsNotRepeatedByAStaleCopy(t *testing.T) {
	w := newWorld(t, newUser())
	changeBefore(w, func() { w.edit(func(u *v1alpha1.ServiceUser) { ownership.Begin(u, true) }) })
	w.observes(nothing, nil)
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.True(t, ownership.HasFinalizer(w.get()))
	assert.True(t, ownership.Attempted(w.get()))
	assert.NotContains(t, w.journal, "aiven create")
}

func TestWhatAnotherProcessGotAcceptedIsNotTakenBack(t *testing.T) {
	for name, made := range map[string]func(t *testing.T, w *world[*v1alpha1.ServiceUser]){
		"all of it was accepted": func(_ *testing.T, w *world[*v1alpha1.ServiceUser]) {
			w.edit(func(u *v1alpha1.ServiceUser) { u.Annotations[annotation.Processed] = "1" })
		},
		"a part of it waits for its turn": func(t *testing.T, w *world[*v1alpha1.ServiceUser]) {
			u := w.get()
			u.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: u.UID}
			require.NoError(t, w.cluster.Status().Update(t.Context(), u))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser())
			w.observes(nothing, nil)
			w.before = func(call string) error {
				if call == "aiven create" {
					made(t, w)
				}
				return nil
			}
			w.creates(Observation{}, answer(402, "no more services in this project")).AnyTimes()
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.True(t, ownership.HasFinalizer(w.get()))
		})
	}
}
