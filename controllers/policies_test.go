package controllers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

func TestQ04_AnObjectSetsItsOwnPollInterval(t *testing.T) {
	w := newWorld(t, newUser(annotated(annotation.PollInterval, "2m")))
	w.observes(allWell, nil)
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, 2*time.Minute, result.RequeueAfter)
}

func TestManagementPolicyObserveWritesNothing(t *testing.T) {
	observing := annotated(annotation.Management, policy.Observe)
	t.Run("and publishes what is there", func(t *testing.T) {
		w := newWorld(t, newUser(observing))
		w.observes(allWell, nil)
		w.settle()
		assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
		assert.Equal(t, "True/Published", w.condition(condition.SecretReady))
		assert.Empty(t, w.get().Finalizers, "there is nothing to clean up")
	})
	t.Run("and shows what differs", func(t *testing.T) {
		w := newWorld(t, newUser(observing))
		w.observes(differs, nil)
		w.settle()
		assert.Equal(t, "True/ReportOnly", w.condition(condition.Drifted))
		assert.Len(t, w.get().Status.Drift, 1)
	})
	t.Run("and makes nothing", func(t *testing.T) {
		w := newWorld(t, newUser(observing))
		w.observes(nothing, nil)
		w.settle()
		assert.Equal(t, "Unknown/Progressing", w.ready())
	})
}

// network is a reference that is needed to make the resource only.
func network() reference.Declaration {
	d := passwordReference()
	d.CreateOnly = true
	return d
}

func TestR04_H05_WhatWasNeededToMakeSomethingMayGo(t *testing.T) {
	pw := &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte("12345678")}}
	w := newWorld(t, newUser(), pw)
	w.engine.kind.References = []reference.Declaration{network()}
	there := true
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(func(context.Context, *v1alpha1.ServiceUser) (Observation, error) {
		if there {
			return allWell, nil
		}
		return nothing, nil
	}).AnyTimes()
	w.settle()
	require.Equal(t, "True/Ready", w.condition("SecretSourceReady"))

	require.NoError(t, w.cluster.Delete(t.Context(), pw))
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Empty(t, w.condition("SecretSourceReady"), "C-07: the Secret isn't needed any longer")

	there = false
	w.settle()
	assert.Equal(t, "Unknown/Progressing", w.ready(), "R06: it is needed to create the user again")
	assert.Equal(t, "False/NotFound", w.condition("SecretSourceReady"))
}

func TestObjectsOfAivenOperatorFallBackToTheDefaultToken(t *testing.T) {
	takenOver := func(u *v1alpha1.ServiceUser) {
		u.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceTakenOver, UID: u.UID}
	}
	names := func(u *v1alpha1.ServiceUser) {
		u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "never-was", Key: "token"}
	}
	t.Run("as its default token went first", func(t *testing.T) {
		w := newWorld(t, newUser(names, takenOver))
		w.observes(allWell, nil)
		w.settle()
		assert.Equal(t, "True/AuthenticationValid", w.condition(condition.AuthValid))
	})
	t.Run("but not if their Secret lacks a key", func(t *testing.T) {
		w := newWorld(t, newUser(names, takenOver), &corev1.Secret{ObjectMeta: named("never-was")})
		w.settle()
		assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid))
	})
	t.Run("but not by an annotation (review H6)", func(t *testing.T) {
		w := newWorld(t, newUser(names, finalized, annotated(annotation.TakenOver, "1"), annotated(annotation.Processed, "1")))
		w.settle()
		assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid), "every user can set it")
	})
	t.Run("and no others", func(t *testing.T) {
		w := newWorld(t, newUser(names))
		w.settle()
		assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid))
	})
}

func TestW12_TheTokenSecretIsKeptBeforeTheFirstWrite(t *testing.T) {
	token := &corev1.Secret{ObjectMeta: named("token"), Data: map[string][]byte{"token": []byte("t0ken")}}
	w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) {
		u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "token", Key: "token"}
	}), token)
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil)
	w.settle()
	var kept corev1.Secret
	require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "token"}, &kept))
	assert.Equal(t, []string{credentials.FinalizerName}, kept.Finalizers)

	w.observes(allWell, nil)
	for _, step := range []struct {
		says string
		do   func()
	}{
		{"it is at rest", func() {}},
		{"it is paused", func() { w.edit(annotated(annotation.Paused, "true")) }},
		{"its deletion is held", func() {
			w.engine.kind.Protected = func(*v1alpha1.ServiceUser) bool { return true }
			w.delete()
		}},
	} {
		step.do()
		kept.Finalizers = nil // as kubectl replace leaves it
		require.NoError(t, w.cluster.Update(t.Context(), &kept))
		w.settle()
		require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(&kept), &kept))
		assert.Equal(t, []string{credentials.FinalizerName}, kept.Finalizers, step.says)
	}
}

// A user who may create objects, and no Secrets, can bring the finalizer of objects along.
func TestNoSecretIsKeptForAnObjectThatOwnsNothing(t *testing.T) {
	token := &corev1.Secret{ObjectMeta: named("token"), Data: map[string][]byte{"token": []byte("t0ken")}}
	w := newWorld(t, newUser(annotated(annotation.Paused, "true"), func(u *v1alpha1.ServiceUser) {
		u.Finalizers = []string{ownership.FinalizerName}
		u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "token", Key: "token"}
	}), token)
	w.settle()
	require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(token), token))
	assert.Empty(t, token.Finalizers)
}

// A policy may leave a part of the first spec for good. What was needed to make the resource isn't needed any longer.
func TestR04_H05_WhatWasNeededToMakeSomethingMayGoBeforeAllOfTheSpecIsApplied(t *testing.T) {
	pw := &corev1.Secret{ObjectMeta: named("pw"), Data: map[string][]byte{"password": []byte("12345678")}}
	w := newWorld(t, newUser(annotated(annotation.Drift, "Report")), pw)
	w.engine.kind.References = []reference.Declaration{network()}
	missing, later := nothing, allWell
	missing.Held.Later = Diff{{Path: losingPath, Wanted: "false", Found: "true"}}
	later.Held = missing.Held
	w.observes(missing, nil).Times(1)
	w.creates(later, nil)
	w.settle()
	w.observes(later, nil)
	w.settle()
	require.Empty(t, w.processed())
	require.NoError(t, w.cluster.Delete(t.Context(), pw))
	w.settle()
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Empty(t, w.condition("SecretSourceReady"))
}

// An object that a backup has brought along has the finalizer before it owns anything.
func TestW12_TheTokenSecretIsKeptByAnAdoptionToo(t *testing.T) {
	token := &corev1.Secret{ObjectMeta: named("token"), Data: map[string][]byte{"token": []byte("t0ken")}}
	w := newCautious(t, adopts, func(u *v1alpha1.ServiceUser) {
		u.Finalizers = []string{ownership.FinalizerName}
		u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "token", Key: "token"}
	})
	require.NoError(t, w.cluster.Create(t.Context(), token))
	w.observes(allWell, nil)
	w.settle()
	require.Equal(t, v1alpha1.ProvenanceAdopted, w.get().Status.Provenance.Type)
	require.NoError(t, w.cluster.Get(t.Context(), client.ObjectKeyFromObject(token), token))
	assert.Equal(t, []string{credentials.FinalizerName}, token.Finalizers)
}
