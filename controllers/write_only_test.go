package controllers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// newWriteOnly has a kind that sends a value of a Secret which Aiven doesn't return.
func newWriteOnly(t *testing.T) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	return newWriteOnlyThat(t, func() error { return nil })
}

// newWriteOnlyThat is one whose observations fail with an error.
func newWriteOnlyThat(t *testing.T, fails func() error) *world[*v1alpha1.ServiceUser] {
	t.Helper()
	pw := &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte("12345678")}}
	w := newWorld(t, newUser(), pw)
	source := passwordReference()
	source.WriteOnly = true
	w.engine.kind.References = []reference.Declaration{source}
	silent := allWell
	silent.WriteOnly = []string{"spec.secretOption"}
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
		if err := fails(); err != nil {
			return Observation{}, err
		}
		return silent, nil
	}).AnyTimes()
	return w
}

func TestAChangedSecretIsSentAlthoughTheFirstObservationAfterItFails(t *testing.T) {
	var failure error
	w := newWriteOnlyThat(t, func() error { return failure })
	w.updates(allWell, nil).Times(1)
	w.settle()
	first := w.recordedVersion()

	w.changeSecret("pw", "another-value")
	failure = answer(503, "down")
	_, _ = w.reconcile()
	assert.Equal(t, first, w.recordedVersion(), "the new version isn't recorded before it was sent")

	failure = nil
	w.updates(allWell, nil).Times(1)
	w.settle()
	assert.NotEqual(t, first, w.recordedVersion())
}

func (w *world[T]) changeSecret(name, value string) {
	secret := &corev1.Secret{}
	require.NoError(w.t, w.cluster.Get(w.t.Context(), client.ObjectKey{Namespace: "ns", Name: name}, secret))
	secret.Data["password"] = []byte(value)
	require.NoError(w.t, w.cluster.Update(w.t.Context(), secret))
}

func (w *world[T]) recordedVersion() string {
	return w.get().GetCommonStatus().ResolvedRefs[0].ResourceVersion
}

func TestAChangedSecretIsSentOnceAndItsVersionIsRecordedAfterwards(t *testing.T) {
	w := newWriteOnly(t)
	w.updates(allWell, nil).Times(1)
	w.settle()
	first := w.recordedVersion()
	w.settle()

	w.changeSecret("pw", "another-value")
	refused := w.updates(Observation{}, answer(503, "down")).Times(1)
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Equal(t, first, w.recordedVersion(), "the new version isn't recorded before it was sent")

	w.kind = w.engine.kind
	w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
	w.updates(allWell, nil).Times(1).After(refused)
	w.settle()
	assert.NotEqual(t, first, w.recordedVersion())
	w.settle()
}

// Whether a Secret that is created again holds another value isn't knowable without a record of the value.
func TestASecretThatIsDeletedAndCreatedAgainIsSentOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		value   string
		restart bool
		missing int // reconciles while it is gone
	}{
		"with another value":                          {value: "another-value", missing: 1},
		"with the same value":                         {value: "12345678", missing: 1},
		"after a longer time":                         {value: "another-value", missing: 3},
		"while the operator is restarted":             {value: "another-value", missing: 1, restart: true},
		"before a reconcile notices that it was gone": {value: "another-value"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriteOnly(t)
			w.updates(allWell, nil).Times(1)
			w.settle()
			first := w.recordedVersion()

			pw := &corev1.Secret{ObjectMeta: named("pw")}
			require.NoError(t, w.cluster.Delete(t.Context(), pw))
			for range tc.missing {
				w.settle()
				assert.Equal(t, "False/NotFound", w.condition("SecretSourceReady"))
				assert.Equal(t, first, w.recordedVersion(), "what was sent last stays on record")
			}
			if tc.restart {
				w.kind = w.engine.kind
				w.start(aiven.Options{BaseURL: "http://192.0.2.1"})
			}
			again := &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte(tc.value)}}
			again.UID = "uid-of-the-new-one"
			require.NoError(t, w.cluster.Create(t.Context(), again))
			w.updates(allWell, nil).Times(1)
			w.settle()
			assert.NotEqual(t, first, w.recordedVersion())
			w.settle()
			assert.Len(t, w.get().Status.ResolvedRefs, 1)
		})
	}
}

func TestAnUpdateGetsWhatAivenNeverReturnsOnlyIfThatIsToBeSent(t *testing.T) {
	secret := []string{"spec.secretOption"}
	w := newWorld(t, newUser())
	found := differs
	found.WriteOnly = secret
	w.observes(found, nil)
	var sent [][]string
	w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()).Times(2).DoAndReturn(
		func(_ context.Context, _ *v1alpha1.ServiceUser, seen Observation) (Observation, error) {
			sent = append(sent, seen.WriteOnly)
			return allWell, nil
		})
	w.settle()
	w.settle()
	assert.Equal(t, [][]string{secret, nil}, sent, "once a generation, and not with each difference")
}

func TestP11_WhatAivenMayNotHaveAppliedIsNoAppliedGeneration(t *testing.T) {
	secret := []string{"spec.secretOption"}
	w := newWorld(t, newUser())
	found, unshown := differs, Observation{
		Services: runs, WaitFor: "Waiting for Aiven to show what was written",
		Remote: status.Remote{Exists: true, Reason: condition.ReasonUpdating, Message: "Waiting for Aiven to show what was written"},
	}
	found.WriteOnly = secret
	var sent [][]string
	update := func(answer Observation, err error) func(context.Context, *v1alpha1.ServiceUser, Observation) (Observation, error) {
		return func(_ context.Context, _ *v1alpha1.ServiceUser, seen Observation) (Observation, error) {
			sent = append(sent, seen.WriteOnly)
			return answer, err
		}
	}
	updates := func() *gomock.Call { return w.aiven.EXPECT().Update(gomock.Any(), gomock.Any(), gomock.Any()) }
	gomock.InOrder(
		w.observes(found, nil).Times(1), updates().DoAndReturn(update(Observation{}, answer(502, "bad gateway"))),
		w.observes(unshown, nil).Times(1), // within the lag, because of an edit
		w.observes(found, nil).Times(1), updates().DoAndReturn(update(allWell, nil)),
	)
	_, err := w.reconcile()
	require.Error(t, err)
	w.settle()
	assert.Empty(t, w.get().Annotations[annotation.Processed], "it isn't known whether Aiven has accepted it")
	assert.Equal(t, "Unknown/Progressing", w.ready())
	w.settle()
	assert.Equal(t, [][]string{secret, secret}, sent)
	assert.Equal(t, "1", w.get().Annotations[annotation.Processed])
}
