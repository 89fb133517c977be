package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// A Secret that was published outlives details that Aiven doesn't return; its absence doesn't.
func TestASecretThatIsGoneIsMissedAlsoWhileAivenReturnsNoDetails(t *testing.T) {
	w := newWorld(t, newUser())
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).Return(allWell, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(t, err)
	hidden := allWell
	hidden.Details = connection.Info{Password: connection.Missing, Layout: withPassword}
	w.observes(hidden, nil)
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())

	require.NoError(t, w.cluster.Delete(t.Context(), &corev1.Secret{ObjectMeta: named("joe")}))
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "Unknown/Progressing", w.ready())
	assert.Equal(t, "False/NotYetAvailable", w.condition(condition.SecretReady))
}

// The route is the user's choice, so no other one is taken instead.
func TestARouteThatDoesNotExistLeavesTheLastSecret(t *testing.T) {
	w := newWorld(t, newUser())
	routed := allWell
	routed.Details.Endpoints = []aiven.Component{
		{Component: "pg", Host: "db.example.com", Port: 5432, Route: "dynamic", Usage: "primary"},
		{Component: "pg", Host: "public.example.com", Port: 5432, Route: "public", Usage: "primary"},
	}
	w.observes(routed, nil)
	published := func() string {
		var secret corev1.Secret
		require.NoError(t, w.cluster.Get(t.Context(), w.key, &secret))
		return string(secret.Data["SERVICEUSER_HOST"])
	}
	for _, step := range []struct{ namespace, route, ready, host string }{
		{"", "", "True/ReconciliationSucceeded", "db.example.com"},
		{"", "private", "False/RouteNotAvailable", "db.example.com"},
		{"", "public", "True/ReconciliationSucceeded", "public.example.com"},
		{"", "dynamic", "True/ReconciliationSucceeded", "db.example.com"},
		{"public", "dynamic", "True/ReconciliationSucceeded", "db.example.com"},
		{"public", "", "True/ReconciliationSucceeded", "public.example.com"},
		{"private", "", "False/RouteNotAvailable", "public.example.com"},
		{"private", "dynamic", "True/ReconciliationSucceeded", "db.example.com"},
	} {
		sets(w, annotation.Route, step.namespace)
		obj := w.get()
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, annotation.Route, step.route)
		require.NoError(t, w.cluster.Update(t.Context(), obj))
		_, err := w.reconcile()
		require.NoError(t, err)
		assert.Equal(t, step.ready, w.ready(), step)
		assert.Equal(t, step.host, published(), step)
	}
}

// What Aiven refuses to create was never another client's, so nothing withholds its Secret.
func TestARefusedCreationPublishesNothingYet(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.creates(Observation{}, answer(400, "no such plan"))
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "False/InvalidSpec", w.ready())
	assert.Equal(t, "False/NotYetAvailable", w.condition(condition.SecretReady))
}

// A resource is paid for, and without its Secret no application can reach it.
func TestNothingIsCreatedForASecretThatCannotBe(t *testing.T) {
	for name, target := range map[string]v1alpha1.ConnInfoSecretTarget{
		"a name of the API server's refusal": {Name: "Not_A_Name"},
		"a prefix that makes no key":         {Prefix: "a b"},
		"a label that is none":               {Labels: map[string]string{"a b": "c"}},
		"an annotation that is none":         {Annotations: map[string]string{"a b": "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.Spec.ConnInfoSecretTarget = target }))
			w.observes(nothing, nil)
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, "False/InvalidSpec", w.ready())
			assert.NotContains(t, w.journal, "aiven create")
			assert.Contains(t, w.message(condition.Ready), "spec.connInfoSecretTarget.")
		})
	}
}

func TestMessagesAreOneLineOfPrintableText(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.creates(Observation{}, answer(400, "a\x1b[2Jb\u202ec\u200bd\ne"))
	_, err := w.reconcile()
	require.NoError(t, err)
	message := w.message(condition.Ready)
	assert.Contains(t, message, "a [2Jb c d; e")
	for _, text := range append(w.events, message) {
		assert.Equal(t, fault.OneLine(text), text)
	}
}
