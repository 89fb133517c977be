package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// reconciledByAivenOperator is the state in which aiven-operator leaves an object that is in sync.
func reconciledByAivenOperator(user *v1alpha1.ServiceUser) {
	user.Annotations = map[string]string{annotation.Processed: "1", annotation.Running: "true"}
	user.Finalizers = []string{ownership.FinalizerName}
	user.Status.ObservedGeneration = 0
	user.Status.Conditions = []metav1.Condition{
		{Type: "Running", Status: metav1.ConditionTrue, Reason: "CheckRunning", LastTransitionTime: metav1.Now()},
	}
}

func reports(user *v1alpha1.ServiceUser) {
	user.Annotations = map[string]string{annotation.Drift: status.DriftReport}
}

func TestWhatDiffersIsLeftAloneWhereThatIsAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		made   func(*v1alpha1.ServiceUser)
		reason string
	}{
		"an object of aiven-operator whose spec is unchanged": {reconciledByAivenOperator, condition.ReasonTakenOver},
		"the policy Report": {reports, condition.ReasonReportOnly},
		"a policy with a typo": {func(user *v1alpha1.ServiceUser) {
			user.Annotations = map[string]string{annotation.Drift: "report"}
		}, condition.ReasonReportOnly},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(c.made))
			w.observes(differs, nil)
			for range 3 { // an update would be a call that the mock doesn't expect
				_, err := w.reconcile()
				require.NoError(t, err)
			}
			user := w.get()
			drifted := meta.FindStatusCondition(user.Status.Conditions, condition.Drifted)
			require.NotNil(t, drifted)
			assert.Equal(t, c.reason, drifted.Reason)
			assert.Contains(t, drifted.Message, "spec.authentication")
			assert.Equal(t, differs.Diff.Entries(), user.Status.Drift)
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
			require.Len(t, w.events, 1, "one event")
			assert.Contains(t, w.events[0], "Warning DriftDetected")
		})
	}
}

func TestWhatDiffersIsRepairedOnceAUserDecides(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.ServiceUser){
		"the annotation is Correct": func(user *v1alpha1.ServiceUser) {
			user.Annotations[annotation.Drift] = status.DriftCorrect
		},
		"the spec is changed": func(user *v1alpha1.ServiceUser) { user.Generation++ },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(reconciledByAivenOperator))
			w.observes(differs, nil)
			_, err := w.reconcile()
			require.NoError(t, err)
			user := w.get()
			change(user)
			require.NoError(t, w.cluster.Update(t.Context(), user))
			w.updates(allWell, nil).Times(1)
			_, err = w.reconcile()
			require.NoError(t, err)
			assert.Nil(t, meta.FindStatusCondition(w.get().Status.Conditions, condition.Drifted))
			assert.Empty(t, w.get().Status.Drift)
		})
	}
}

func TestATakeoverIsRememberedAlthoughTheFirstObservationFails(t *testing.T) {
	w := newWorld(t, newUser(reconciledByAivenOperator))
	w.observes(Observation{}, answer(503, "down")).Times(1)
	_, err := w.reconcile()
	require.Error(t, err)
	w.observes(differs, nil)
	_, err = w.reconcile()
	require.NoError(t, err, "an update would be a call that the mock doesn't expect")
	assert.True(t, meta.IsStatusConditionTrue(w.get().Status.Conditions, condition.Drifted))
}

func TestATakeoverIsRememberedAlthoughItsMarkCouldNotBeWritten(t *testing.T) {
	w := newWorld(t, newUser(reconciledByAivenOperator))
	w.observes(differs, nil)
	w.before = func(call string) error {
		if call == "annotations" {
			return errors.New("boom")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "boom")
	assert.Equal(t, v1alpha1.CommonStatus{Conditions: w.get().Status.Conditions[:1]}, w.get().Status.CommonStatus, "still that of aiven-operator")
	w.before = func(string) error { return nil }
	w.settle()
	assert.True(t, meta.IsStatusConditionTrue(w.get().Status.Conditions, condition.Drifted))
	assert.Equal(t, "1", w.get().Annotations[annotation.TakenOver])
	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.TakenOver) })
	w.updates(allWell, nil).Times(1)
	w.settle()
	assert.NotContains(t, w.get().Annotations, annotation.TakenOver, "which a user has removed")
}

func TestANewObjectIsNotTakenForOneOfAivenOperator(t *testing.T) {
	user := newUser()
	assert.False(t, ownership.IsTakeover(user), "it was never reconciled")
	user.Annotations = map[string]string{annotation.Processed: "1"}
	assert.False(t, ownership.IsTakeover(user), "we were stopped between the annotations and the status")
}

func TestAnUpdateThatChangesNothingIsSentTwice(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(differs, nil).Times(4)
	onItsWay := Observation{Services: runs, Remote: status.Remote{Exists: true}}
	w.updates(onItsWay, nil).Times(2)
	for range 4 {
		_, err := w.reconcile()
		require.NoError(t, err)
	}
	drifted := meta.FindStatusCondition(w.get().Status.Conditions, condition.Drifted)
	require.NotNil(t, drifted)
	assert.Equal(t, condition.ReasonNotConverging, drifted.Reason)
	last := w.events[len(w.events)-1]
	assert.Contains(t, last, "Warning DriftNotConverging")

	changed := differs
	changed.Diff = nil
	changed.Diff.Add("spec.authentication", "a", "c")
	w.observes(changed, nil)
	w.updates(allWell, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Nil(t, meta.FindStatusCondition(w.get().Status.Conditions, condition.Drifted), "the value at Aiven has changed")
}

// aiven-operator keeps annotations and conditions that it doesn't know, and drops other fields of the status.
func TestAnObjectIsTakenOverOnceMore(t *testing.T) {
	for name, before := range map[string]func(*v1alpha1.ServiceUser){
		"that was created here, and managed by aiven-operator since": func(u *v1alpha1.ServiceUser) {
			policy.Annotate(u, annotation.Attempted, string(u.UID))
		},
		"that had been taken over, and went back": func(u *v1alpha1.ServiceUser) {
			policy.Annotate(u, annotation.TakenOver, "1")
			meta.SetStatusCondition(&u.Status.Conditions, metav1.Condition{Type: condition.Ready, Status: metav1.ConditionTrue, Reason: "ReconciliationSucceeded"})
		},
	} {
		for _, adoption := range []string{policy.Never, policy.AdoptOrCreate} {
			t.Run(name+", "+adoption, func(t *testing.T) {
				w := newWorld(t, newUser(reconciledByAivenOperator, before))
				w.adoption = adoption
				w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
				w.observes(differs, nil)
				for range 3 { // an update would be a call that the mock doesn't expect
					_, err := w.reconcile()
					require.NoError(t, err)
				}
				assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
				assert.Equal(t, v1alpha1.ProvenanceTakenOver, w.get().Status.Provenance.Type)
				assert.Contains(t, w.condition("Drifted"), condition.ReasonTakenOver)
			})
		}
	}
}
