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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// resetter is a kind that can issue credentials anew.
type resetter struct {
	AivenController[*v1alpha1.ServiceUser]
	reset func() (Observation, error)
}

func (r *resetter) ResetCredentials(context.Context, *v1alpha1.ServiceUser, Observation) (Observation, error) {
	return r.reset()
}

// newOnce has a kind whose user exists, and whose password is unknown until it is reset.
func newOnce(t *testing.T, others ...client.Object) *world[*v1alpha1.ServiceUser] {
	w := newWorld(t, newUser(), others...)
	unknown := allWell
	unknown.Details = connection.Details{Keep: []string{"PASSWORD"}}
	w.observes(unknown, nil)
	issuesOnce(w)
	return w
}

// issuesOnce makes the kind one whose password only a reset returns.
func issuesOnce(w *world[*v1alpha1.ServiceUser]) {
	known := allWell
	known.Details = connection.Details{Keep: []string{"PASSWORD"}, Prefixed: map[string]string{"PASSWORD": "issued"}}
	w.engine.kind.CredentialsOnce = true
	w.engine.kind.New = func(Env) AivenController[*v1alpha1.ServiceUser] {
		return &resetter{w.aiven, func() (Observation, error) { return known, w.note("aiven reset") }}
	}
}

func count(journal []string, call string) int { return len(journal) - len(without(journal, call)) }

func TestCredentialsThatAreLostAreResetOnceAfterADryRun(t *testing.T) {
	w := newOnce(t)
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, []string{"finalizers", "create", "aiven reset", "create", "annotations", "status"}, w.journal,
		"the first create is the dry run")
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	for range 3 {
		w.now = w.now.Add(time.Minute)
		_, err = w.reconcile()
		require.NoError(t, err)
	}
	assert.Equal(t, 1, count(w.journal, "aiven reset"))
}

func TestCredentialsAreNotResetWhereTheyCannotBePublished(t *testing.T) {
	foreign := &corev1.Secret{ObjectMeta: named("joe"), Data: map[string][]byte{"theirs": []byte("x")}}
	forbidden := func(call string) error {
		if call == "create" {
			return errors.New("secrets is forbidden")
		}
		return nil
	}
	for name, tc := range map[string]struct {
		others []client.Object
		before func(string) error
		ready  string
	}{
		"the Secret belongs to another object": {[]client.Object{foreign}, nil, "False/ConnInfoSecretConflict"},
		"a dry run is refused":                 {nil, forbidden, "Unknown/ProgressingWithRetry"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newOnce(t, tc.others...)
			if tc.before != nil {
				w.before = tc.before
			}
			for range 3 {
				_, _ = w.reconcile()
			}
			assert.Zero(t, count(w.journal, "aiven reset"))
			assert.Equal(t, tc.ready, w.ready())
		})
	}
}

func TestCredentialsThatCouldNotBePublishedAfterAResetAreResetOnceMore(t *testing.T) {
	w := newOnce(t)
	creates := 0
	w.before = func(call string) error {
		if call == "create" {
			if creates++; creates == 2 {
				return errors.New("the API server is gone")
			}
		}
		return nil
	}
	_, err := w.reconcile()
	require.Error(t, err)
	assert.Equal(t, 1, count(w.journal, "aiven reset"))
	for range 3 {
		_, err = w.reconcile()
		require.NoError(t, err)
	}
	assert.Equal(t, 2, count(w.journal, "aiven reset"))
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
}

func TestTheIntentIsPersistedBeforeTheFirstWriteAtAiven(t *testing.T) {
	for name, tc := range map[string]struct {
		intends bool // the kind records something in its own status
		want    []string
	}{
		"with an intent":    {true, []string{"finalizers", "status", "aiven create", "annotations", "status"}},
		"without an intent": {false, []string{"finalizers", "aiven create", "annotations", "status"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newUser())
			w.engine.kind.PersistIntent = true
			w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(
				func(_ context.Context, obj *v1alpha1.ServiceUser) (Observation, error) {
					if tc.intends {
						obj.Status.Type = "intended"
					}
					return nothing, nil
				})
			bare := allWell
			bare.Details = connection.Details{}
			w.creates(bare, nil)
			_, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, tc.want, w.journal)
		})
	}
}

func TestAProcessThatIsKilledAfterItsIntentWasPersistedFindsIt(t *testing.T) {
	w := newWorld(t, newUser())
	w.engine.kind.PersistIntent = true
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(
		func(_ context.Context, obj *v1alpha1.ServiceUser) (Observation, error) {
			if obj.Status.Type == "" {
				obj.Status.Type = "intended"
			}
			return nothing, nil
		}).AnyTimes()
	killed := true
	w.before = func(call string) error {
		if call == "aiven create" && killed {
			return answer(502, "killed")
		}
		return nil
	}
	w.creates(allWell, nil).Times(2)
	_, _ = w.reconcile()
	assert.Equal(t, "intended", w.get().Status.Type)
	killed = false
	w.settle()
	assert.Equal(t, "intended", w.get().Status.Type)
}

func TestNothingIsCreatedIfTheIntentCannotBePersisted(t *testing.T) {
	w := newWorld(t, newUser())
	w.engine.kind.PersistIntent = true
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(
		func(_ context.Context, obj *v1alpha1.ServiceUser) (Observation, error) {
			obj.Status.Type = "intended"
			return nothing, nil
		})
	w.before = func(call string) error {
		if call == "status" {
			return errors.New("the API server is gone")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "the API server is gone")
	assert.Equal(t, []string{"finalizers"}, w.journal)
}

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

func TestAStaleObjectIsReconciledAgainAtOnceWithoutAnEvent(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(Observation{}, answer(400, "bad"))
	w.before = func(call string) error {
		if call == "status" {
			return apierrors.NewConflict(schema.GroupResource{Resource: "serviceusers"}, "joe", nil)
		}
		return nil
	}
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, immediately, result.RequeueAfter)
	assert.Empty(t, w.events)
}
