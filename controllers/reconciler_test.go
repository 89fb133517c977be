package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestW06_TheFinalizerIsPersistedBeforeTheFirstWriteAtAiven(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.creates(allWell, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, []string{"finalizers", "aiven create", "create", "annotations", "status"}, without(w.journal, "patch Secret"))
	assert.True(t, ownership.HasFinalizer(w.get()))
}

func without(calls []string, unwanted string) []string {
	var out []string
	for _, call := range calls {
		if call != unwanted {
			out = append(out, call)
		}
	}
	return out
}

func TestW06_NothingIsCreatedWithoutTheFinalizer(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.before = func(call string) error {
		if call == "finalizers" {
			return errors.New("boom")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "adding the finalizer: boom")
	assert.Equal(t, "Unknown/ProgressingWithRetry", w.ready())
}

func TestP01_W01_X11_OneCreateAndThenRest(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, 10*time.Minute, result.RequeueAfter)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, v1alpha1.PhaseReady, w.get().Status.Phase)
	assert.Equal(t, []string{"Normal InstanceIsRunning Reconcile: Created at Aiven. Ready"}, w.events)
	assert.Equal(t, map[string]string{
		annotation.Processed: "1", annotation.Running: "true", annotation.Attempted: "uid-joe",
	}, w.get().Annotations)

	assert.Equal(t, []string{"finalizers", "aiven create", "create", "annotations", "status"}, w.journal,
		"P01: every step has its place, and the status comes last")

	w.observes(allWell, nil)
	w.journal, w.events = nil, nil
	version := w.get().ResourceVersion
	for range 3 {
		w.now = w.now.Add(10 * time.Minute)
		_, err = w.reconcile()
		require.NoError(t, err)
	}
	assert.Empty(t, w.journal, "steady state writes nothing")
	assert.Empty(t, w.events, "V03")
	assert.Equal(t, version, w.get().ResourceVersion)
}

func TestP11_OneDifferenceIsOneUpdate(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(differs, nil).Times(1)
	w.updates(allWell, nil).Times(1)
	w.settle()
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

func TestP07_NothingIsCreatedInAServiceThatIsNotUsable(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(Observation{Services: []status.Service{{Name: "prj/pg", Exists: true, State: "REBUILDING"}}}, nil)
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, 30*time.Second, result.RequeueAfter)
	assert.Equal(t, "False/Rebuilding", w.condition(condition.ServiceReady))
}

func TestTheSecretIsPublishedAlthoughAChangeIsRefused(t *testing.T) {
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
	result, err := w.reconcile()
	require.NoError(t, err, "what a user has to resolve is no error in the log")
	assert.Equal(t, config.Default().Timings.RequeueAsync, result.RequeueAfter)
	assert.Equal(t, "False/ConnInfoSecretConflict", w.ready())
	found := &corev1.Secret{}
	require.NoError(t, w.cluster.Get(t.Context(), w.key, found))
	assert.Equal(t, theirs.Data, found.Data)
}

func TestP01_TheOrderOfWritesShowsNothingOldAsReady(t *testing.T) {
	w := newWorld(t, newUser())
	kind := ""
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).AnyTimes().DoAndReturn(
		func(_ context.Context, user *v1alpha1.ServiceUser) (Observation, error) {
			user.Status.Type = kind
			return allWell, nil
		})
	kind = "normal"
	w.settle()
	kind = "primary"
	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation++ })
	_, err := w.reconcile()
	require.NoError(t, err)
	require.Len(t, w.patches, 3)
	assert.Contains(t, w.patches[0], `"type":"primary"`, "first what the kind found out")
	assert.Contains(t, w.patches[0], `"observedGeneration":1`, "and nothing else")
	assert.JSONEq(t, `{"metadata":{"annotations":{"`+annotation.Processed+`":"2"},"uid":"uid-joe"}}`, w.patches[1])
	assert.Contains(t, w.patches[2], `"type":"Ready"`, "Ready comes last")
	assert.NotContains(t, w.patches[2], "resourceVersion", "W03: the status is written without a lock")
	assert.Equal(t, "primary", w.get().Status.Type)
}

func TestAnObjectThatIsReadyForTheFirstTimeIsWrittenThreeTimes(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.aiven.EXPECT().Create(gomock.Any(), gomock.Any()).DoAndReturn(
		func(_ context.Context, user *v1alpha1.ServiceUser) (Observation, error) {
			user.Status.Type = "normal"
			return allWell, nil
		})
	_, err := w.reconcile()
	require.NoError(t, err)
	require.Len(t, w.patches, 3)
	assert.Contains(t, w.patches[0], ownership.FinalizerName)
	assert.Contains(t, w.patches[1], annotation.Running)
	assert.Contains(t, w.patches[2], `"type":"normal"`)
	assert.Contains(t, w.patches[2], `"type":"Ready"`)
}

func TestW15_WhoRemovesTheMarkerAsksForAFreshApply(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(allWell, nil)
	w.settle()
	w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Processed) })
	w.updates(allWell, nil).Times(1)
	w.settle()
	assert.Equal(t, "1", w.get().Annotations[annotation.Processed])
	w.settle()
}

func TestWhatAivenDoesNotReportIsSentOncePerGeneration(t *testing.T) {
	w := newWorld(t, newUser())
	silent := allWell
	silent.WriteOnly = []string{"spec.secretOption"}
	w.observes(silent, nil)
	w.updates(allWell, nil).Times(1)
	w.settle()
	w.settle()
	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation = 2 })
	w.updates(allWell, nil).Times(1)
	w.settle()
	w.settle()
}

func TestP07_AChangeThatIsHeldIsNotTakenForApplied(t *testing.T) {
	w := newWorld(t, newUser())
	held := differs
	held.WaitFor = "Waiting for the first backup"
	w.observes(held, nil)
	w.settle()
	assert.Equal(t, "Unknown/Progressing", w.ready())
	assert.NotContains(t, w.get().Annotations, annotation.Processed)
}

func TestX16_WhatWasLostIsMadeAgainWithOneWarning(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(allWell, nil).Times(1)
	w.settle()
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil)
	_, err := w.reconcile()
	require.NoError(t, err)
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "Warning RemoteResourceMissing")
}

func TestC10_ALostStatusIsFoundAgainWithoutAWriteAtAiven(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(allWell, nil)
	w.settle()
	before := w.get().Status
	user := w.get()
	user.Status = v1alpha1.ServiceUserStatus{}
	require.NoError(t, w.cluster.Status().Update(t.Context(), user))
	w.settle()
	assert.Equal(t, before.Phase, w.get().Status.Phase)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

func TestK03_AKindWithoutASecretHasNoConditionForIt(t *testing.T) {
	w := newWorld(t, newDatabase())
	w.observes(allWell, nil)
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Empty(t, w.condition(condition.SecretReady))
}

func TestW13_AnObjectThatIsGoneIsDone(t *testing.T) {
	w := newWorld(t, newUser())
	w.key.Name = "gone"
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Zero(t, result)
}
