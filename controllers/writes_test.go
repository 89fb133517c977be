package controllers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// An object that is applied while its service is being built costs the API server one write while it waits, four until it
// is Ready, and an event. Without a Secret it is one less. That the service itself was applied together with it, and doesn't
// exist at first, costs none.
func TestAnObjectThatWaitsForItsServiceCostsSixWrites(t *testing.T) {
	for name, tc := range map[string]struct {
		journal func(*testing.T) (journal, events []string)
		want    []string
	}{
		"a user": {
			func(t *testing.T) ([]string, []string) {
				return waitsAndBecomesReady(newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.CreationTimestamp = applied })))
			},
			[]string{"status", "finalizers", "aiven create", "create", "annotations", "status"},
		},
		"a database has no Secret": {
			func(t *testing.T) ([]string, []string) {
				db := newDatabase()
				db.CreationTimestamp = applied
				return waitsAndBecomesReady(newWorld(t, db))
			},
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

// applied is when the world begins.
var applied = metav1.NewTime(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))

// waitsAndBecomesReady returns what was written meanwhile.
func waitsAndBecomesReady[T Object](w *world[T]) (journal, events []string) {
	missing, builds := status.Service{Name: "prj/pg"}, status.Service{Name: "prj/pg", Exists: true, State: "REBUILDING"}
	for _, step := range []struct {
		found        status.Service
		ready        string        // afterwards
		after, pause time.Duration // the requeue, and what passes until the next reconcile
	}{
		{missing, "", 2 * time.Second, 500 * time.Millisecond},
		{builds, "", 1500 * time.Millisecond, 1500 * time.Millisecond}, // enqueued by the service
		{builds, "Unknown/Progressing", 30 * time.Second, 10 * time.Second},
		{builds, "Unknown/Progressing", 30 * time.Second, 10 * time.Second},
	} {
		w.observes(Observation{Services: []status.Service{step.found}}, nil).Times(1)
		result, err := w.reconcile()
		require.NoError(w.t, err)
		assert.Equal(w.t, step.ready, w.ready())
		assert.Equal(w.t, step.after, result.RequeueAfter)
		w.now = w.now.Add(step.pause)
	}
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(w.t, err)
	assert.Equal(w.t, "True/ReconciliationSucceeded", w.ready())
	return w.journal, w.events
}

func TestAnObjectWhoseServiceIsReadyAtOnceIsNotHeldBack(t *testing.T) {
	w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) { u.CreationTimestamp = applied }))
	w.observes(Observation{Services: []status.Service{{Name: "prj/pg"}}}, nil).Times(1)
	_, err := w.reconcile()
	require.NoError(t, err)
	w.observes(nothing, nil).Times(1)
	w.creates(allWell, nil).Times(1)
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	assert.Equal(t, []string{"finalizers", "aiven create", "create", "annotations", "status"}, w.journal)
}
