package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// second reconciles the namesake, and returns it.
func second(w *world[*v1alpha1.ServiceUser]) (*v1alpha1.ServiceUser, reconcile.Result) {
	w.t.Helper()
	key := client.ObjectKeyFromObject(namesake())
	result, err := w.engine.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: key})
	require.NoError(w.t, err)
	obj := &v1alpha1.ServiceUser{}
	require.NoError(w.t, w.cluster.Get(w.t.Context(), key, obj))
	return obj, result
}

func readyOf(obj *v1alpha1.ServiceUser) string {
	c := meta.FindStatusCondition(obj.Status.Conditions, condition.Ready)
	return string(c.Status) + "/" + c.Reason
}

// What an object has begun, and doesn't go on with, is in no other's way; when it does again, the resource is the other one's.
func TestReviewH4_AnAttemptThatDoesNotGoOnIsInNoOthersWay(t *testing.T) {
	for name, tc := range map[string]struct {
		answer        error
		stops, resume func(*v1alpha1.ServiceUser)
	}{
		"it is paused after a 429": {
			answer(429, "later"), annotated(annotation.Paused, "true"), func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) },
		},
		"it is paused after an answer that was lost": {
			answer(502, "oops"), annotated(annotation.Paused, "true"), func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) },
		},
		"its token is gone": {
			answer(502, "oops"), func(u *v1alpha1.ServiceUser) {
				u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "gone", Key: "token"}
			},
			func(u *v1alpha1.ServiceUser) { u.Spec.AuthSecretRef = nil },
		},
		"its token was refused": {answer(401, "Invalid token"), func(*v1alpha1.ServiceUser) {}, func(*v1alpha1.ServiceUser) {}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(aged(time.Hour)), namesake(aged(time.Minute)))
			w.adoption = policy.Never
			w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			call := w.observes(nothing, nil)
			w.creates(Observation{}, tc.answer).Times(1)
			_, _ = w.reconcile()
			if name != "its token was refused" {
				other, result := second(w)
				assert.Equal(t, "False/Conflict", readyOf(other), "it goes on")
				assert.GreaterOrEqual(t, result.RequeueAfter, w.engine.timings.RequeueAsync)
			}
			w.edit(tc.stops)
			if name != "its token was refused" {
				w.settle()
			}
			w.creates(allWell, nil).Times(1)
			other, _ := second(w)
			assert.Equal(t, "True/ReconciliationSucceeded", readyOf(other))
			assert.True(t, ownership.IsRecorded(other))

			call.Return(allWell, nil)
			w.edit(tc.resume)
			w.settle()
			assert.Equal(t, "False/Conflict", w.ready(), "what the other one has created isn't its own")
			assert.False(t, ownership.IsRecorded(w.get()))
			w.delete()
			w.settle() // a deletion at Aiven would be a call that the mock doesn't expect
			assert.True(t, w.gone())
		})
	}
}

// The one that stopped may resume, or be deleted, while the creation of the other one is under way.
func TestReviewH4_AnAttemptThatWasOvertakenIsNotResumed(t *testing.T) {
	w := newWorld(t, newUser(aged(time.Hour)), namesake(aged(time.Minute)))
	w.adoption = policy.Never
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	call := w.observes(nothing, nil)
	w.creates(Observation{}, answer(502, "oops")).Times(1)
	_, _ = w.reconcile()
	w.edit(annotated(annotation.Paused, "true"))
	w.settle()
	w.creates(allWell, nil).Times(1)
	w.before = func(call string) error {
		if call != "aiven create" {
			return nil
		}
		w.before = func(string) error { return nil }
		w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Paused) })
		w.settle() // a creation would be a call that the mock doesn't expect
		assert.Equal(t, "False/Conflict", w.ready())
		w.delete()
		w.settle() // as would a deletion
		assert.Equal(t, "Unknown/DeletionBlocked", w.ready())
		return nil
	}
	other, _ := second(w)
	assert.Equal(t, "True/ReconciliationSucceeded", readyOf(other))
	call.Return(allWell, nil)
	w.settle()
	assert.True(t, w.gone())
	assert.True(t, ownership.IsRecorded(other))
}
