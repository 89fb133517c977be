package service

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

func TestA404OfAServiceWhoseCreateMayStillApplyIsNoDeletion(t *testing.T) {
	const lag = 10 * time.Second
	for name, tc := range map[string]struct {
		created aiventest.Answer
		token   string // of the deletion
		restart bool
		wait    time.Duration
		pending bool
	}{
		"a create whose end isn't known":      {created: aiventest.Refused(502, "oops"), token: "a-token", pending: true},
		"a create that Aiven has refused":     {created: aiventest.Refused(400, "bad"), token: "a-token"},
		"after the lag":                       {created: aiventest.Refused(502, "oops"), token: "a-token", wait: lag},
		"with another token":                  {created: aiventest.Refused(502, "oops"), token: "another", pending: true},
		"in another process":                  {created: aiventest.Refused(502, "oops"), token: "a-token", restart: true, pending: true},
		"in another process, after the lag":   {created: aiventest.Refused(502, "oops"), token: "a-token", restart: true, wait: lag},
		"accepted, and with another token":    {created: aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}), token: "another", pending: true},
		"accepted, and after the lag of that": {created: aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}), token: "another", wait: lag},
	} {
		t.Run(name, func(t *testing.T) {
			a, now := aiventest.New(t), time.Now()
			a.On(lookup, aiventest.Missing())
			a.On("POST service", tc.created)
			options := aiven.Options{Transport: a, ReadLag: lag, Now: func() time.Time { return now }}
			clients, obj := aiven.New(options), object()
			ownership.Begin(obj, true)
			client, err := clients.ForToken("a-token")
			require.NoError(t, err)
			now = now.Add(lag) // this process remembers all writes that matter
			_, _ = definition().Controller(controllers.Env{Client: client}).Create(t.Context(), obj)
			if tc.restart {
				clients = aiven.New(options)
			}
			client, err = clients.ForToken(tc.token)
			require.NoError(t, err)
			now = now.Add(tc.wait)
			err = definition().Controller(controllers.Env{Client: client}).Delete(t.Context(), obj)
			if tc.pending {
				assert.Equal(t, deletion.WritePending(), err)
				return
			}
			assert.NoError(t, err)
		})
	}
}

func TestReviewH7_AnUnclearAnswerIsNoDeletionOfAService(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  aiventest.Answer
		class   fault.Class
		blocked bool
	}{
		"an empty answer":          {answer: aiventest.OK(nil), class: fault.Unknown},
		"a service without fields": {answer: aiventest.OK(aiventest.Object{"service": aiventest.Object{}}), class: fault.Unknown},
		"a 404 of a route":         {answer: aiventest.Refused(404, "Not Found"), blocked: true},
		"a 404 of the project":     {answer: aiventest.Refused(404, "Project does not exist"), blocked: true},
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), object()
			a.On(lookup, tc.answer)
			a.On("GET service", tc.answer) // the list of the project gets the same
			err := start(t, a, obj).Delete(t.Context(), obj)
			if blocked := (*deletion.BlockedError)(nil); tc.blocked {
				assert.ErrorAs(t, err, &blocked)
				return
			}
			assert.Equal(t, tc.class, fault.Of(err).Class)
		})
	}
}
