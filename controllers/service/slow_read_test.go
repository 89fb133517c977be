package service

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// A read that begins within the lag after a write may show what was before, also if its answer comes later.
func TestP11_AServiceReadThatOutlastsTheLagProvesNothing(t *testing.T) {
	const lag = 10 * time.Second
	for name, tc := range map[string]struct {
		wait    time.Duration
		pending bool
	}{
		"began within the lag": {wait: lag - 1, pending: true},
		"began after it":       {wait: lag},
	} {
		t.Run("an update, "+name, func(t *testing.T) {
			a := &aiventest.Slow{Aiven: aiventest.New(t), Now: time.Now()}
			a.On(lookup, aiventest.Service(aiventest.Object{"plan": "startup-8"}))
			a.On(put, aiventest.Refused(502, "oops"))
			env, obj := controllers.Env{Client: a.ClientWithLag(lag)}, object()
			c := definition().Controller(env)
			seen, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Update(t.Context(), obj, seen)
			require.Error(t, err)
			a.Now, a.Delay = a.Now.Add(tc.wait), 2*lag
			seen, err = definition().Controller(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.pending, len(seen.Diff) == 0, "%+v", seen)
		})
		t.Run("a creation, "+name, func(t *testing.T) {
			a := &aiventest.Slow{Aiven: aiventest.New(t), Now: time.Now()}
			a.On(lookup, aiventest.Missing())
			a.On("POST service", aiventest.Refused(502, "oops"))
			env, obj := controllers.Env{Client: a.ClientWithLag(lag)}, object()
			c := definition().Controller(env)
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Create(t.Context(), obj)
			require.Error(t, err)
			a.Now, a.Delay = a.Now.Add(tc.wait), 2*lag
			seen, err := definition().Controller(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			want := controllers.Observation{}
			if tc.pending {
				want.Remote = status.Remote{Exists: true, Reason: "Creating", Message: "Waiting for Aiven to show what was written"}
				want.WaitFor = want.Remote.Message
			}
			assert.Equal(t, want, seen)
		})
		t.Run("a deletion, "+name, func(t *testing.T) {
			a := &aiventest.Slow{Aiven: aiventest.New(t), Now: time.Now()}
			a.On(lookup, aiventest.Missing())
			a.On("POST service", aiventest.Refused(502, "oops"))
			env, obj := controllers.Env{Client: a.ClientWithLag(lag)}, object()
			ownership.Begin(obj, true)
			a.Now = a.Now.Add(lag) // no earlier process matters
			_, err := definition().Controller(env).Create(t.Context(), obj)
			require.Error(t, err)
			a.Now, a.Delay = a.Now.Add(tc.wait), 2*lag
			err = definition().Controller(env).Delete(t.Context(), obj)
			if tc.pending {
				assert.Equal(t, deletion.WritePending(), err)
				return
			}
			assert.NoError(t, err)
		})
	}
}
