package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// namesake has the identity of newUser, in another namespace.
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
		mine, duplicate *v1alpha1.ServiceUser
		conflict        bool
	}{
		"the older one has it":                     {newUser(aged(time.Hour)), namesake(aged(2 * time.Hour)), true},
		"the younger one hasn't":                   {newUser(aged(2 * time.Hour)), namesake(aged(time.Hour)), false},
		"who works on it goes before who is older": {newUser(finalized, aged(time.Hour)), namesake(aged(2 * time.Hour)), false},
		"who works on it goes before who is new":   {newUser(aged(2 * time.Hour)), namesake(finalized, aged(time.Hour)), true},
		"of the same age, one of them has it":      {newUser(aged(0)), namesake(aged(0)), false},
		"an object that only observes has nothing": {newUser(), namesake(finalized, annotated(annotation.Management, "Observe")), false},
		"and takes nothing":                        {newUser(annotated(annotation.Management, "Observe")), namesake(finalized), false},
		"another service has its own": {
			newUser(), namesake(finalized, func(u *v1alpha1.ServiceUser) { u.Spec.ServiceName = "other" }), false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.mine, tc.duplicate)
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

func TestWhatAnotherObjectManagesStaysAtAiven(t *testing.T) {
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
		duplicate := namesake(finalized)
		w := newWorld(t, newUser(finalized), duplicate)
		require.NoError(t, w.cluster.Delete(t.Context(), duplicate))
		w.delete()
		w.deletes(nil).Times(1)
		w.settle()
		assert.True(t, w.gone())
	})
}

func TestServicesOfAllKindsShareTheirNames(t *testing.T) {
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("main")}
	kafka := &v1alpha1.Kafka{ObjectMeta: named("main")}
	kafka.UID, kafka.CreationTimestamp = "older", metav1.NewTime(time.Unix(1, 0))
	pg.CreationTimestamp = metav1.NewTime(time.Unix(2, 0))
	w := newWorld(t, pg, kafka)
	kafkas := Kind[*v1alpha1.Kafka]{
		Object: &v1alpha1.Kafka{}, IsService: true, Identity: func(*v1alpha1.Kafka) Identity { return Identity{Group: "service"} },
		Services: func(obj *v1alpha1.Kafka) []aiven.ServiceKey {
			return []aiven.ServiceKey{{Project: "prj", Service: obj.Name}}
		},
	}
	cluster := fake.NewClientBuilder().WithScheme(w.cluster.Scheme()).WithObjects(kafka).
		WithIndex(&v1alpha1.Kafka{}, ownership.Index, kafkas.shape(enqueue.Lister{}).IdentityIndex).Build()
	w.engine.identities.Add("service", enqueue.Lister{
		Reader: cluster, Kind: v1alpha1.GroupVersion.WithKind("Kafka"), Scheme: w.cluster.Scheme(),
	})
	w.settle()
	assert.Equal(t, "False/Conflict", w.ready())
}

func TestAKindWithoutAnIdentityIsRefused(t *testing.T) {
	assert.ErrorContains(t, Kind[*v1alpha1.Database]{Object: newDatabase()}.register(&setup{}), "Database has no Identity")
}

// An object without an identity would claim its whole service, or share its resource with another object.
func TestAnObjectWithoutAnIdentityIsLeftAlone(t *testing.T) {
	for name, gone := range map[string]bool{"observed": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(finalized))
			w.kind.Identity = func(*v1alpha1.ServiceUser) Identity { return Identity{} }
			w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			if gone {
				w.delete()
			}
			_, err := w.reconcile()
			require.ErrorContains(t, err, "ServiceUser")
			require.ErrorContains(t, err, "Identity")
			assert.True(t, ownership.HasFinalizer(w.get()))
			assert.Equal(t, "Unknown/ProgressingWithRetry", w.ready())
		})
	}
}
