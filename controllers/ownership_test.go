package controllers

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// namesake has the identity of newUser, in another namespace.
func namesake(changes ...func(*v1alpha1.ServiceUser)) *v1alpha1.ServiceUser {
	return newUser(append([]func(*v1alpha1.ServiceUser){func(u *v1alpha1.ServiceUser) { u.Namespace, u.UID = "other", "uid-other" }}, changes...)...)
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
		"one that waits is in no other's way (review H4)":    {newUser(aged(time.Hour)), namesake(aged(2 * time.Hour)), false},
		"nor is one with a finalizer of its own (review H4)": {newUser(), namesake(forged, aged(time.Hour)), false},
		"the older of two that own it has it":                {newUser(finalized, aged(time.Hour)), namesake(finalized, aged(2*time.Hour)), true},
		"the younger of two that own it hasn't":              {newUser(finalized, aged(2*time.Hour)), namesake(finalized, aged(time.Hour)), false},
		"who works on it goes before who is older":           {newUser(finalized, aged(time.Hour)), namesake(aged(2 * time.Hour)), false},
		"who works on it goes before who is new":             {newUser(aged(2 * time.Hour)), namesake(finalized, aged(time.Hour)), true},
		"of the same age, one of them has it":                {newUser(aged(0)), namesake(aged(0)), false},
		"an object that only observes has nothing":           {newUser(), namesake(finalized, annotated(annotation.Management, "Observe")), false},
		"and takes nothing":                                  {newUser(annotated(annotation.Management, "Observe")), namesake(finalized), false},
		"another service has its own": {
			newUser(), namesake(finalized, func(u *v1alpha1.ServiceUser) { u.Spec.ServiceName = "other" }), false,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.mine, tc.duplicate)
			w.observes(allWell, nil)
			_, err := w.reconcile()
			require.NoError(t, err)
			if tc.conflict {
				assert.Equal(t, "False/Conflict", w.ready())
				assert.NotContains(t, w.journal, "finalizers")
				return
			}
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
		})
	}
}

func TestWhatAnotherObjectOwnsStaysAtAiven(t *testing.T) {
	t.Run("also in another namespace, which isn't named", func(t *testing.T) {
		w := newWorld(t, newUser(finalized, aged(time.Hour)), namesake(finalized, owning, aged(time.Minute)))
		w.delete()
		_, err := w.reconcile()
		require.NoError(t, err)
		assert.True(t, w.gone())
		require.Len(t, w.events, 1)
		assert.Contains(t, w.events[0], "SkippedDeletionAtAiven")
		assert.NotContains(t, w.events[0], "other/joe")
	})
	for name, duplicate := range map[string]*v1alpha1.ServiceUser{
		"one that is going too":            namesake(finalized),
		"one in another namespace":         namesake(finalized, aged(-time.Hour)),
		"one whose token wasn't accepted":  twin(),
		"one with a finalizer of its own":  twin(forged),
		"one whose token was refused":      twin(token(metav1.ConditionFalse)),
		"one whose spec has changed since": twin(token(metav1.ConditionTrue), func(u *v1alpha1.ServiceUser) { u.Generation = 2 }),
		"one that is paused":               twin(token(metav1.ConditionTrue), annotated(annotation.Paused, "true")),
	} {
		t.Run("but not for "+name, func(t *testing.T) {
			w := newWorld(t, newUser(finalized), duplicate)
			if strings.Contains(name, "going") {
				require.NoError(t, w.cluster.Delete(t.Context(), duplicate))
			}
			w.delete()
			w.deletes(nil).Times(1)
			w.settle()
			assert.True(t, w.gone())
		})
	}
}

// What a deletion leaves at Aiven has an owner before the former one is gone.
func TestAnHeirOwnsTheResourceBeforeTheOwnerIsGone(t *testing.T) {
	for name, tc := range map[string]struct {
		mine, heir *v1alpha1.ServiceUser
	}{
		"one of the namespace whose token was accepted": {newUser(finalized), twin(token(metav1.ConditionTrue))},
		"one of another namespace that the owner names": {newUser(finalized, annotated(annotation.TransferTo, "other/joe")), namesake()},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.mine, tc.heir)
			w.delete()
			fails := errors.New("boom")
			w.before = func(call string) error {
				if call == "status" {
					return fails
				}
				return nil
			}
			_, err := w.reconcile()
			require.ErrorIs(t, err, fails)
			assert.False(t, w.gone(), "no other object owns it yet")

			fails = nil
			_, err = w.reconcile()
			require.NoError(t, err)
			assert.True(t, w.gone())
			heir := &v1alpha1.ServiceUser{}
			require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(tc.heir), heir))
			assert.True(t, ownership.HasFinalizer(heir))
			require.NotNil(t, ownership.Of(heir))
			assert.Equal(t, v1alpha1.ProvenanceAdopted, ownership.Of(heir).Type)
		})
	}
}

