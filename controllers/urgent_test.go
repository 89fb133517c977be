package controllers

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

func TestASpecThatAivenRejectsOvertakesOthersOnceAGeneration(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(nothing, nil)
	w.creates(Observation{}, answer(400, "no such plan")).AnyTimes()
	urgent := func() bool {
		p, err := w.engine.fetch(t.Context(), reconcile.Request{NamespacedName: w.key})
		require.NoError(t, err)
		return status.IsAwaited(p.before, p.before.GetCommonStatus())
	}
	assert.False(t, urgent(), "a thousand new objects don't overtake an edit")
	w.settle()
	assert.Equal(t, "False/InvalidSpec", w.ready())
	assert.False(t, urgent())
	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation++ })
	assert.True(t, urgent(), "the spec was edited")
	w.settle()
	assert.False(t, urgent())
	w.edit(finalized)
	w.delete()
	assert.True(t, urgent(), "a deletion")
	w.deletes(answer(503, "down"))
	_, err := w.reconcile()
	require.Error(t, err)
	assert.True(t, urgent(), "a deletion that Aiven couldn't answer")
	w.deletes(answer(409, "the user owns things"))
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.Equal(t, "Unknown/DeletionBlocked", w.ready())
	assert.False(t, urgent(), "a deletion that is blocked")
	w.deletes(answer(400, "not a user that can be deleted"))
	_, err = w.reconcile()
	require.Error(t, err)
	assert.Equal(t, "Unknown/ProgressingWithRetry", w.ready())
	assert.False(t, urgent(), "a deletion that Aiven refuses")
	w.deletes(fault.NoTurn("ServiceUserDelete", time.Second))
	_, err = w.reconcile()
	require.NoError(t, err)
	assert.False(t, urgent(), "and that waits for its turn")
}

// What a user waits for overtakes polls in the budget of calls, by the context that the kind calls Aiven with.
func TestCallsForAnEditOrADeletionHavePriority(t *testing.T) {
	w := newWorld(t, newUser())
	var priority bool
	called := func(ctx context.Context) { priority = aiven.HasPriority(ctx) }
	w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) {
		called(ctx)
		return allWell, nil
	}).AnyTimes()
	w.settle()
	assert.False(t, priority, "a poll")
	w.edit(func(u *v1alpha1.ServiceUser) { u.Generation++ })
	_, err := w.reconcile()
	require.NoError(t, err)
	assert.True(t, priority, "an edit")
	w.settle()
	assert.False(t, priority, "a poll")
	w.aiven.EXPECT().Delete(gomock.Any(), gomock.Any()).DoAndReturn(func(ctx context.Context, _ *v1alpha1.ServiceUser) error {
		called(ctx)
		return nil
	}).Times(1)
	w.delete()
	w.settle()
	assert.True(t, priority, "a deletion")
}

// Where Aiven allows few calls, an object is polled less often.
func TestThePollsOfAnObjectStretchWhereAivenAllowsFewCalls(t *testing.T) {
	w := newWorld(t, newUser())
	w.observes(allWell, nil)
	poll := func() time.Duration {
		w.settle()
		result, err := w.reconcile()
		require.NoError(t, err)
		return result.RequeueAfter
	}
	usual := poll()
	w.start(aiven.Options{BaseURL: "http://192.0.2.1", QPS: 100, Transport: refusing{}})
	newKind := w.engine.kind.New
	w.engine.kind.New = func(env Env) AivenController[*v1alpha1.ServiceUser] {
		_, _ = env.Client.API().ServiceGet(t.Context(), "prj", "pg")
		return newKind(env)
	}
	assert.Greater(t, poll(), 2*usual)
}

// refusing is an Aiven that accepts no call.
type refusing struct{}

func (refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusTooManyRequests, Body: http.NoBody, Header: http.Header{"Retry-After": {"1"}}, Request: r}, nil
}
