package expectations

import (
	"testing"
	"time"

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

func TestAnObjectIsInheritedUntilWeHaveWrittenToIt(t *testing.T) {
	began := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	created := func(name string, at time.Time) *v1alpha1.Database {
		return &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "5", CreationTimestamp: metav1.NewTime(at)}}
	}
	var v Versions
	old := created("old", began.Add(-time.Hour))
	assert.True(t, v.IsInherited(old, began))
	assert.True(t, v.IsInherited(old, began.Add(time.Minute)), "nothing was written to it")
	v.Record(client.ObjectKeyFromObject(old), "6")
	assert.False(t, v.IsInherited(old, began.Add(time.Minute)), "we have written to it")
	assert.False(t, v.IsInherited(created("new", began.Add(time.Minute)), began.Add(time.Hour)), "it is younger than this process")
	v.Forget(client.ObjectKeyFromObject(old))
	assert.True(t, v.IsInherited(old, began.Add(time.Hour)))
}
