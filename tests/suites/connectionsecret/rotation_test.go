package connectionsecret_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

func realPostgreSQL(t *testing.T) localaiven.Options {
	t.Helper()
	machine := postgres.New()
	if err := machine.Available(); err != nil {
		t.Skip("needs a real PostgreSQL: ", err)
	}
	return localaiven.Options{Engines: []engine.Engine{machine}}
}

// writesOfARotation is about how many writes one rotation takes, at the API server and at Aiven.
const writesOfARotation = 9

// The bounds of the logins meanwhile, with room for a machine that runs much else: beside much else it had 13 in a second, and 1 s at most between two.
const (
	longestPause = 5 * time.Second
	leastLogins  = 2.0
)

// TestNoLoginFailsWhileTwoUsersAreRotatedAndTheOperatorIsKilled has an application that logs in every 20 ms, and one that goes on with the
// login from before the latest rotation. make crash has 100 rotations.
func TestNoLoginFailsWhileTwoUsersAreRotatedAndTheOperatorIsKilled(t *testing.T) {
	t.Parallel()
	rotations := 6
	if *sampling.Whole {
		rotations = 100
	}
	e, obj := killedAt(t, testenv.Options{Aiven: realPostgreSQL(t)})
	application, kills, begun := e.application(obj), 0, time.Now()
	offset := sampling.Choice(sampling.Commit, 2*writesOfARotation, "rotation")
	for i := range rotations {
		before, at := e.secret(obj), (i*5+offset)%(2*writesOfARotation)
		e.condemn(at/2+1, at%2 == 1)
		request := fmt.Sprint("request-", i)
		e.ask(obj, request)
		e.Until(func() bool {
			select {
			case <-e.died:
				kills++
				e.restart()
			default:
			}
			e.Get(obj)
			return obj.Status.LastHandledRotateAt == request
		}, func() string { return fmt.Sprintf("rotation %d isn't done: %v", i, obj.Status) })
		e.pardon()
		after := e.secret(obj)
		require.NotEqual(t, string(before.Data["PGUSER"]), string(after.Data["PGUSER"]), "each request is one turn")
		require.NoError(t, logIn(t.Context(), before), "the login from before is valid until the next rotation")
		application.hasRead(e.world)
	}
	logins, failures := application.end()
	took := time.Since(begun)
	t.Logf("%d rotations in %s, the operator killed at %d writes: %d logins, %d failed, at most %s between two",
		rotations, took.Round(time.Second), kills, logins, len(failures), application.longest.Round(time.Millisecond))
	assert.Empty(t, failures)
	assert.Less(t, application.longest, longestPause, "the logins go on through kills and restarts")
	assert.Greater(t, float64(logins)/took.Seconds(), leastLogins, "logins in a second")
	assert.GreaterOrEqual(t, kills, rotations/2, "the writes are met")
}

