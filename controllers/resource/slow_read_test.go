package resource

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// A read that begins within the lag after a write may show what was before, also if its answer, or that to the next one, comes
// later.
func TestP11_AReadThatOutlastsTheLagLeadsToNoOtherWrite(t *testing.T) {
	for name, tc := range map[string]struct {
		shown  aiventest.Answer
		second bool // what is slow is another read, after that of the service
		wait   time.Duration
		writes bool
	}{
		"created":                 {shown: aiventest.Service(nil)},
		"created, two reads":      {shown: aiventest.Service(nil), second: true},
		"updated":                 {shown: with("other")},
		"updated, two reads":      {shown: with("other"), second: true},
		"created, after the lag":  {shown: aiventest.Service(nil), wait: lag, writes: true},
		"updated, after the lag":  {shown: with("other"), wait: lag, writes: true},
		"updated, just within it": {shown: with("other"), wait: lag - 1},
	} {
		t.Run(name, func(t *testing.T) {
			a := &aiventest.Slow{Aiven: aiventest.New(t), Now: time.Now()}
			a.On(lookup, tc.shown)
			a.On("POST service/my-pg/user", aiventest.OK(nil))
			a.On("PUT service/my-pg/user/app", aiventest.OK(nil))
			client := a.ClientWithLag(lag)
			env, obj, d := controllers.Env{Client: client}, object(), definition()
			find, slow := d.Find, false
			d.Find = func(ctx context.Context, s Scope, obj user) (*aiven.User, error) {
				if slow && tc.second {
					a.Now = a.Now.Add(2 * lag)
				}
				return find(ctx, s, obj)
			}
			first := d.Kind().New(env)
			o, err := first.Observe(t.Context(), obj)
			require.NoError(t, err)
			if o.Remote.Exists {
				_, _ = first.Update(t.Context(), obj, o)
			} else {
				_, _ = first.Create(t.Context(), obj)
			}
			client.Invalidate(aiventest.Project, "my-pg")
			a.Now = a.Now.Add(tc.wait)
			if slow = true; !tc.second {
				a.Delay = 2 * lag
			}
			o, err = d.Kind().New(env).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, tc.writes, o.WaitFor == "", "%+v", o)
		})
	}
}

func TestA404ThatOutlastsTheLagIsNoDeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		token string
		wait  time.Duration
		want  string
	}{
		"within the lag":                {token: "a-token", want: "blocked"},
		"within the lag, another token": {token: "another-token", want: "blocked"},
		"after the lag":                 {token: "another-token", wait: lag, want: "gone"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &aiventest.Slow{Aiven: aiventest.New(t), Now: time.Now()}
			a.On(lookup, aiventest.Service(nil))
			a.On("POST service/my-pg/user", aiventest.Refused(502, "oops"))
			a.On(remove, aiventest.Missing())
			clients, obj := a.Clients(lag), object()
			_, err := createWith(t, clients, "a-token", obj)
			require.Error(t, err)
			client, err := clients.ForToken(tc.token)
			require.NoError(t, err)
			a.Now, a.Delay = a.Now.Add(tc.wait), 2*lag
			err = definition().Kind().New(controllers.Env{Client: client}).Delete(t.Context(), obj)
			assert.Equal(t, tc.want, outcome(err), "%v", err)
		})
	}
}
