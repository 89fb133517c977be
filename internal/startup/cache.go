package startup

import (
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CachedKinds caches our kinds without their managedFields, which are half of a small object: nothing reads them, and
// each status is compared with the object. Those of Secrets stay: they distinguish our keys from those of others.
func CachedKinds(kinds []runtime.Object) map[client.Object]cache.ByObject {
	byObject := map[client.Object]cache.ByObject{}
	for _, kind := range kinds {
		if obj, is := kind.(client.Object); is {
			byObject[obj] = cache.ByObject{Transform: cache.TransformStripManagedFields()}
		}
	}
	return byObject
}