func TestTwoUsersHaveTheirTurns(t *testing.T) {
	t.Parallel()
	w, obj := twoUsers(t, testenv.Options{})
	assert.Equal(t, first, obj.Status.ActiveUser)
	assert.Equal(t, 720*time.Hour, obj.Status.NextRotation.Sub(obj.Status.ActiveSince.Truncate(time.Second)))
	initial, mark := w.data(obj), w.Aiven.Mark()
	assert.Equal(t, first, initial["PGUSER"])
	other := string(w.Secret(second).Data["ORDERS_PASSWORD"])

	w.ask(obj, "1")
	w.isHandled(obj, "1")
	data := w.data(obj)
	assert.Equal(t, []string{second, second}, []string{data["PGUSER"], obj.Status.ActiveUser})
	assert.NotEqual(t, other, data["PGPASSWORD"], "it was rotated before")
	assert.Equal(t, string(w.Secret(second).Data["ORDERS_PASSWORD"]), data["PGPASSWORD"])
	assert.Equal(t, initial["PGPASSWORD"], string(w.Secret(first).Data["ORDERS_PASSWORD"]), "that of the other user stays")
	w.WaitEvent(obj, "Normal", "Rotated")

	w.ask(obj, "2")
	w.isHandled(obj, "2")
	assert.Equal(t, first, w.data(obj)["PGUSER"])
	assert.NotEqual(t, initial["PGPASSWORD"], w.data(obj)["PGPASSWORD"])
	w.Rest(5)
	assert.Len(t, w.Aiven.Writes(mark), 2, "one request is one rotation")

	version := w.secret(obj).ResourceVersion
	w.Operator.Restart()
	w.Rest(20)
	assert.Equal(t, version, w.secret(obj).ResourceVersion, "a restart changes nothing")
	require.NoError(t, w.Client.Delete(t.Context(), w.secret(obj)))
	w.Until(func() bool { return w.secret(obj) != nil }, func() string { return "the Secret isn't published again" })
	assert.Equal(t, first, w.data(obj)["PGUSER"], "whose turn it is doesn't depend on the Secret alone")
	assert.Len(t, w.Aiven.Writes(mark), 2)

	w.Delete(obj)
	w.Until(func() bool { return w.secret(obj) == nil }, func() string { return "the Secret isn't collected" })
	w.Get(w.secondUser(nil))
}

// TestWhatAUserChangesIsFollowedOrRestored has a password that is set at Aiven, and a Secret that is edited.
func TestWhatAUserChangesIsFollowedOrRestored(t *testing.T) {
	t.Parallel()
	w, obj := twoUsers(t, testenv.Options{})
	w.rotate(first)
	w.Until(func() bool { return w.data(obj)["PGPASSWORD"] == "rotated-by-the-console-1" }, func() string { return "the Secret doesn't follow" })

	mark := w.Aiven.Mark()
	secret := w.secret(obj)
	w.Annotate(secret, "controllers.aiven.io/active-user", second)
	w.Until(func() bool { return w.secret(obj).Annotations["controllers.aiven.io/active-user"] == first }, func() string { return "the turn isn't restored" })
	secret = w.secret(obj)
	w.Annotate(secret, "controllers.aiven.io/active-since", "2020-01-01T00:00:00Z")
	w.Until(func() bool {
		return w.secret(obj).Annotations["controllers.aiven.io/active-since"] != "2020-01-01T00:00:00Z"
	}, func() string { return "the time isn't restored" })
	assert.Equal(t, first, w.data(obj)["PGUSER"])
	assert.Empty(t, w.Aiven.Writes(mark), "an edited Secret rotates nothing")
}

func TestAPausedRotationHasNoTurns(t *testing.T) {
	t.Parallel()
	w, obj := twoUsers(t, testenv.Options{})
	w.Annotate(obj, "controllers.aiven.io/paused", "true")
	mark := w.Aiven.Mark()
	w.ask(obj, "1")
	w.Rest(10)
	assert.Empty(t, w.Aiven.Writes(mark))
	w.Annotate(obj, "controllers.aiven.io/paused", "")
	w.isHandled(obj, "1")

	user := w.secondUser(nil)
	user.Name = first // whose turn is next
	w.Annotate(user, "controllers.aiven.io/paused", "true")
	w.ask(obj, "2")
	w.blocked(obj, "UserNotReady", "it is paused")
	w.Annotate(user, "controllers.aiven.io/paused", "")
	w.isHandled(obj, "2")
	w.Until(func() bool { return w.notBlocked(obj) }, func() string { return "the condition stays" })
}

