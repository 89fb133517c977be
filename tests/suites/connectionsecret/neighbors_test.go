package connectionsecret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// A tenant who may not read a source doesn't make the operator call Aiven for it.
func TestWithoutAGrantNoCallIsMade(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{Second: true, Config: testenv.OnlyWatches})
	mark := w.Aiven.Mark()
	for i := range 10 {
		obj := w.reader(libpq)
		obj.Namespace, obj.Name, obj.Spec.SourceRef.Namespace = w.Second, fmt.Sprint("reader-", i), w.Namespace
		w.Create(obj)
		w.wait(obj, "False/ReferenceNotPermitted")
	}
	user := w.Example("serviceuser").(*v1alpha1.ServiceUser) // whose next reconcile comes after all that were enqueued
	w.Annotate(user, "controllers.aiven.io/reconcile-requested-at", "now")
	w.Until(func() bool {
		w.Get(user)
		return user.Status.LastHandledReconcileAt == "now"
	}, func() string { return "the user isn't reconciled" })
	reads := 0
	for _, call := range w.Aiven.Calls(mark) {
		if call.Operation == "ServiceGet" {
			reads++
		}
	}
	assert.LessOrEqual(t, reads, 1, "the request takes one")
}

func TestASourceInANamespaceThatIsNotWatchedIsNotPermitted(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	obj := w.reader(libpq)
	obj.Spec.SourceRef.Namespace = "kube-system"
	w.Create(obj)
	assert.Contains(t, w.wait(obj, "False/ReferenceNotPermitted"), "needs a ReferenceGrant in the namespace kube-system")
	w.Rest(20)
	for _, line := range w.Operator.Log() {
		assert.NotContains(t, line, "unknown namespace")
	}
}

// The garbage collector removes the Secret of the first object; nothing enqueues the second one then.
func TestASecretThatWasAnothersIsPublishedOnceItIsFree(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	one, two := w.reader(libpq), w.reader(libpq)
	one.Name, two.Name = "one", "two"
	one.Spec.Target.Name, two.Spec.Target.Name = "shared", "shared"
	w.create(one)
	w.Create(two)
	w.wait(two, "False/ConnInfoSecretConflict")
	w.Delete(one) // The garbage collector deletes its Secret.
	w.ready(two)
	assert.NotEmpty(t, w.data(two)["PGPASSWORD"])
}

// What was published is kept after a restart until the source is observed, which a paused one isn't. A Secret that is gone meanwhile isn't.
func TestAfterARestartTheStatusNamesNoSecretThatIsGone(t *testing.T) {
	t.Parallel()
	w := postgresql(t, testenv.Options{})
	obj := w.reader(libpq)
	w.create(obj)
	user := w.Example("serviceuser")
	w.Annotate(user, "controllers.aiven.io/paused", "true")
	w.Operator.Restart()
	w.Delete(w.secret(obj))
	w.Annotate(obj, "controllers.aiven.io/reconcile-requested-at", "now")
	w.wait(obj, "Unknown/Progressing")
	require.Nil(t, obj.Status.Binding)
	assert.True(t, strings.Contains(strings.Join(w.conditions(obj), " "), "SecretReady=False"), w.conditions(obj))
	w.Annotate(user, "controllers.aiven.io/paused", "")
	w.ready(obj)
	assert.Equal(t, &aero.SecretBinding{Name: "checkout"}, obj.Status.Binding)
}