// Users can remove a finalizer. Without one, an object that owns the resource, too, would go and leave it at Aiven.
func TestAnotherOwnerHasTheFinalizerBeforeTheDeletionOfOneIsSkipped(t *testing.T) {
	for name, tc := range map[string]struct {
		meanwhile func(w *world[*v1alpha1.ServiceUser], other *v1alpha1.ServiceUser) error
		keeps     bool
	}{
		"it goes on": {nil, true},
		"it has changed meanwhile": {func(w *world[*v1alpha1.ServiceUser], other *v1alpha1.ServiceUser) error {
			metav1.SetMetaDataAnnotation(&other.ObjectMeta, "a", "b")
			return w.cluster.Update(t.Context(), other)
		}, true},
		"it is deleted meanwhile": {func(w *world[*v1alpha1.ServiceUser], other *v1alpha1.ServiceUser) error {
			return w.cluster.Delete(t.Context(), other)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, other := newWorld(t, newUser(finalized, owning, aged(time.Hour)), twin(owning)), twin()
			w.delete()
			if tc.meanwhile != nil {
				w.before = func(string) error {
					w.before = func(string) error { return nil }
					require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(other), other))
					return tc.meanwhile(w, other)
				}
				_, err := w.reconcile()
				require.Error(t, err)
				assert.False(t, w.gone(), "no other object has the finalizer yet")
			}
			if !tc.keeps {
				w.deletes(nil).Times(1)
			}
			w.settle()
			assert.True(t, w.gone())
			if tc.keeps {
				require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(other), other))
				assert.True(t, ownership.HasFinalizer(other))
				assert.Equal(t, v1alpha1.ProvenanceCreated, other.Status.Provenance.Type, "it owns it as before")
			}
		})
	}
}

// What aiven-operator has left isn't corrected because another object goes.
func TestAnHeirThatAivenOperatorHasManagedIsTakenOver(t *testing.T) {
	heir := twin(reconciledByAivenOperator)
	w := newWorld(t, newUser(reconciledByAivenOperator, aged(time.Hour)), heir)
	w.delete()
	w.settle()
	assert.True(t, w.gone())
	w.key = client.ObjectKeyFromObject(heir)
	require.NotNil(t, ownership.Recorded(w.get()))
	assert.Equal(t, v1alpha1.ProvenanceTakenOver, w.get().Status.Provenance.Type)
	w.observes(differs, nil)
	w.settle() // an update would be a call that the mock doesn't expect
	assert.Contains(t, w.condition("Drifted"), condition.ReasonTakenOver)
}

// A typo never deletes a database.
func TestADeletionThatNamesNoUsableHeirIsBlocked(t *testing.T) {
	for name, tc := range map[string]struct {
		names string
		heir  *v1alpha1.ServiceUser
	}{
		"a typo":               {"other/jo", namesake()},
		"one that observes":    {"other/joe", namesake(annotated(annotation.Management, policy.Observe))},
		"another resource":     {"other/joe", namesake(func(u *v1alpha1.ServiceUser) { u.Spec.ServiceName = "other" })},
		"itself":               {"ns/joe", namesake()},
		"also beside a proven": {"other/jo", twin(token(metav1.ConditionTrue))},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(finalized, annotated(annotation.TransferTo, tc.names)), tc.heir)
			w.delete()
			_, err := w.reconcile()
			require.NoError(t, err, "a deletion would be a call that the mock doesn't expect")
			assert.Equal(t, "Unknown/DeletionBlocked", w.ready())
			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.TransferTo) })
			if name != "also beside a proven" {
				w.deletes(nil).Times(1)
			}
			w.settle()
			assert.True(t, w.gone())
		})
	}
}

func TestTheHeirThatIsNamedInherits(t *testing.T) {
	w := newWorld(t, newUser(finalized, annotated(annotation.TransferTo, "other/joe")), twin(token(metav1.ConditionTrue)), namesake())
	w.delete()
	w.settle()
	assert.True(t, w.gone())
	for key, want := range map[string]bool{"other/joe": true, "ns/twin": false} {
		namespace, name, _ := strings.Cut(key, "/")
		heir := &v1alpha1.ServiceUser{}
		require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, heir))
		assert.Equal(t, want, ownership.Owns(heir), key)
	}
}