func TestUsersThatCannotBeRotatedAreNamed(t *testing.T) {
	t.Parallel()
	w, obj := twoUsers(t, testenv.Options{})
	user := w.secondUser(nil)

	w.Annotate(user, "controllers.aiven.io/rotation-interval", "1h")
	assert.Contains(t, w.wait(obj, "False/InvalidSpec"), "spec.userRefs[1]: ServiceUser orders-app-2 has the annotation controllers.aiven.io/rotation-interval")
	w.Annotate(user, "controllers.aiven.io/rotation-interval", "")
	w.ready(obj)

	w.SetSecret("declared", map[string]string{"password": "declared-by-the-user"})
	w.Change(user, func() {
		user.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: "declared", PasswordKey: "password"}
	})
	assert.Contains(t, w.wait(obj, "False/InvalidSpec"), "spec.connInfoSecretSource")
	w.Change(user, func() { user.Spec.ConnInfoSecretSource = nil })
	w.ready(obj)

	younger := w.turns()
	younger.Name = "younger"
	w.Create(younger)
	assert.Contains(t, w.wait(younger, "False/Conflict"), "spec.userRefs[0]: ServiceUser orders-app is already managed by ServiceUserRotation orders")
	assert.Nil(t, w.secret(younger))

	w.Annotate(user, "controllers.aiven.io/management-policy", "Observe")
	w.ask(obj, "1")
	w.blocked(obj, "RotationRefused", "ServiceUser orders-app-2 has its turn. The password isn't rotated: annotation controllers.aiven.io/management-policy")
	w.ready(obj)
	w.Annotate(user, "controllers.aiven.io/management-policy", "")
	w.isHandled(obj, "1")
	before := w.data(obj)

	gone := w.Example("serviceuser")
	w.Get(gone)
	w.Delete(gone)
	w.WaitGone(gone)
	assert.Contains(t, w.wait(obj, "False/ReferenceNotFound"), "spec.userRefs[0]: ServiceUser "+w.Namespace+"/orders-app doesn't exist")
	assert.Equal(t, before, w.data(obj), "the login is valid, and stays")
	w.Create(w.Example("serviceuser"))
	w.ready(obj)
	assert.Equal(t, before, w.data(obj))

	w.Delete(obj)
	w.ready(younger)
}

func TestASecretOfAnotherOwnerIsLeftAloneAndNothingIsRotated(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	user := w.secondUser(nil)
	w.Create(user)
	w.Wait(user, testenv.Ready())
	w.SetSecret("taken", map[string]string{"a": "b"})
	obj, mark := w.turns(), w.Aiven.Mark()
	obj.Spec.Target.Name = "taken"
	w.Create(obj)
	assert.Contains(t, w.wait(obj, "False/ConnInfoSecretConflict"), "spec.target.name")
	w.ask(obj, "1")
	w.Rest(10)
	assert.Equal(t, map[string]string{"a": "b"}, w.data(obj))
	assert.Empty(t, w.Aiven.Writes(mark))
}

func TestUsersOfTwoServicesHaveNoTurns(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	w.Aiven.Service(w.Project, "another-pg")
	user := w.secondUser(func(u *v1alpha1.ServiceUser) { u.Spec.ServiceName = "another-pg" })
	w.Create(user)
	w.Wait(user, testenv.Ready())
	obj := w.turns()
	w.Create(obj)
	assert.Contains(t, w.wait(obj, "False/InvalidSpec"), "ServiceUser orders-app-2 is of another service than ServiceUser orders-app")
	assert.Nil(t, w.secret(obj))
}

// blocked waits until a rotation says why it doesn't take place.
func (w world) blocked(obj *aero.ServiceUserRotation, reason, message string) {
	w.T.Helper()
	w.Until(func() bool {
		w.Get(obj)
		for _, c := range obj.Status.Conditions {
			if c.Type == "RotationBlocked" && c.Reason == reason {
				assert.Contains(w.T, c.Message, message)
				return true
			}
		}
		return false
	}, func() string { return fmt.Sprintf("RotationBlocked isn't %s: %v", reason, obj.Status.Conditions) })
}

func (w world) notBlocked(obj *aero.ServiceUserRotation) bool {
	w.Get(obj)
	for _, c := range w.conditions(obj) {
		if c == "RotationBlocked=True" {
			return false
		}
	}
	return true
}
