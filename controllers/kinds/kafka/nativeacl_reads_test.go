package kafka

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// watching is a client whose reads are served from memory.
func watching(t *testing.T, a *aiventest.Aiven) *aiven.Client {
	client, err := aiven.New(aiven.Options{Transport: a, ReadLag: time.Minute, WatchInterval: time.Hour}).ForToken("a-token")
	require.NoError(t, err)
	return client
}

// What a write of an ACL concerns is that ACL: neither the topics of the service nor the other ACLs are read again.
func TestTwoHundredNativeACLsCostAWriteEachAndOneRead(t *testing.T) {
	a := aiventest.New(t)
	topics := make([]any, 500)
	for i := range topics {
		topics[i] = aiventest.Object{"topic_name": fmt.Sprint("topic-", i), "state": "ACTIVE"}
	}
	a.On(lookup, running(aiventest.Object{"kafka_acl": []any{}, "topics": topics}))
	a.On(nativeAdd, aiventest.OK(aiventest.Object{"acl": nativeAt("new", nil)}))
	env := controllers.Env{Client: watching(t, a)}
	for i := range 200 {
		obj := nativeACL("", func(spec *v1alpha1.KafkaNativeACLSpec) { spec.Principal += fmt.Sprint(i) })
		c := NativeACL.New(env)
		o, err := c.Observe(t.Context(), obj)
		require.NoError(t, err)
		require.False(t, o.Remote.Exists)
		_, err = c.Create(t.Context(), obj)
		require.NoError(t, err)
		o, err = NativeACL.New(env).Observe(t.Context(), obj)
		require.NoError(t, err)
		require.True(t, o.Remote.Active, "the answer is known to the cache")
	}
	calls := a.Calls()
	assert.Len(t, calls, 201)
	assert.Equal(t, 1, len(calls)-len(slices.DeleteFunc(calls, func(call string) bool { return call == lookup })))
}

// observed is what a reconcile finds.
func observed[T controllers.Object](t *testing.T, kind controllers.Kind[T], env controllers.Env, obj T) (controllers.AivenController[T], controllers.Observation) {
	t.Helper()
	c := kind.New(env)
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	return c, o
}

// writesInto creates what a list doesn't have yet, and reports whether the list is read again for it.
func writesInto[T controllers.Object](t *testing.T, kind controllers.Kind[T], env controllers.Env, obj T) bool {
	t.Helper()
	c, o := observed(t, kind, env, obj)
	require.False(t, o.Remote.Exists)
	_, _ = c.Create(t.Context(), obj)
	_, o = observed(t, kind, env, obj)
	return o.Remote.Active
}

func TestAListThatIsOlderThanAWriteIsReadAgain(t *testing.T) {
	a := aiventest.New(t)
	env := controllers.Env{Client: watching(t, a)}
	lost := aiventest.Refused(504, "gateway timeout")
	a.On(lookup, running(nil))
	a.On(nativeList, nativeListed(), nativeListed(nativeAt("new", nil)))
	a.On(nativeAdd, lost)
	assert.True(t, writesInto(t, NativeACL, env, nativeACL("")))
	a.On(schemaACLList, schemasListed(), schemasListed(schemaAt("new")))
	a.On(schemaACLAdd, lost)
	assert.True(t, writesInto(t, SchemaRegistryACL, env, schemaACL("")))
	a.On(quotaList, quotasListed(), quotasListed(quotaAt(nil)))
	a.On(quotaSet, lost)
	assert.True(t, writesInto(t, Quota, env, kafkaQuota()))
}

// A list of a minute ago may lack an ACL that another client has added.
func TestADeletionListsACLsAfresh(t *testing.T) {
	ok, a := aiventest.OK(aiventest.Object{"acl": []any{}}), aiventest.New(t)
	env := controllers.Env{Client: watching(t, a)}
	a.On(lookup, running(nil))
	a.On(nativeList, nativeListed(nativeAt("new", nil)), nativeListed(nativeAt("new", nil), nativeAt("more", nil)))
	a.On(schemaACLList, schemasListed(schemaAt("new")), schemasListed(schemaAt("new"), schemaAt("more")))
	for _, id := range []string{"more", "new"} {
		a.On(nativeRemove+id, ok)
		a.On(schemaACLRemove+id, ok)
	}
	observed(t, NativeACL, env, nativeACL(""))
	observed(t, SchemaRegistryACL, env, schemaACL(""))
	a.Calls()
	require.NoError(t, NativeACL.New(env).Delete(t.Context(), nativeACL("new")))
	require.NoError(t, SchemaRegistryACL.New(env).Delete(t.Context(), schemaACL("new")))
	assert.Equal(t, []string{
		nativeList, nativeRemove + "more", nativeRemove + "new", schemaACLList, schemaACLRemove + "more", schemaACLRemove + "new",
	}, a.Calls())
}
