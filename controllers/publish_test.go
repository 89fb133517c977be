package controllers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

// A Secret that was published outlives details that Aiven doesn't return; its absence doesn't.
func TestASecretThatIsGoneIsMissedAlsoWhileAivenReturnsNoDetails(t *testing.T) {
	w := newWorld(t, newUser())
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).Return(allWell, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(t, err)
	hidden := allWell
	hidden.Details = connection.Details{Prefixed: map[string]string{"HOST": "h", "PASSWORD": connection.Missing}}
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
