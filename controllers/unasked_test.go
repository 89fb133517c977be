package controllers

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// fails makes the next write of a certain kind fail, and none after it.
func (w *world[T]) fails(call string) {
	failed := false
	w.before = func(next string) error {
		if next != call || failed {
			return nil
		}
		failed = true
		return errors.New("not stored")
	}
}

// failsAfter makes the second write of a certain kind fail, and none after it.
func (w *world[T]) failsAfter(call string) {
	writes := 0
	w.before = func(next string) error {
		if next == call {
			writes++
		}
		if next != call || writes != 2 {
			return nil
		}
		return errors.New("not stored")
	}
}

// A write in Kubernetes that comes before the call may fail: Aiven has accepted nothing then.
func TestASpecThatAivenWasNotAskedForIsNotAccepted(t *testing.T) {
	w, s := newReviewed(t, policy.HoldAll, nil)
	w.settle()
	require.Equal(t, "1", w.processed())

	s.differs = bothChanges()
	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation, u.Finalizers = 2, nil })
	w.fails("finalizers")
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Equal(t, "1", w.processed())
	assert.False(t, status.Accepted(w.get().GetCommonStatus(), 2))
	w.settle()
	w.settle()
	assert.Empty(t, s.updated, "an accepted one would be corrected without approval")
	assert.Equal(t, "Unknown/AwaitingApproval", w.ready())

	pending := w.pending()
	w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = nil })
	w.fails("finalizers")
	_, err = w.reconcile()
	require.Error(t, err)
	assert.Equal(t, pending, w.pending(), "it still waits")
	assert.Equal(t, "True/AwaitingApproval", w.condition(condition.ChangesPending))
	w.settle()
	w.settle()
	assert.Empty(t, s.updated)
}

func TestWhatAnAdoptionSendsIsSentAlthoughItsRecordFailsAtFirst(t *testing.T) {
	w := newWriteOnly(t)
	w.fails("status")
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Empty(t, w.processed())
	w.updates(allWell, nil).Times(1)
	w.settle()
	w.settle()
}

func TestDriftStaysShownWhileNothingCanBeStored(t *testing.T) {
	w, _ := newReviewed(t, policy.Auto, bothChanges(), annotated(annotation.Drift, "Report"))
	w.settle()
	require.Len(t, w.get().Status.Drift, 2)
	w.edit(func(u *v1alpha1.ServiceUser) { u.Finalizers = nil })
	w.fails("finalizers")
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Len(t, w.get().Status.Drift, 2)
	assert.Equal(t, "True/ReportOnly", w.condition(condition.Drifted))
	assert.Equal(t, "True/Published", w.condition(condition.SecretReady))
	for _, event := range w.events {
		assert.NotContains(t, event, "Drift is gone")
	}
}

func projectVPC(uid types.UID, ready metav1.ConditionStatus) *v1alpha1.ProjectVPC {
	vpc := &v1alpha1.ProjectVPC{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "main", UID: uid, Generation: 1}}
	vpc.Status.ID = "id-of-" + string(uid)
	vpc.Status.Conditions = []metav1.Condition{{Type: condition.Ready, Status: ready, Reason: "Any", ObservedGeneration: 1}}
	return vpc
}

