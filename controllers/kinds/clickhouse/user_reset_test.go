package clickhouse

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// resets counts the resets among the calls since it was asked last.
func resets(a *aiventest.Aiven) int {
	count := 0
	for _, call := range a.Calls() {
		if call == userReset+" {}" || call == userReset+` {"password":null}` {
			count++
		}
	}
	return count
}

// A reset takes the password away from applications that use it, so it isn't repeated on every pass.
func TestAResetWithoutAPasswordInItsAnswerIsNotRepeatedForALongTime(t *testing.T) {
	for name, answer := range map[string]aiventest.Answer{
		"none":             aiventest.OK(nil),
		"an empty one":     aiventest.OK(aiventest.Object{"password": ""}),
		"a hidden one":     aiventest.OK(aiventest.Object{"password": "<redacted>"}),
		"one that is null": aiventest.OK(aiventest.Object{"password": nil}),
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, users("app"))
			a.On(userReset, answer)
			client, memory, obj := moving(t, a), &sync.Map{}, clickhouseUser("app")
			pass := func() (controllers.Observation, error) {
				client.now = client.now.Add(10 * time.Second)
				c := User.New(controllers.Env{Client: client.Client, Memory: memory})
				o, err := c.Observe(t.Context(), obj)
				require.NoError(t, err)
				return c.(controllers.CredentialsResetter[*v1alpha1.ClickhouseUser]).ResetCredentials(t.Context(), obj, o)
			}
			for range 50 { // eight minutes
				_, err := pass()
				require.ErrorContains(t, err, "Aiven reset the credentials and didn't return them")
				require.ErrorContains(t, err, "set spec.connInfoSecretSource")
				assert.Equal(t, fault.Unknown, fault.Of(err).Class, "the engine backs off, and shows it")
			}
			assert.Equal(t, 1, resets(a))

			client.now = client.now.Add(10 * time.Minute)
			_, err := pass()
			require.Error(t, err)
			assert.Equal(t, 1, resets(a), "an answer that lacks it once needn't lack it for good")

			a.On(userReset, aiventest.OK(aiventest.Object{"password": "of-aiven"}))
			client.now = client.now.Add(10 * time.Minute)
			o, err := pass()
			require.NoError(t, err)
			assert.Equal(t, "of-aiven", o.Details.Prefixed()["PASSWORD"])
		})
	}
}

// After an edit, and in a new process, which doesn't know whether an answer was lost, one reset is due.
// A reset whose answer was lost may still be made: after the next one, whose password is published, it would take that away.
func TestAResetThatMayStillBeMadeIsNotFollowedByAnotherWithinTheLag(t *testing.T) {
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		wait   time.Duration
		resets int
	}{
		"its answer was lost": {answer: aiventest.Refused(504, "later"), wait: lag - 1, resets: 1},
		"and the lag is over": {answer: aiventest.Refused(504, "later"), wait: lag, resets: 2},
		"it was refused":      {answer: aiventest.Refused(400, "no"), resets: 2},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, users("app"))
			a.On(userReset, tc.answer, aiventest.OK(aiventest.Object{"password": "new"}))
			client, memory, obj := moving(t, a), &sync.Map{}, clickhouseUser("app")
			pass := func() (controllers.Observation, error) {
				c := User.New(controllers.Env{Client: client.Client, Memory: memory})
				o, err := c.Observe(t.Context(), obj)
				require.NoError(t, err)
				return c.(controllers.CredentialsResetter[*v1alpha1.ClickhouseUser]).ResetCredentials(t.Context(), obj, o)
			}
			_, err := pass()
			require.Error(t, err)
			client.now = client.now.Add(tc.wait)
			o, err := pass()
			assert.Equal(t, tc.resets, resets(a))
			if tc.resets == 1 {
				assert.Equal(t, fault.Conflict, fault.Of(err).Class, "%v", err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "new", o.Details.Prefixed()["PASSWORD"])
		})
	}
}

func TestAResetIsDueAfterAnEditAndInANewProcess(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running())
	a.On(userList, users("app"))
	a.On(userReset, aiventest.OK(nil))
	client, memory, obj := moving(t, a), &sync.Map{}, clickhouseUser("app")
	pass := func() {
		c := User.New(controllers.Env{Client: client.Client, Memory: memory})
		o, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		_, err = c.(controllers.CredentialsResetter[*v1alpha1.ClickhouseUser]).ResetCredentials(t.Context(), obj, o)
		require.Error(t, err)
	}
	pass()
	pass()
	require.Equal(t, 1, resets(a))
	obj.Generation++
	pass()
	pass()
	assert.Equal(t, 1, resets(a))
	memory = &sync.Map{}
	pass()
	pass()
	assert.Equal(t, 1, resets(a))
}

// Aiven may hide a password that was sent, and names it nevertheless.
func TestAPasswordThatWasSentIsNotPublishedAfterAnAnswerWithoutOne(t *testing.T) {
	for name, tc := range map[string]struct {
		answer  aiventest.Answer
		unclear bool
	}{
		"nothing":          {aiventest.OK(nil), true},
		"something else":   {aiventest.OK(aiventest.Object{"service": "?", "user": aiventest.Object{"password": "x"}}), true},
		"an empty one":     {aiventest.OK(aiventest.Object{"password": ""}), false},
		"one that is null": {aiventest.OK(aiventest.Object{"password": nil}), false},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running())
			a.On(userList, users("app"))
			a.On(userReset, tc.answer)
			obj := clickhouseUser("app", declared)
			c := User.New(with(t, moving(t, a), obj, "declared-password"))
			o, err := c.Observe(t.Context(), obj)
			require.NoError(t, err)
			_, err = c.Update(t.Context(), obj, o)
			if !tc.unclear {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, fault.Unknown, fault.Of(err).Class)
			require.ErrorContains(t, err, "resetting password: unclear answer: Aiven has returned no password")
		})
	}
}

// Where it is the spec's, what the answer holds is of no account.
func TestAPasswordThatWasSentIsPublishedThoughAivenHidesIt(t *testing.T) {
	hidden := aiventest.OK(aiventest.Object{"password": "<redacted>"})
	a := aiventest.New(t)
	a.On(lookup, running())
	a.On(userList, users("app"))
	a.On(userReset, hidden)
	obj := clickhouseUser("app", declared)
	c := User.New(with(t, moving(t, a), obj, "declared-password"))
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Equal(t, "declared-password", o.Details.Prefixed()["PASSWORD"])

	a = aiventest.New(t)
	a.On(lookup, running())
	a.On(userList, users())
	a.On(userCreate, madeUser("app", "<redacted>"))
	c = User.New(with(t, moving(t, a), obj, "declared-password"))
	_, err = c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, "declared-password", o.Details.Prefixed()["PASSWORD"])
}
