package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

func TestInvariant9_NothingIsChangedAfterAFailedObservation(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(Observation{}, answer(503, "down"))
	_, err := w.reconcile()
	require.ErrorContains(t, err, "down")
	assert.Equal(t, []string{"status"}, w.journal)
	assert.Equal(t, "Unknown/ProgressingWithRetry", w.ready())
}

func TestE03_NoTokenNoCall(t *testing.T) {
	w := newWorld(t, newUser(func(u *v1alpha1.ServiceUser) {
		u.Spec.AuthSecretRef = &v1alpha1.AuthSecretReference{Name: "token", Key: "token"}
	}))
	result, err := w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, 5*time.Minute, result.RequeueAfter)
	assert.Equal(t, "False/TokenMissing", w.condition(condition.AuthValid))
	assert.Equal(t, "False/AuthFailed", w.ready())
	assert.False(t, ownership.HasFinalizer(w.get()), "nothing was begun")
}

func TestE17_AReconcileThatIsCutOffWritesNothing(t *testing.T) {
	w := newWorld(t, newUser())
	ctx, cancel := context.WithCancel(t.Context())
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(
		func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) {
			cancel()
			return Observation{}, ctx.Err()
		})
	_, err := w.engine.Reconcile(ctx, reconcile.Request{NamespacedName: w.key})
	require.NoError(t, err, "it's no error")
	assert.Empty(t, w.journal)
	assert.Empty(t, w.events)
}

func TestE18_W16_AStatusThatCanNotBeWrittenHidesNoError(t *testing.T) {
	denied := func(call string) error {
		if call == "status" {
			return errors.New("status denied")
		}
		return nil
	}
	t.Run("the error of the reconcile goes first", func(t *testing.T) {
		w := newWorld(t, newUser())
		w.before = denied
		w.observes(Observation{}, answer(503, "down"))
		_, err := w.reconcile()
		require.ErrorContains(t, err, "down")
	})
	t.Run("without one, that of the status is returned alone", func(t *testing.T) {
		w := newWorld(t, newUser())
		w.before = denied
		w.observes(allWell, nil)
		result, err := w.reconcile()
		require.ErrorContains(t, err, "status denied")
		assert.Zero(t, result.RequeueAfter)
	})
}
