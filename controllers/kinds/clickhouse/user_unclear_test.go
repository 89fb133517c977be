package clickhouse

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewUser(t *testing.T) {
	nameless := userAt("app")
	nameless["uuid"], nameless["password"] = "", "of-aiven"
	for name, answer := range map[string]aiventest.Answer{
		"empty":         aiventest.OK(aiventest.Object{}),
		"without an id": aiventest.OK(aiventest.Object{"user": nameless}),
		"another one":   madeUser("theirs", "of-theirs"),
	} {
		for what, edits := range map[string][]func(*v1alpha1.ClickhouseUserSpec){"a declared password": {declared}, "one of Aiven's": nil} {
			t.Run(name+", with "+what, func(t *testing.T) {
				a, obj := aiventest.New(t), clickhouseUser("app", edits...)
				a.On(lookup, running())
				a.On(userList, users())
				a.On(userCreate, answer)
				client := moving(t, a)
				c := User.New(with(t, client, obj, "declared-password"))
				_, err := c.Observe(t.Context(), obj)
				require.NoError(t, err)
				o, err := c.Create(t.Context(), obj)
				require.NoError(t, err)
				assert.Equal(t, "Creating", o.Remote.Reason, "%+v", o.Remote)
				assert.True(t, o.Details.Empty())
				assert.Empty(t, obj.Status.UUID)
				o, err = User.New(with(t, client, obj, "declared-password")).Observe(t.Context(), obj)
				require.NoError(t, err)
				assert.Equal(t, "Creating", o.Remote.Reason, "within the lag it isn't made twice")

				a.On(userList, users("app"))
				client.now = client.now.Add(lag)
				o, err = User.New(with(t, client, obj, "declared-password")).Observe(t.Context(), obj)
				require.NoError(t, err)
				assert.Equal(t, "id-of-app", obj.Status.UUID)
				if edits == nil {
					assert.Equal(t, connection.Missing, o.Details.Prefixed()["PASSWORD"], "it is reset")
				} else {
					assert.Equal(t, []string{"spec.connInfoSecretSource"}, o.Diff.Paths(), "it is set")
				}
			})
		}
	}
}
