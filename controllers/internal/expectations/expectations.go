// Package expectations remembers which versions our own writes have led to, so that a reconcile doesn't act on a
// cache that is behind. All of it may be lost at any time: that costs a read or two.
package expectations

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Versions remembers the version that our latest write to each object has led to. The cache learns of our writes late: a
// reconcile that comes before would judge anew what was concluded already, write it with another time, and tell the same
// event twice. The zero value is ready, and safe for concurrent use.
type Versions struct {
	versions sync.Map // types.NamespacedName to string, which is empty for what was met and not written to
	start    sync.Once
	began    time.Time
}

// Record remembers the version that a write, or a read of what is there, has answered with.
func (w *Versions) Record(key types.NamespacedName, version string) {
	if version != "" {
		w.versions.Store(key, version)
	}
}

// Forget drops an object that is gone.
func (w *Versions) Forget(key types.NamespacedName) { w.versions.Delete(key) }

// IsLatest says whether an object is as our latest write has left it.
func (w *Versions) IsLatest(obj client.Object) bool {
	version, known := w.versions.Load(client.ObjectKeyFromObject(obj))
	return known && version == obj.GetResourceVersion()
}

// IsInherited says, once for each object, whether somebody else may have written to it just now: whoever led before us, and
// whose last writes the cache may not have. That can be for objects that are older than the first question, at which our
// own work begins.
func (w *Versions) IsInherited(obj client.Object, now time.Time) bool {
	w.start.Do(func() { w.began = now })
	_, met := w.versions.LoadOrStore(client.ObjectKeyFromObject(obj), "")
	return !met && !obj.GetCreationTimestamp().After(w.began)
}

// IsStale says whether a copy of an object is older than our latest write to it.
func (w *Versions) IsStale(obj client.Object) bool {
	version, known := w.versions.Load(client.ObjectKeyFromObject(obj))
	if !known {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(obj.GetResourceVersion(), version.(string))
	return err == nil && order < 0
}
