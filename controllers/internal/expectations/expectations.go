// Package expectations remembers which versions our own writes have led to, so that a reconcile doesn't act on a
// cache that is behind. All of it may be lost at any time: that costs a read or two.
package expectations

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Versions remembers the version that our latest write to each object has led to. The cache receives our own writes late:
// a reconcile in between would evaluate the previous state again, and report the same event twice. The zero value is
// ready, and safe for concurrent use.
type Versions struct{ versions sync.Map } // types.NamespacedName to string, or to ended

// Record remembers the version that a write, or a live read, has answered with. An empty version is ignored.
func (v *Versions) Record(key types.NamespacedName, version string) {
	if version != "" {
		v.versions.Store(key, version)
	}
}

// ended is an object that our write has ended.
type ended types.UID

// RecordEnd remembers that an object is gone. No version shows it: the API server answers with the one from before.
func (v *Versions) RecordEnd(obj client.Object) {
	v.versions.Store(client.ObjectKeyFromObject(obj), ended(obj.GetUID()))
}

// Forget drops an object that is gone.
func (v *Versions) Forget(key types.NamespacedName) { v.versions.Delete(key) }

// IsLatest reports whether an object is as our latest write has left it.
func (v *Versions) IsLatest(obj client.Object) bool {
	version, known := v.versions.Load(client.ObjectKeyFromObject(obj))
	return known && version == obj.GetResourceVersion()
}

// IsKnown reports whether a version was recorded of an object. Until then, another process such as the previous leader may
// have written to it after it was cached.
func (v *Versions) IsKnown(obj client.Object) bool {
	recorded, _ := v.versions.Load(client.ObjectKeyFromObject(obj))
	_, known := recorded.(string)
	return known
}

// IsStale reports whether a copy of an object is older than our latest write to it.
func (v *Versions) IsStale(obj client.Object) bool {
	recorded, _ := v.versions.Load(client.ObjectKeyFromObject(obj))
	switch recorded := recorded.(type) {
	case ended:
		return types.UID(recorded) == obj.GetUID()
	case string:
		order, err := resourceversion.CompareResourceVersion(obj.GetResourceVersion(), recorded)
		return err == nil && order < 0
	}
	return false
}
