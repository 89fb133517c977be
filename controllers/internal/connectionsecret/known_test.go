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
	lacks := func(uid types.UID, observed bool, why string) {
		t.Helper()
		_, err := known.Of(key("joe"), uid)
		var wait *connectionsecret.WaitError
		require.ErrorAs(t, err, &wait, why)
		assert.Equal(t, observed, wait.Observed, why)
	}
	lacks("1", false, "it wasn't observed yet")

	known.Observed(key("joe"), "1", publishing())
	known.Observed(key("joe"), "1", publishing())
	assert.Equal(t, []connectionsecret.Key{key("joe")}, changes, "what is the same is no change")
	found, err := known.Of(key("joe"), "1")
	require.NoError(t, err)
	assert.Equal(t, postgres(), found, "without the keys that the object publishes")
	lacks("2", true, "another object of the name has another login")
	_, err = known.Of(key("jim"), "1")
	require.ErrorContains(t, err, "Waiting for ServiceUser apps/jim to connect")

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
	lacks("2", true, "half a login is none")
	assert.Len(t, changes, 5, "what was published is of a source that has no login now")
	known.Observed(key("joe"), "2", hidden)
	known.Withheld(key("joe"), "2")
	assert.Len(t, changes, 5, "it had none before")

	known.Observed(key("joe"), "2", moved)
	known.Gone(key("joe"))
	lacks("2", false, "it was deleted")

	known.Observed(key("joe"), "2", moved)
	wanted = false
	known.Observed(key("joe"), "2", moved)
	lacks("2", false, "no ConnectionSecret names it any longer")
}

func TestSourcesAreObservedAtOnce(t *testing.T) {
	var changes sync.Map
	known := connectionsecret.NewKnown(func(connectionsecret.Key) bool { return true }, func(k connectionsecret.Key) { changes.Store(k, true) })
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			known.Observed(key(fmt.Sprint(i)), "1", publishing())
			_, err := known.Of(key(fmt.Sprint(i)), "1")
			assert.NoError(t, err)
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
