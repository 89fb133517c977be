package controllers

import (
	"context"
	"errors"
	"slices"
	"strings"
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
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/store"
)

// resetter is a kind that can reset credentials.
type resetter struct {
	AivenController[*v1alpha1.ServiceUser]
	published connection.Published
	reset     func() (Observation, error)
}

// Observe finds what the mock does, and the password where it was published.
func (r *resetter) Observe(ctx context.Context, obj *v1alpha1.ServiceUser) (Observation, error) {
	o, err := r.AivenController.Observe(ctx, obj)
	if password, published := r.published.Value("PASSWORD", ""); published && o.Details.Empty() {
		o.Details.Password, o.Details.Layout = password, withPassword
	}
	return o, err
}

func (r *resetter) ResetCredentials(context.Context, *v1alpha1.ServiceUser, Observation) (Observation, error) {
	return r.reset()
}

// newOnce has a kind whose user exists, and whose password is unknown until it is reset.
func newOnce(t *testing.T, others ...client.Object) *world[*v1alpha1.ServiceUser] {
	w := newWorld(t, newUser(), others...)
	unknown := allWell
	unknown.Details = connection.Info{Keep: []string{"PASSWORD"}}
	w.observes(unknown, nil)
	issuesOnce(w)
	return w
}

// issuesOnce makes the kind one whose password only a reset returns.
func issuesOnce(w *world[*v1alpha1.ServiceUser]) {
	known := allWell
	known.Details = connection.Info{Keep: []string{"PASSWORD"}, Password: "issued", Layout: withPassword}
	w.engine.kind.CredentialsOnce = true
	w.engine.kind.New = func(env Env) AivenController[*v1alpha1.ServiceUser] {
		return &resetter{w.aiven, env.Published, func() (Observation, error) { return known, w.note("aiven reset") }}
	}
}

func count(journal []string, call string) int { return len(journal) - len(without(journal, call)) }

func TestCredentialsThatAreLostAreResetOnceAfterADryRun(t *testing.T) {
	w := newOnce(t)
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, []string{"finalizers", "status", "create", "aiven reset", "create", "annotations", "status"}, w.journal,
		"the first create is the dry run")
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	require.Len(t, w.events, 1)
	assert.Contains(t, w.events[0], "Reset the password at Aiven: the connection Secret didn't have it")
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

// A dry run may pass where the write is refused.
func TestCredentialsThatCouldNotBePublishedAfterAResetArePublishedLater(t *testing.T) {
	w := newOnce(t)
	creates := 0
	w.before = func(call string) error {
		if call == "create" {
			if creates++; creates > 1 {
				return errors.New("the API server is gone")
			}
		}
		return nil
	}
	for range 20 {
		_, err := w.reconcile()
		require.ErrorContains(t, err, "the API server is gone")
		w.now = w.now.Add(5 * time.Minute)
	}
	assert.Equal(t, 1, count(w.journal, "aiven reset"))
	w.before = func(string) error { return nil }
	for range 3 {
		_, err := w.reconcile()
		require.NoError(t, err)
	}
	assert.Equal(t, 1, count(w.journal, "aiven reset"))
	assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
	var secret corev1.Secret
	require.NoError(t, w.cluster.Get(t.Context(), w.key, &secret))
	assert.Equal(t, "issued", string(secret.Data["SERVICEUSER_PASSWORD"]))
}

func TestCredentialsThatCouldNotBePublishedAfterACreationArePublishedLater(t *testing.T) {
	w := newWorld(t, newUser())
	made := allWell
	made.Details = connection.Info{Keep: []string{"PASSWORD"}, Password: "made", Layout: withPassword}
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).Return(nothing, nil)
	w.creates(made, nil)
	issuesOnce(w)
	refused := true
	w.before = func(call string) error {
		if call == "create" && refused {
			return errors.New("the API server is gone")
		}
		return nil
	}
	_, err := w.reconcile()
	require.ErrorContains(t, err, "the API server is gone")
	refused = false
	unknown := allWell
	unknown.Details = connection.Info{Keep: []string{"PASSWORD"}}
	w.observes(unknown, nil)
	_, err = w.reconcile()
	require.NoError(t, err)
	var secret corev1.Secret
	require.NoError(t, w.cluster.Get(t.Context(), w.key, &secret))
	assert.Equal(t, "made", string(secret.Data["SERVICEUSER_PASSWORD"]))
	assert.Zero(t, count(w.journal, "aiven reset"))
}

func TestAResetOfLostCredentialsComesAfterWhatIsToBeSent(t *testing.T) {
	unknown := connection.Info{Keep: []string{"PASSWORD"}}
	for name, tc := range map[string]struct {
		writeOnly []string
		before    func(*v1alpha1.ServiceUser)
	}{
		"a write-only option of a new generation": {writeOnly: []string{"spec.secretOption"}},
		"an apply that a user requests":           {before: accepted(v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: newUser().UID})},
	} {
		t.Run(name, func(t *testing.T) {
			user := newUser()
			if tc.before != nil {
				tc.before(user)
			}
			w := newWorld(t, user)
			lost := allWell
			lost.Details, lost.WriteOnly = unknown, tc.writeOnly
			w.observes(lost, nil)
			w.updates(lost, nil).Times(1)
			issuesOnce(w)
			result, err := w.reconcile()
			require.NoError(t, err)
			assert.Equal(t, []string{"aiven update"}, callsOfAiven(w.journal))
			assert.LessOrEqual(t, result.RequeueAfter, 10*time.Second, "the credentials are still missing")
			for range 3 {
				_, err = w.reconcile()
				require.NoError(t, err)
			}
			assert.Equal(t, []string{"aiven update", "aiven reset"}, callsOfAiven(w.journal))
			assert.Equal(t, "True/ReconciliationSucceeded", w.ready())
		})
	}
}

func callsOfAiven(journal []string) []string {
	return slices.DeleteFunc(slices.Clone(journal), func(call string) bool { return !strings.HasPrefix(call, "aiven ") })
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
			bare.Details = connection.Info{}
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
	assert.Equal(t, store.Soon, result.RequeueAfter)
	assert.Empty(t, w.events)
}
