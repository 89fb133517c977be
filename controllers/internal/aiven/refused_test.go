package aiven_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAnAttemptIsRefusedIfNoneOfItsWritesMayHaveApplied(t *testing.T) {
	const first, second = "POST service/my-pg/user", "DELETE service/my-pg/user/app"
	created, refused := aiventest.OK(nil), aiventest.Refused(400, "no")
	for name, tc := range map[string]struct {
		first, second aiventest.Answer
		err           error
		want          bool
	}{
		"both refused":                        {refused, refused, fault.InvalidSpec("spec.x", "no"), true},
		"the first applied":                   {created, refused, fault.InvalidSpec("spec.x", "no"), false},
		"the first may have":                  {aiventest.Refused(502, "oops"), refused, fault.InvalidSpec("spec.x", "no"), false},
		"the first may have, by a 500":        {aiventest.Refused(500, "oops"), refused, fault.InvalidSpec("spec.x", "no"), false},
		"refused, and it may be tried again":  {refused, aiventest.Refused(409, "busy"), fault.NotYet("busy"), false},
		"no write at all, and an invalid one": {err: fault.InvalidSpec("spec.x", "no"), want: true},
		"no error":                            {refused, refused, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On("GET service/my-pg", aiventest.Service(nil))
			a.On(first, tc.first)
			a.On(second, tc.second)
			client, ctx := a.Client(), aiven.WithCaller(t.Context(), "uid")
			_, err := client.API().ServiceGet(ctx, aiventest.Project, "my-pg")
			assert.NoError(t, err)
			if name != "no write at all, and an invalid one" {
				_, _ = client.API().ServiceUserCreate(ctx, aiventest.Project, "my-pg", nil)
				_ = client.API().ServiceUserDelete(ctx, aiventest.Project, "my-pg", "app")
			}
			assert.Equal(t, tc.want, aiven.Refused(ctx, tc.err))
			assert.False(t, aiven.Refused(t.Context(), tc.err), "calls that no object makes aren't an attempt")
		})
	}
}
