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
