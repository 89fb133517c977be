package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// namesake stands for the same user as newUser, from another namespace.
func namesake(changes ...func(*v1alpha1.ServiceUser)) *v1alpha1.ServiceUser {
	other := newUser(changes...)
	other.Namespace, other.UID = "other", "uid-other"
	return other
}

func aged(d time.Duration) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) {
		u.CreationTimestamp = metav1.NewTime(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Add(-d))
	}
}

func TestOneThingAtAivenIsOneObjects(t *testing.T) {
	cases := map[string]struct {
		mine, rival *v1alpha1.ServiceUser
		conflict    bool
	}{
		"the older one has it":                     {newUser(aged(time.Hour)), namesake(aged(2 * time.Hour)), true},
		"the younger one hasn't":                   {newUser(aged(2 * time.Hour)), namesake(aged(time.Hour)), false},
		"who works on it goes before who is older": {newUser(finalized, aged(time.Hour)), namesake(aged(2 * time.Hour)), false},
		"who works on it goes before who is new":   {newUser(aged(2 * time.Hour)), namesake(finalized, aged(time.Hour)), true},
		"of the same age, somebody has it":         {newUser(aged(0)), namesake(aged(0)), false},
		"an object that only looks on has nothing": {newUser(), namesake(finalized, annotated(annotation.Management, "Observe")), false},
		"and takes nothing":                        {newUser(annotated(annotation.Management, "Observe")), namesake(finalized), false},
		"another service has its own": {
			newUser(), namesake(finalized, func(u *v1alpha1.ServiceUser) { u.Spec.ServiceName = "other" }), false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.mine, tc.rival)
			w.observes(allWell, nil)
			w.settle()
			if tc.conflict {
				assert.Equal(t, "False/Conflict", w.ready())
				assert.Empty(t, w.get().Finalizers)
				return
			}
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
		})
	}
}

func TestWhatAnotherObjectStandsForStaysAtAiven(t *testing.T) {
	for name, mine := range map[string]*v1alpha1.ServiceUser{
		"the second goes": newUser(finalized, aged(time.Hour)), "the first goes": newUser(finalized, aged(3*time.Hour)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, mine, namesake(finalized, aged(2*time.Hour)))
			w.delete()
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.True(t, w.gone())
			require.Len(t, w.events, 1)
			assert.Contains(t, w.events[0], "SkippedDeletionAtAiven")
			assert.Contains(t, w.events[0], "ServiceUser other/joe")
		})
	}
	t.Run("unless that one is going too", func(t *testing.T) {
		rival := namesake(finalized)
		w := newWorld(t, newUser(finalized), rival)
		require.NoError(t, w.cluster.Delete(t.Context(), rival))
		w.delete()
		w.deletes(nil).Times(1)
		w.settle()
		assert.True(t, w.gone())
	})
}

func TestWhatAKindStandsFor(t *testing.T) {
	network := Kind[*v1alpha1.Database]{Object: newDatabase(), Claim: func(*v1alpha1.Database) string { return "its own words" }}
	assert.Equal(t, "its own words", network.identity(newDatabase()))
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("pg")}
	pg.Spec.Project = "prj"
	assert.Equal(t, "prj/pg", Kind[*v1alpha1.PostgreSQL]{Object: pg}.identity(pg), "a service stands for itself")
	assert.Equal(t, []string{"prj/pg"}, Kind[*v1alpha1.PostgreSQL]{Object: pg}.identityIndex(pg))
	policy.Annotate(pg, annotation.Management, policy.Observe)
	assert.Empty(t, Kind[*v1alpha1.PostgreSQL]{Object: pg}.identityIndex(pg))
}