// The heir may be reconciled while its former owner hands over: its status is about what it was before.
func TestAStatusThatIsUnderWayLeavesTheHeirWhatItWasGiven(t *testing.T) {
	w := newWorld(t, newUser(finalized, aged(time.Hour), annotated(annotation.TransferTo, "other/joe")), namesake())
	w.adoption = policy.Never
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	w.observes(allWell, nil)
	heir, _ := second(w)
	assert.Equal(t, "False/Conflict", readyOf(heir))
	annotated(annotation.Requested, "now")(heir)
	require.NoError(t, w.cluster.Update(t.Context(), heir))
	w.delete()
	w.before = func(call string) error {
		if call == "status" {
			w.before = func(string) error { return nil }
			w.settle()
			assert.True(t, w.gone())
		}
		return nil
	}
	heir, _ = second(w)
	assert.True(t, ownership.IsRecorded(heir))
	heir, _ = second(w)
	assert.True(t, ownership.IsRecorded(heir))
	assert.Equal(t, "True/ReconciliationSucceeded", readyOf(heir))
}

// What an heir owns stays, whatever happens before the former owner is gone.
func TestAHandOverIsNotTakenBack(t *testing.T) {
	for name, tc := range map[string]struct {
		mine, heir *v1alpha1.ServiceUser
		meanwhile  func(mine, heir *v1alpha1.ServiceUser)
	}{
		"the heir is paused": {newUser(finalized), twin(token(metav1.ConditionTrue)), func(_, heir *v1alpha1.ServiceUser) {
			annotated(annotation.Paused, "true")(heir)
		}},
		"the owner names it no longer": {newUser(finalized, annotated(annotation.TransferTo, "other/joe")), namesake(), func(mine, _ *v1alpha1.ServiceUser) {
			delete(mine.Annotations, annotation.TransferTo)
		}},
		"the owner names another one": {newUser(finalized, annotated(annotation.TransferTo, "other/joe")), namesake(), func(mine, _ *v1alpha1.ServiceUser) {
			mine.Annotations[annotation.TransferTo] = "other/jo"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.mine, tc.heir)
			w.delete()
			finalizers := 0
			w.before = func(call string) error {
				if call == "finalizers" {
					if finalizers++; finalizers == 2 { // the heir has it
						return errors.New("boom")
					}
				}
				return nil
			}
			_, err := w.reconcile()
			require.ErrorContains(t, err, "boom")
			mine, heir := w.get(), &v1alpha1.ServiceUser{}
			require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(tc.heir), heir))
			tc.meanwhile(mine, heir)
			require.NoError(t, w.cluster.Update(t.Context(), mine))
			require.NoError(t, w.cluster.Update(t.Context(), heir))
			_, err = w.reconcile()
			require.NoError(t, err, "a deletion would be a call that the mock doesn't expect")
			assert.True(t, w.gone())
		})
	}
}

// forged has what every user can write.
func forged(u *v1alpha1.ServiceUser) {
	u.Finalizers = []string{ownership.FinalizerName}
	for _, name := range []string{annotation.Attempted, annotation.Processed, annotation.Running, annotation.TakenOver} {
		metav1.SetMetaDataAnnotation(&u.ObjectMeta, name, "1")
	}
}

// twin has the identity of newUser, in its namespace.
func twin(changes ...func(*v1alpha1.ServiceUser)) *v1alpha1.ServiceUser {
	return newUser(append([]func(*v1alpha1.ServiceUser){func(u *v1alpha1.ServiceUser) {
		u.Name, u.UID, u.Labels = "twin", "uid-twin", map[string]string{"user": "joe"}
	}}, changes...)...)
}

// token has a status by which its token was accepted, or refused.
func token(status metav1.ConditionStatus) func(*v1alpha1.ServiceUser) {
	return func(u *v1alpha1.ServiceUser) {
		u.Status.Conditions = []metav1.Condition{{Type: condition.AuthValid, Status: status, ObservedGeneration: 1, Reason: "x", LastTransitionTime: metav1.Now()}}
	}
}

func TestServicesOfAllKindsShareTheirNames(t *testing.T) {
	pg := &v1alpha1.PostgreSQL{ObjectMeta: named("main")}
	kafka := &v1alpha1.Kafka{ObjectMeta: named("main")}
	kafka.UID, kafka.CreationTimestamp = "older", metav1.NewTime(time.Unix(1, 0))
	kafka.Status.Provenance = ownership.Created(kafka)
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

// An object without an identity would own its whole service, or share its resource with another object.
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
