package controllers

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// written remembers our latest write to each object. The cache learns of our writes late: a reconcile that comes before
// would judge anew what was concluded already, write it with another time, and tell the same event twice.
type written struct{ versions sync.Map }

// note remembers the version that a write has answered with.
func (w *written) note(key types.NamespacedName, version string) {
	if version != "" {
		w.versions.Store(key, version)
	}
}

// isLatest says whether an object is as our latest write has left it.
func (w *written) isLatest(obj client.Object) bool {
	version, known := w.versions.Load(client.ObjectKeyFromObject(obj))
	return known && version == obj.GetResourceVersion()
}

// forget drops an object that is gone.
func (w *written) forget(key types.NamespacedName) { w.versions.Delete(key) }

// newerThan says whether a copy of an object is older than our latest write to it.
func (w *written) newerThan(obj client.Object) bool {
	version, known := w.versions.Load(client.ObjectKeyFromObject(obj))
	if !known {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(obj.GetResourceVersion(), version.(string))
	return err == nil && order < 0
}

// get reads an object from the cache, and from the API where the cache is behind our own writes.
func (r *Reconciler[T]) get(ctx context.Context, key types.NamespacedName, obj T) error {
	err := r.client.Get(ctx, key, obj)
	if err == nil && r.written.newerThan(obj) {
		err = r.publisher.Reader.Get(ctx, key, obj)
	}
	if apierrors.IsNotFound(err) {
		r.written.forget(key)
	}
	return err
}
