package controllers

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// silent is in sync as far as can be seen: Aiven never returns one of its options.
var silent = Observation{
	Services: runs, Remote: status.Remote{Exists: true, Active: true}, Details: details, WriteOnly: []string{"spec.secretOption"},
}

// leaving are the policies that leave what differs.
var leaving = map[string]func(*v1alpha1.ServiceUser){
	"drift-policy Report":       annotated(annotation.Drift, status.DriftReport),
	"management-policy Observe": annotated(annotation.Management, policy.Observe),
}

func (w *world[T]) processed() string { return w.get().GetAnnotations()[annotation.Processed] }

func TestW15_AGenerationThatAPolicyLeavesOutIsNotMarkedAsApplied(t *testing.T) {
	for name, left := range leaving {
		for what, found := range map[string]Observation{"a difference": differs, "what Aiven never returns": silent} {
			t.Run(name+" of "+what, func(t *testing.T) {
				w := newWorld(t, newUser())
				w.observes(allWell, nil).Times(1)
				w.settle()
				require.Equal(t, "1", w.processed())

				w.edit(func(u *v1alpha1.ServiceUser) { left(u); u.Annotations[annotation.Processed] = "1"; u.Generation++ })
				w.observes(found, nil).Times(2)
				w.settle()
				w.settle()
				assert.Equal(t, "1", w.processed(), "Aiven wasn't asked for generation 2")
				assert.Equal(t, "True/Preconditions", w.condition(condition.LegacyInitialized))
				assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
				assert.False(t, status.IsAwaited(w.get(), w.get().GetCommonStatus()), "it is at rest")

				w.edit(func(u *v1alpha1.ServiceUser) {
					u.Annotations = map[string]string{annotation.Processed: "1", annotation.Drift: status.DriftCorrect}
				})
				w.observes(found, nil)
				w.updates(allWell, nil).Times(1)
				w.settle()
				assert.Equal(t, "2", w.processed(), "what was left is sent once the policy allows it")
			})
		}
	}
}

func TestWhatIsInSyncIsMarkedAsAppliedUnderAnyPolicy(t *testing.T) {
	for name, left := range leaving {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(left))
			w.observes(allWell, nil)
			w.settle()
			assert.Equal(t, "1", w.processed())
			assert.Equal(t, "True/CreatedOrUpdated", w.condition(condition.LegacyInitialized))
		})
	}
}

// A user who removes the marker wants to know what Aiven has now: what was read a minute ago isn't an answer.
func TestARemovedMarkerAsksForALiveObservationUnderAnyPolicy(t *testing.T) {
	reading := map[string]func(*v1alpha1.ServiceUser){
		"drift-policy Report":       leaving["drift-policy Report"],
		"management-policy Observe": leaving["management-policy Observe"],
		"drift-policy Correct":      annotated(annotation.Drift, status.DriftCorrect),
	}
	for name, policied := range reading {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser(policied))
			api := aiventest.New(t)
			api.On("GET /v1/project/prj/service/pg", aiventest.Service(aiventest.Object{"service_name": "pg"}))
			w.engine.clients = aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: http.RoundTripper(api), WatchInterval: w.now.Sub(w.now.AddDate(0, 0, -1)), Now: w.engine.now})
			client := w.engine.clients
			w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) {
				c, err := client.ForToken("token")
				require.NoError(t, err)
				_, err = c.Service(ctx, "prj", "pg")
				require.NoError(t, err)
				return allWell, nil
			}).AnyTimes()
			w.settle()
			w.settle()
			require.Len(t, api.Calls(), 1, "the service is read once")
			require.Equal(t, "1", w.processed())

			w.edit(func(u *v1alpha1.ServiceUser) { delete(u.Annotations, annotation.Processed) })
			if name == "drift-policy Correct" {
				w.updates(allWell, nil).Times(1)
			}
			w.settle()
			assert.Len(t, api.Calls(), 1, "and again on request")
			assert.Equal(t, "1", w.processed(), "which is handled")
			w.settle()
			assert.Empty(t, api.Calls())
		})
	}
}
