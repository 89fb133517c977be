package expectations

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func database(version string, generation int64) *v1alpha1.Database {
	return &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{
		Namespace: "apps", Name: "orders", UID: "1", ResourceVersion: version, Generation: generation,
	}}
}

func TestACopyThatIsOlderThanOurWriteIsKnown(t *testing.T) {
	var w Versions
	key := client.ObjectKeyFromObject(database("", 1))
	assert.False(t, w.IsStale(database("8", 1)), "nothing was written")
	w.Record(key, "9")
	assert.True(t, w.IsStale(database("8", 1)))
	assert.False(t, w.IsStale(database("9", 1)))
	assert.False(t, w.IsStale(database("10", 1)), "versions are numbers, not text")
	assert.True(t, w.IsLatest(database("9", 1)))
	assert.False(t, w.IsLatest(database("10", 1)), "another writer came after us")
	w.Record(key, "")
	assert.True(t, w.IsLatest(database("9", 1)), "an answer without a version says nothing")
	w.Forget(key)
	assert.False(t, w.IsStale(database("8", 1)))
	assert.False(t, w.IsLatest(database("9", 1)))
}

func TestAnObjectIsKnownOnceWeHaveWrittenToIt(t *testing.T) {
	var v Versions
	assert.False(t, v.IsKnown(database("5", 1)))
	v.Record(client.ObjectKeyFromObject(database("5", 1)), "6")
	assert.True(t, v.IsKnown(database("5", 1)))
	v.Forget(client.ObjectKeyFromObject(database("5", 1)))
	assert.False(t, v.IsKnown(database("5", 1)))
}

func TestAnObjectThatOurWriteEndedIsStaleAtAnyVersion(t *testing.T) {
	var v Versions
	v.Record(client.ObjectKeyFromObject(database("8", 1)), "8")
	v.RecordEnd(database("8", 1))
	assert.True(t, v.IsStale(database("8", 1)))
	assert.False(t, v.IsLatest(database("8", 1)))
	again := database("9", 1)
	again.UID = "2"
	assert.False(t, v.IsStale(again), "another object of the name")
	assert.False(t, v.IsKnown(again), "which nothing was written to")
	v.Forget(client.ObjectKeyFromObject(again))
	assert.False(t, v.IsStale(database("8", 1)))
}
