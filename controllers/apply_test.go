package controllers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// A create that is refused because the resource exists, which an earlier attempt has made, is followed by a second observation. What
// the engine does about that one is decided as after the first.
func TestX16_WhatExistsByTheTimeOfTheCreateIsPlannedAgain(t *testing.T) {
	waits, known := differs, allWell
	waits.WaitFor = "Waiting for the first backup"
	for name, tc := range map[string]struct {
		made    func(*v1alpha1.ServiceUser)
		found   Observation
		updates int
		ready   string
		drifted string
		applied string
	}{
		"it is in sync": {found: known, ready: "True/ReconciliationSucceeded", applied: "1"},
		"a difference is corrected": {
			found: differs, updates: 1, ready: "True/ReconciliationSucceeded", applied: "1",
		},
		"a difference is only shown where the policy asks for that, and isn't taken for applied": {
			made: annotated(annotation.Drift, status.DriftReport), found: differs, ready: "True/ReconciliationSucceeded", drifted: "True/ReportOnly",
		},
		"a difference that can't be corrected yet waits, and isn't taken for applied": {
			found: waits, ready: "Unknown/Progressing",
		},
		"what doesn't exist after all is awaited": {found: nothing, ready: "Unknown/Progressing"},
	} {
		t.Run(name, func(t *testing.T) {
			user := newUser(finalized)
			if tc.made != nil {
				tc.made(user)
			}
			w := newWorld(t, user)
			gomock.InOrder(
				w.observes(nothing, nil).Times(1), w.creates(Observation{}, answer(409, "user already exists")),
				w.observes(tc.found, nil).Times(1),
			)
			w.updates(allWell, nil).Times(tc.updates)
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, tc.ready, w.ready())
			assert.Equal(t, tc.drifted, w.condition(condition.Drifted))
			assert.Equal(t, tc.applied, w.get().Annotations[annotation.Processed])
		})
	}
}

func TestCredentialsOfWhatExistsByTheTimeOfTheCreateAreResetOnlyIfTheyCanBePublished(t *testing.T) {
	for name, tc := range map[string]struct {
		refuses string // a write to the cluster
		resets  int
		ready   string
	}{
		"a dry run succeeds":   {resets: 1, ready: "True/ReconciliationSucceeded"},
		"a dry run is refused": {refuses: "create", ready: "Unknown/ProgressingWithRetry"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(finalized))
			unknown := allWell
			unknown.Details = connection.Info{Keep: []string{"PASSWORD"}}
			issuesOnce(w)
			gomock.InOrder(
				w.observes(nothing, nil).Times(1), w.creates(Observation{}, answer(409, "user already exists")),
				w.observes(unknown, nil).Times(1),
			)
			w.before = func(call string) error {
				if call == tc.refuses {
					return errors.New("secrets is forbidden")
				}
				return nil
			}
			_, _ = w.reconcile()
			assert.Equal(t, tc.resets, count(w.journal, "aiven reset"))
			assert.Equal(t, tc.ready, w.ready())
		})
	}
}

func TestACreateIsMarkedAsTriedOnlyAfterAnObservationThatFoundNothing(t *testing.T) {
	waits, unshown := nothing, Observation{Services: runs, WaitFor: "a write", Remote: status.Remote{Exists: true}}
	waits.WaitFor = "Waiting for a backup"
	off := Observation{Services: []status.Service{{Name: "prj/pg", Exists: true, State: "POWEROFF", Off: true}}}
	for name, tc := range map[string]struct {
		found  Observation
		err    error
		marked bool
	}{
		"nothing is there":                  {found: nothing, marked: true},
		"it exists":                         {found: allWell},
		"it exists, and differs":            {found: differs},
		"it may exist":                      {found: unshown},
		"it can't be created yet":           {found: waits},
		"its service is off":                {found: off},
		"Aiven can't be asked":              {err: answer(503, "down")},
		"Aiven doesn't know the service":    {found: Observation{Services: []status.Service{{Name: "prj/pg"}}}},
		"Aiven answers with something else": {err: answer(404, "no such route")},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser())
			w.observes(tc.found, tc.err)
			w.updates(allWell, nil).AnyTimes()
			w.creates(Observation{}, answer(409, "user already exists")).AnyTimes()
			_, _ = w.reconcile()
			_, marked := w.get().Annotations[annotation.Attempted]
			assert.Equal(t, tc.marked, marked)
		})
	}
}
