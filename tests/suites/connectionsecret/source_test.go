package connectionsecret_test

import (
	"slices"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

func TestASourceInAnotherNamespaceNeedsAGrant(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{Second: true})
	obj := w.reader(libpq)
	obj.Namespace, obj.Spec.SourceRef.Namespace = w.Second, w.Namespace
	w.Create(obj)
	const needed = "spec.sourceRef needs a ReferenceGrant in the namespace "
	assert.Contains(t, w.wait(obj, "False/ReferenceNotPermitted"), needed+w.Namespace)
	assert.Nil(t, w.secret(obj))

	grant := w.grant()
	w.Create(grant)
	w.ready(obj)
	before := w.data(obj)
	assert.NotEmpty(t, before["PGPASSWORD"])

	w.Delete(grant)
	w.wait(obj, "False/ReferenceNotPermitted")
	w.rotate("orders-app")
	w.Until(func() bool { return string(w.Secret("orders-app").Data["ORDERS_PASSWORD"]) != before["PGPASSWORD"] }, func() string { return "nothing was rotated" })
	assert.Equal(t, before, w.data(obj), "the last Secret stays as it is")

	w.Create(w.grant())
	w.ready(obj)
	w.Until(func() bool {
		return w.data(obj)["PGPASSWORD"] == string(w.Secret("orders-app").Data["ORDERS_PASSWORD"])
	},
		func() string { return "the Secret doesn't follow its source" })
}

func TestTheSecretFollowsItsSource(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{Config: testenv.OnlyWatches})
	obj := w.reader(libpq)
	before := w.create(obj)
	w.rotate("orders-app")
	w.Until(func() bool { return w.data(obj)["PGPASSWORD"] != before["PGPASSWORD"] }, func() string { return "the Secret has the old password" })

	user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
	w.Get(user)
	w.Delete(user)
	w.WaitGone(user)
	assert.Contains(t, w.wait(obj, "False/ReferenceNotFound"), "spec.sourceRef")
	last := w.data(obj)
	assert.NotEmpty(t, last["PGPASSWORD"], "the Secret stays")
	w.Create(w.Example("serviceuser"))
	w.ready(obj)
	w.Until(func() bool { return w.data(obj)["PGPASSWORD"] != last["PGPASSWORD"] }, func() string { return "it is the login of the user that is gone" })
}

// The route of the source's own connection Secret is that of all Secrets of it. Without an endpoint there, the source has no login.
func TestASourceThatHasNoLoginAnyLongerIsNotReady(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{Config: testenv.OnlyWatches})
	obj := w.reader(libpq)
	before := w.create(obj)
	user := w.Example("serviceuser")
	w.Get(user)
	w.Annotate(user, "controllers.aiven.io/connection-route", "privatelink")
	assert.Contains(t, w.wait(obj, "Unknown/Progressing"), "Waiting for ServiceUser "+w.Namespace+"/orders-app to connect. Its own status has the reason")
	assert.Equal(t, before, w.data(obj), "the last Secret stays")
	w.Annotate(user, "controllers.aiven.io/connection-route", "")
	w.ready(obj)
	assert.Equal(t, before, w.data(obj))
}

// The order of what is applied together doesn't matter, and a source needs no Secret of its own.
func TestASourceMayPublishNothingItself(t *testing.T) {
	t.Parallel()
	w := world{testenv.New(t, testenv.Options{Kinds: []string{"PostgreSQL", "ServiceUser", "Database"}})}
	obj := w.reader(func(spec *aero.ConnectionSecretSpec) {
		libpq(spec)
		spec.DatabaseRef = &aero.DatabaseReference{Name: "orders"}
	})
	w.Create(obj)
	user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ConnInfoSecretTargetDisabled = new(true)
	for _, other := range []testenv.Object{user, w.Example("database"), w.Example("postgresql")} {
		w.Create(other)
	}
	w.ready(obj)
	assert.Equal(t, "orders", w.data(obj)["PGDATABASE"])
	assert.Nil(t, w.Secret("orders-app"))
}

func TestARestartChangesNothing(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	obj := w.reader(libpq)
	w.create(obj)
	secret, status := w.secret(obj), obj.ResourceVersion
	w.Operator.Restart()
	w.Rest(20)
	w.Get(obj)
	assert.Equal(t, status, obj.ResourceVersion)
	assert.Equal(t, secret.ResourceVersion, w.secret(obj).ResourceVersion)
	w.Change(obj, func() { obj.Spec.Data = map[string]aero.Template{"A": "b"} })
	w.ready(obj)
	assert.Equal(t, "b", w.data(obj)["A"], "the source was observed again")
}

func TestAPausedObjectIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	obj := w.reader(libpq)
	obj.Annotations = map[string]string{"controllers.aiven.io/paused": "true"}
	w.Create(obj)
	w.wait(obj, "Unknown/Paused")
	assert.Nil(t, w.secret(obj))
	w.Annotate(obj, "controllers.aiven.io/paused", "")
	w.ready(obj)
	before := w.data(obj)

	w.Annotate(obj, "controllers.aiven.io/paused", "true")
	isPaused := func() bool {
		w.Get(obj)
		return slices.ContainsFunc(w.conditions(obj), func(c string) bool { return c == "Paused=True" })
	}
	w.Until(isPaused, func() string { return "it isn't paused" })
	assert.Contains(t, w.conditions(obj), "Ready=True")
	w.Change(obj, func() { obj.Spec.Data = map[string]aero.Template{"A": "b"} })
	w.Rest(10)
	assert.Equal(t, before, w.data(obj))
	w.Annotate(obj, "controllers.aiven.io/paused", "")
	w.Until(func() bool { return w.data(obj)["A"] == "b" }, func() string { return "it stays paused" })
	w.ready(obj)
	assert.NotContains(t, w.conditions(obj), "Paused=True")
}

// A login that isn't this object's to publish isn't a source either.
func TestALoginThatIsWithheldIsNoSource(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	_, err := w.Aiven.Console.ServiceUserCreate(t.Context(), w.Project, "my-pg", &service.ServiceUserCreateIn{Username: "billing"})
	require.NoError(t, err)
	user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Name, user.Spec.ConnInfoSecretTargetDisabled = "billing", new(true)
	user.Annotations = map[string]string{"controllers.aiven.io/adoption-policy": "Never"}
	w.Create(user)
	obj := w.reader(libpq)
	obj.Spec.SourceRef.Name = "billing"
	w.Create(obj)
	w.Wait(user, testenv.Condition("Ready", "False", "AlreadyExists"))
	w.Rest(10)
	assert.Contains(t, w.wait(obj, "Unknown/Progressing"), "Waiting for ServiceUser "+w.Namespace+"/billing to connect. Its own status has the reason")
	assert.Nil(t, w.secret(obj))
}
