package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/status"
)

// An object that is applied while its service is being built costs the API server one write while it waits, four until it
// is Ready, and an event. Without a Secret it is one less.
func TestAnObjectThatWaitsForItsServiceCostsSixWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		journal func(*testing.T) (journal, events []string)
		want    []string
	}{
		"a user": {
			func(t *testing.T) ([]string, []string) { return waitsAndBecomesReady(newWorld(t, newUser())) },
			[]string{"status", "finalizers", "aiven create", "create", "annotations", "status"},
		},
		"a database has no Secret": {
			func(t *testing.T) ([]string, []string) { return waitsAndBecomesReady(newWorld(t, newDatabase())) },
			[]string{"status", "finalizers", "aiven create", "annotations", "status"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			journal, events := tc.journal(t)
			assert.Equal(t, tc.want, journal)
			assert.Equal(t, []string{"Normal InstanceIsRunning Reconcile: Created at Aiven. Ready"}, events)
		})
	}
}

// waitsAndBecomesReady returns what was written meanwhile.
func waitsAndBecomesReady[T Object](w *world[T]) (journal, events []string) {
	w.observes(Observation{Services: []status.Service{{Name: "prj/pg", Exists: true, State: "REBUILDING"}}}, nil).Times(3)
	for range 3 {
		_, err := w.reconcile()
		require.NoError(w.t, err)
		w.now = w.now.Add(10 * time.Second)
	}
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(w.t, err)
	assert.Equal(w.t, "True/ReconciliationSucceeded", w.ready())
	return w.journal, w.events
}
