package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestK06_TheSecretIsPublishedAlthoughAChangeIsRefused(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(differs, nil)
	w.updates(Observation{}, answer(400, "no such thing"))
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "False/InvalidSpec", w.ready())
	assert.Equal(t, "True/Published", w.condition(condition.SecretReady))
	assert.NoError(t, w.cluster.Get(t.Context(), w.key, &corev1.Secret{}))
}

func TestK08_ReadyComesAfterTheSecret(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(allWell, nil)
	w.before = func(call string) error {
		if call == "create" {
			return errors.New("no Secret today")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "no Secret today")
	assert.Equal(t, "Unknown/ProgressingWithRetry", w.ready())
	assert.Equal(t, "Unknown/ConnInfoSecret", w.condition(condition.LegacyRunning))
	assert.NotContains(t, w.get().Annotations, annotation.Running)
	assert.Len(t, w.events, 1)
}

func TestK08_NoDetailsNoReady(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(Observation{Services: runs, Remote: status.Remote{Exists: true, Active: true}}, nil)
	w.settle()
	assert.Equal(t, "Unknown/Progressing", w.ready())
}

func TestK05_ASecretOfAnotherOwnerIsLeftAlone(t *testing.T) {
	theirs := &corev1.Secret{ObjectMeta: named("joe"), Data: map[string][]byte{"KEY": []byte("theirs")}}
	w := newWorld(t, newUser(), theirs)
	w.observes(allWell, nil)
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Equal(t, "False/ConnInfoSecretConflict", w.ready())
	found := &corev1.Secret{}
	require.NoError(t, w.cluster.Get(t.Context(), w.key, found))
	assert.Equal(t, theirs.Data, found.Data)
}

func TestK03_AKindWithoutASecretHasNoConditionForIt(t *testing.T) {
	w := newWorld(t, newDatabase())
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Empty(t, w.condition(condition.SecretReady))
}