// A reference to another object of the same name is a change that the generation doesn't show. What shows drift only makes it no accepted one.
func TestAnotherReferentStillWaitsForApprovalAfterItWasOnlyReported(t *testing.T) {
	for name, tc := range map[string]struct{ before, unready, absent, createOnly, unshown bool }{
		"it waits already":                {before: true},
		"it is replaced meanwhile":        {},
		"it is replaced, and isn't ready": {unready: true},
		"it is gone for a while":          {absent: true},
		"it waits, and isn't shown":       {before: true, unshown: true},
		"it is replaced, and isn't shown": {unshown: true},
		"it was needed to create only":    {createOnly: true},
		"so it was, and is gone":          {createOnly: true, absent: true},
		"so it was, and isn't ready":      {createOnly: true, unready: true},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newReviewed(t, policy.HoldAll, nil)
			w.engine.kind.References = []reference.Declaration{{
				Name: "ProjectVPC", Kind: v1alpha1.GroupVersion.WithKind("ProjectVPC"), Field: "spec.projectVPCRef", CreateOnly: tc.createOnly,
				Targets: func(client.Object) []reference.Target {
					return []reference.Target{{NamespacedName: types.NamespacedName{Name: "main"}}}
				},
			}}
			require.NoError(t, w.cluster.Create(t.Context(), projectVPC("one", metav1.ConditionTrue)))
			w.settle()
			require.Equal(t, "1", w.processed())
			replace := func() {
				require.NoError(t, w.cluster.Delete(t.Context(), projectVPC("one", metav1.ConditionTrue)))
				if tc.absent {
					w.settle()
				}
				if tc.unready {
					require.NoError(t, w.cluster.Create(t.Context(), projectVPC("two", metav1.ConditionFalse)))
					w.settle()
					require.NoError(t, w.cluster.Delete(t.Context(), projectVPC("two", metav1.ConditionFalse)))
				}
				require.NoError(t, w.cluster.Create(t.Context(), projectVPC("two", metav1.ConditionTrue)))
				s.differs = Diff{{Path: "spec.projectVPCRef", Wanted: "two", Found: "one"}}
				if tc.unshown {
					s.unshown = true
					w.settle()
					s.unshown = false
				}
				w.settle()
			}
			if tc.before {
				replace()
				require.NotNil(t, w.pending())
			}
			w.edit(annotated(annotation.Drift, "Report"))
			w.settle()
			if !tc.before {
				replace()
			}
			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Drift) })
			w.settle()
			w.settle()
			assert.Empty(t, s.updated)
			assert.Equal(t, "Unknown/AwaitingApproval", w.ready())

			approvePending(t, w)
			assert.Len(t, s.updated, 1)
			refs := w.get().Status.ResolvedRefs
			require.Len(t, refs, 1)
			assert.EqualValues(t, "two", refs[0].UID)
			s.differs = bothChanges()
			w.settle()
			assert.Len(t, s.updated, 2, "a change at the console is corrected as before")
		})
	}
}

// Within the lag of Aiven after a write, it isn't known how a resource differs.
func TestWhatAivenDoesNotShowYetIsNotCompared(t *testing.T) {
	w, s := newReviewed(t, policy.Auto, bothChanges(), annotated(annotation.Drift, "Report"))
	s.unshown = true
	w.settle()
	assert.Empty(t, w.processed(), "nothing was asked for")
	assert.False(t, status.Accepted(w.get().GetCommonStatus(), 1))
	s.unshown = false
	w.settle()
	require.Len(t, w.get().Status.Drift, 2)
	w.edit(func(*v1alpha1.ServiceUser) { s.unshown = true })
	w.settle()
	assert.Len(t, w.get().Status.Drift, 2)
	assert.Equal(t, "True/ReportOnly", w.condition(condition.Drifted))
	for _, event := range w.events {
		assert.NotContains(t, event, "Drift is gone")
	}

	w, s = newReviewed(t, policy.HoldAll, bothChanges())
	w.settle()
	require.NotNil(t, w.pending())
	s.unshown = true
	w.settle()
	assert.NotNil(t, w.pending())
	assert.Equal(t, "True/AwaitingApproval", w.condition(condition.ChangesPending))
}

// controller-runtime recovers a panic, and the operator goes on. The answer that it was about may be of a resource that was created.
func TestWhatWasCreatedBeforeAPanicIsTheObjects(t *testing.T) {
	w := newCautious(t)
	w.observes(nothing, nil).Times(1)
	w.aiven.EXPECT().Create(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
		panic("an odd answer")
	})
	assert.Panics(t, func() { _, _ = w.reconcile() })
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, v1alpha1.ProvenanceCreated, w.get().Status.Provenance.Type)
}

// A read that is cached may not show yet what was created.
func TestWhatWasCreatedBeforeAPanicIsTheObjectsAlsoIfTheNextCreationIsRefused(t *testing.T) {
	w := newCautious(t)
	w.observes(nothing, nil).Times(2)
	attempts := 0
	w.aiven.EXPECT().Create(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
		if attempts++; attempts == 1 {
			panic("an odd answer")
		}
		return Observation{}, answer(409, "Service user already exists")
	}).Times(2)
	assert.Panics(t, func() { _, _ = w.reconcile() })
	w.observes(allWell, nil)
	w.settle()
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, v1alpha1.ProvenanceCreated, w.get().Status.Provenance.Type)
}
