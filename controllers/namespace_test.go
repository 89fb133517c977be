package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// sets gives the Namespace annotations: name, value, name, value…
func sets(w *world[*v1alpha1.ServiceUser], pairs ...string) {
	w.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns", Annotations: map[string]string{}}}
	for i := 0; i < len(pairs); i += 2 {
		ns.Annotations[pairs[i]] = pairs[i+1]
	}
	reader := fake.NewFakeClient(ns)
	w.engine.namespaces = namespace.Reader{Metadata: reader, Live: reader}
}

func TestReviewM11_AProjectThatTheNamespaceDoesNotAllowIsNotUsed(t *testing.T) {
	w := newWorld(t, newUser())
	sets(w, annotation.AllowedProjects, "other")
	result, err := w.reconcile()
	require.NoError(t, err, "an observation would be a call that the mock doesn't expect")
	assert.Equal(t, "False/ProjectNotAllowed", w.ready())
	assert.Empty(t, w.condition(condition.Stalled), "a change of the Namespace helps")
	assert.Equal(t, "Unknown/Unverified", w.condition(condition.AuthValid), "the token isn't used")
	assert.Positive(t, result.RequeueAfter)
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "Warning ProjectNotAllowed")

	sets(w, annotation.AllowedProjects, "other,prj")
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())

	sets(w, annotation.AllowedProjects, "")
	w.settle()
	assert.Equal(t, "False/ProjectNotAllowed", w.ready(), "nothing is read or written")
	w.deletes(nil).Times(1)
	w.delete()
	w.settle()
	assert.True(t, w.gone(), "what it has made is cleaned up all the same")
}

func TestANamespaceThatCannotBeReadStopsEverything(t *testing.T) {
	for name, deletes := range map[string]bool{"a reconcile": false, "a deletion": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(finalized, owning))
			reader := fake.NewFakeClient()
			w.engine.namespaces = namespace.Reader{Metadata: reader, Live: reader}
			if deletes {
				w.delete()
			}
			_, err := w.reconcile()
			require.ErrorContains(t, err, "reading Namespace ns")
			assert.Contains(t, []string{"Unknown/ProgressingWithRetry"}, w.ready())
		})
	}
}

func TestAnObjectFollowsThePoliciesOfItsNamespace(t *testing.T) {
	w := newCautious(t, annotated(annotation.Deletion, policy.Orphan))
	sets(w, annotation.Adoption, policy.Adopt)
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
}

func TestAnObjectUsesTheTokenOfItsNamespace(t *testing.T) {
	team := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "aero-system", Name: "team"}, Data: map[string][]byte{"token": []byte("team")}}
	w := newWorld(t, newUser(), team)
	w.engine.credentials.Namespace, w.engine.credentials.Default = "aero-system", nil
	sets(w, annotation.TokenSecret, "team")
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	require.NoError(t, w.cluster.Delete(t.Context(), team))
	_, err := w.reconcile()
	require.NoError(t, errors.Unwrap(err))
	assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid))
}
