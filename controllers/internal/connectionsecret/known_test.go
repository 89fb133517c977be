package connectionsecret_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

var layout = connection.Layout{Prefixed: map[string]connection.Value{"HOST": connection.Host, "PASSWORD": connection.Password}}

// publishing is a source that publishes a Secret itself.
func publishing() connection.Info {
	source := connection.Info(postgres())
	source.Layout, source.Keep = layout, []string{"PASSWORD"}
	return source
}

func key(name string) connectionsecret.Key {
	return connectionsecret.Key{Kind: "ServiceUser", NamespacedName: types.NamespacedName{Namespace: "apps", Name: name}}
}

func TestWhatASourceConnectsWithIsKnownOnceItIsObserved(t *testing.T) {
	var changes []connectionsecret.Key
	wanted := true
	known := connectionsecret.NewKnown(func(connectionsecret.Key) bool { return wanted }, func(k connectionsecret.Key) { changes = append(changes, k) })
	_, is := known.Of(key("joe"), "1")
	assert.False(t, is, "it wasn't observed yet")

	known.Observed(key("joe"), "1", publishing())
	known.Observed(key("joe"), "1", publishing())
	assert.Equal(t, []connectionsecret.Key{key("joe")}, changes, "what is the same is no change")
	found, is := known.Of(key("joe"), "1")
	require.True(t, is)
	assert.Equal(t, postgres(), found, "without the keys that the object publishes")
	_, is = known.Of(key("joe"), "2")
	assert.False(t, is, "another object of the name has another login")
	_, is = known.Of(key("jim"), "1")
	assert.False(t, is)

	rotated := publishing()
	rotated.Password = "another"
	known.Observed(key("joe"), "1", rotated)
	assert.Len(t, changes, 2)
	moved := rotated
	moved.Endpoints = moved.Endpoints[1:]
	known.Observed(key("joe"), "1", moved)
	assert.Len(t, changes, 3)
	known.Observed(key("joe"), "2", moved)
	assert.Len(t, changes, 4, "a recreated object")

	hidden := publishing()
	hidden.Password = connection.Missing
	known.Observed(key("joe"), "2", hidden)
	_, is = known.Of(key("joe"), "2")
	assert.False(t, is, "half a login is none")

	known.Observed(key("joe"), "2", moved)
	known.Gone(key("joe"))
	_, is = known.Of(key("joe"), "2")
	assert.False(t, is)

	known.Observed(key("joe"), "2", moved)
	wanted = false
	known.Observed(key("joe"), "2", moved)
	_, is = known.Of(key("joe"), "2")
	assert.False(t, is, "no ConnectionSecret names it any longer")
}

func TestSourcesAreObservedAtOnce(t *testing.T) {
	var changes sync.Map
	known := connectionsecret.NewKnown(func(connectionsecret.Key) bool { return true }, func(k connectionsecret.Key) { changes.Store(k, true) })
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			known.Observed(key(fmt.Sprint(i)), "1", publishing())
			_, is := known.Of(key(fmt.Sprint(i)), "1")
			assert.True(t, is)
		})
	}
	all.Wait()
	count := 0
	changes.Range(func(any, any) bool { count++; return true })
	assert.Equal(t, 50, count)
}

// TestAThousandSourcesTakeLittleMemory is for users of Kafka, who have the most: a certificate and a key each. The CA and the endpoints
// are those of their service.
func TestAThousandSourcesTakeLittleMemory(t *testing.T) {
	known := connectionsecret.NewKnown(func(connectionsecret.Key) bool { return true }, func(connectionsecret.Key) {})
	service := connection.Info(kafka())
	service.CACert, service.Layout = strings.Repeat("c", 1500), layout
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := heap()
	for i := range 1000 {
		user := service
		user.AccessCert, user.AccessKey = strings.Repeat("x", 1500), strings.Repeat("k", 2500)
		known.Observed(key(fmt.Sprintf("user-%d", i)), types.UID(fmt.Sprint(i)), user)
	}
	grown := heap() - before
	t.Logf("%d bytes", grown)
	assert.Less(t, grown, uint64(8<<20))
	runtime.KeepAlive(known)
}
