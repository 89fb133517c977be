package shared

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/referencetest"
)

// Aiven may show a user late. One that was made in part is waited for, and not made again.
func TestAUserThatWasMadeOrChangedInPartIsPending(t *testing.T) {
	access := rules(v1alpha1.ServiceUserAccessControl{ValkeyACLKeys: []string{"app:*"}})
	for name, answer := range map[string]aiventest.Answer{
		"refused":          aiventest.Refused(400, "no"),
		"failed":           aiventest.Refused(500, "oops"),
		"timed out":        aiventest.Refused(408, "too late"),
		"refused for good": aiventest.Refused(403, "no"),
	} {
		t.Run("created, and setting its password is "+name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			a.On(createRoute, aiventest.OK(aiventest.Object{"user": aiventest.Object{"username": "app", "type": "normal"}}))
			a.On(modifyRoute, answer)
			assert.Equal(t, "Creating", observedAfterAFailure(t, a, user(declared)).Remote.Reason)
		})
		t.Run("its rules are set, and setting its password is "+name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, has(nil))
			a.On(modifyRoute, aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(nil)}), answer)
			assert.Equal(t, "Updating", observedAfterAFailure(t, a, user(declared, access)).Remote.Reason)
		})
	}
	t.Run("a single call that is refused leaves nothing pending", func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, aiventest.Service(nil))
		a.On(createRoute, aiventest.Refused(400, "no"))
		assert.False(t, observedAfterAFailure(t, a, user(declared)).Remote.Exists)
	})
}

// observedAfterAFailure is what is observed after a write that fails.
func observedAfterAFailure(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.ServiceUser) controllers.Observation {
	refs := referencetest.Resolve(t, obj, User.References, referencetest.Secret("source", map[string]string{"password": "declared-password"}))
	env := controllers.Env{Client: a.Client(), Refs: refs}
	first := User.New(env)
	o, err := first.Observe(t.Context(), obj)
	require.NoError(t, err)
	if o.Remote.Exists {
		_, err = first.Update(t.Context(), obj, o)
	} else {
		_, err = first.Create(t.Context(), obj)
	}
	require.Error(t, err)
	o, err = User.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	return o
}

// The engine sends a difference that stays the same twice, and once more twice for another version of the Secret.
func TestAPasswordThatAivenKeepsToItselfIsNotPublishedAndDiffersInTheSameWay(t *testing.T) {
	for name, shown := range map[string]string{"left out": "", "redacted": "<redacted>"} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, has(aiventest.Object{"password": shown}))
			o, err := start(t, a, user(declared), "declared-password").Observe(t.Context(), user(declared))
			require.NoError(t, err)
			assert.True(t, o.Details.Empty())
			assert.Equal(t, controllers.Diff{{Path: "spec.connInfoSecretSource", Wanted: "(secret)", Found: "(secret)"}}.Entries(), o.Diff.Entries())
			o, err = start(t, a, user(), "").Observe(t.Context(), user())
			require.NoError(t, err)
			assert.True(t, o.Details.Empty())
			assert.Empty(t, o.Diff)
		})
	}
	t.Run("redacted in the answer to the creation", func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, aiventest.Service(nil), has(nil))
		a.On(createRoute, aiventest.OK(aiventest.Object{"user": aiventest.Object{"username": "app", "type": "normal", "password": "<redacted>"}}))
		c := start(t, a, user(), "")
		_, err := c.Observe(t.Context(), user())
		require.NoError(t, err)
		o, err := c.Create(t.Context(), user())
		require.NoError(t, err)
		assert.Equal(t, "made-up-password", o.Details.Prefixed()["PASSWORD"], "it was read")
	})
}

func TestNothingIsConcludedFromAnAnswerThatDoesNotHoldTheNewUser(t *testing.T) {
	for name, answer := range map[string]aiventest.Object{
		"empty": {}, "another one": userAtAiven(aiventest.Object{"username": "theirs", "type": "primary"}),
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), user()
			a.On(lookup, aiventest.Service(nil))
			a.On(createRoute, aiventest.OK(aiventest.Object{"user": answer}))
			c := start(t, a, obj, "")
			_, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			o, err := c.Create(t.Context(), obj)
			require.NoError(t, err)
			assert.Equal(t, "Creating", o.Remote.Reason, "%+v", o.Remote)
			assert.True(t, o.Details.Empty())
			assert.Empty(t, obj.Status.Type)
		})
	}
}
