// Package store reads and patches objects of one kind.
//
// Every write is a patch that carries the UID of the object: an object that was deleted and created again under the same name is
// another object, and is not patched. A merge patch of metadata does so by its UID. With a status the API server ignores all
// metadata, so that is a JSON patch, which tests the UID first. Every answer is recorded, so that a read never returns a copy that
// is older than our latest write.
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"gomodules.xyz/jsonpatch/v2"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/expectations"
)

// ErrStale is returned by our first write to an object if another client, such as the previous leader, has written to it
// since it was cached. Nothing was written. Reconcile again from a fresh copy.
var ErrStale = errors.New("the cached object is older than the latest write of another client")

// Soon is a requeue without a delay, after ErrStale: zero would be none.
const Soon = time.Millisecond

// Store reads and patches objects of one kind. It is safe for concurrent use on different objects.
type Store[T Object] struct {
	// Client reads from the cache, and writes.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader

	expectations expectations.Versions
}

// Get reads an object from the cache, and from the API server while the cache is behind our own writes. It returns
// NotFound as the API server does.
func (s *Store[T]) Get(ctx context.Context, key types.NamespacedName, obj T) error {
	err := s.Client.Get(ctx, key, obj)
	switch {
	case apierrors.IsNotFound(err):
		s.expectations.Forget(key)
		return err
	case err != nil || !s.expectations.IsStale(obj):
		return err
	}
	// Decoding keeps what an object has and the answer lacks, such as the status of a former object of the name.
	reflect.ValueOf(obj).Elem().SetZero()
	if err = s.Live.Get(ctx, key, obj); err == nil {
		s.expectations.Record(key, obj.GetResourceVersion()) // until the cache has caught up
	}
	return err // an object that is gone stays recorded until the cache lacks it, too
}

// Confirm returns ErrStale if an object has changed since it was cached: what is concluded from what it lacks may be wrong. The
// next Get returns the change.
func (s *Store[T]) Confirm(ctx context.Context, obj T) error {
	live, err := s.metadataOf(obj)
	if err != nil {
		return err
	}
	key := client.ObjectKeyFromObject(obj)
	if err := s.Live.Get(ctx, key, live); err != nil {
		return client.IgnoreNotFound(err)
	}
	if live.GetResourceVersion() == obj.GetResourceVersion() {
		return nil
	}
	s.expectations.Record(key, live.GetResourceVersion())
	return ErrStale
}

// PatchStatus replaces the status if it differs, without a lock: the reconciles of an object are the only writers of its status, but
// for the provenance that another object hands over. ErrStale is returned where that has happened, and nothing was written.
func (s *Store[T]) PatchStatus(ctx context.Context, from, to T) error {
	if equality.Semantic.DeepEqual(from, to) { // cheaper, and most often so
		return nil
	}
	before, err := statusOf(from)
	if err != nil {
		return err
	}
	after, err := statusOf(to)
	if err != nil || bytes.Equal(before, after) {
		return err
	}
	patch := []jsonpatch.Operation{jsonpatch.NewOperation("test", "/metadata/uid", to.GetUID())}
	if !s.expectations.IsKnown(to) {
		patch = append(patch, jsonpatch.NewOperation("replace", "/metadata/resourceVersion", to.GetResourceVersion()))
	}
	if len(before) > 0 { // one that is absent, as no schema has its default, has no path to test
		patch = append(patch, keepsProvenance(from)...)
	}
	data, err := json.Marshal(append(patch, jsonpatch.NewOperation("add", "/status", after)))
	if err != nil {
		return fmt.Errorf("encoding the status: %w", err)
	}
	answer, err := s.metadataOf(to)
	if err != nil {
		return err
	}
	err = s.Client.Status().Patch(ctx, answer, client.RawPatch(types.JSONPatchType, data))
	return s.recordWrite(ctx, from, answer, "writing the status", err)
}

// keepsProvenance tests that an object that owned nothing when it was read hasn't come to own its resource since. What owns it isn't
// handed anything.
func keepsProvenance[T Object](read T) []jsonpatch.Operation {
	known := read.GetCommonStatus().Provenance
	switch {
	case known == nil:
		return []jsonpatch.Operation{jsonpatch.NewOperation("test", "/status/provenance", json.RawMessage("null"))} // or absent
	case known.UID == read.GetUID() && known.Type != v1alpha1.ProvenanceObserved:
		return nil
	default:
		return []jsonpatch.Operation{
			jsonpatch.NewOperation("test", "/status/provenance/uid", known.UID), jsonpatch.NewOperation("test", "/status/provenance/type", known.Type),
		}
	}
}

// statusOf is the status of an object as JSON.
func statusOf(obj any) (json.RawMessage, error) {
	var fields struct {
		Status json.RawMessage `json:"status"`
	}
	data, err := json.Marshal(obj)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding the status: %w", err)
	}
	return fields.Status, nil
}

// PatchAnnotations sets annotations, or removes those whose value is nil, and leaves all others alone.
func (s *Store[T]) PatchAnnotations(ctx context.Context, obj T, annotations map[string]*string) error {
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return fmt.Errorf("encoding the annotations: %w", err)
	}
	if data, err = s.withPreconditions(obj, data); err != nil {
		return err
	}
	answer, err := s.metadataOf(obj)
	if err != nil {
		return err
	}
	err = s.Client.Patch(ctx, answer, client.RawPatch(types.MergePatchType, data))
	return s.recordWrite(ctx, obj, answer, "writing the annotations", err)
}

// ChangedAnnotations leaves out of what to set, or to remove where the value is nil, what an object has already.
func ChangedAnnotations(obj client.Object, want map[string]*string) map[string]*string {
	have, out := obj.GetAnnotations(), map[string]*string{}
	for key, value := range want {
		old, there := have[key]
		if value == nil && there || value != nil && (!there || old != *value) {
			out[key] = value
		}
	}
	return out
}

// PatchMetadata applies an edit that reports whether it changed anything, under a lock: a merge patch replaces the whole
// list of finalizers, and a stale one would drop those of others or restore them. After a conflict the edit is applied
// to a fresh copy, with the status. An object that is gone, or was created again, is NotFound. what names the edit in errors.
func (s *Store[T]) PatchMetadata(ctx context.Context, obj T, what string, edit func(client.Object) bool) error {
	metadata, err := s.metadataOf(obj)
	if err != nil {
		return err
	}
	var current client.Object = metadata
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		base := current.DeepCopyObject().(client.Object)
		if !edit(current) {
			s.expectations.Record(client.ObjectKeyFromObject(current), current.GetResourceVersion())
			return nil
		}
		ends := current.GetDeletionTimestamp() != nil && len(current.GetFinalizers()) == 0
		err := s.Client.Patch(ctx, current, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
		switch {
		case err == nil && ends:
			s.expectations.RecordEnd(obj)
			return nil
		case err == nil:
			s.expectations.Record(client.ObjectKeyFromObject(current), current.GetResourceVersion())
			return nil
		}
		current = empty(obj)
		if fresh := s.Live.Get(ctx, client.ObjectKeyFromObject(obj), current); fresh != nil {
			if apierrors.IsNotFound(fresh) {
				s.expectations.RecordEnd(obj)
			}
			return fresh
		}
		if current.GetUID() != obj.GetUID() {
			s.expectations.RecordEnd(obj)
			return apierrors.NewNotFound(schema.GroupResource{}, obj.GetName())
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// PatchOther patches an object of any kind that another reconcile is the usual writer of, under a lock. ErrStale is returned if it has changed
// since it was read, and nothing was written. One that is gone needs no patch.
func (s *Store[T]) PatchOther(ctx context.Context, from, to client.Object) error {
	err := s.Client.Patch(ctx, to, client.MergeFromWithOptions(from, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) {
		return ErrStale
	}
	return client.IgnoreNotFound(err)
}

// metadataOf is a copy of the metadata of an object. As the answer to a patch it saves the API server and us the rest.
func (s *Store[T]) metadataOf(obj T) (*metav1.PartialObjectMetadata, error) {
	gvk, err := s.Client.GroupVersionKindFor(obj)
	if err != nil {
		return nil, fmt.Errorf("finding the kind: %w", err)
	}
	metadata := meta.AsPartialObjectMetadata(obj).DeepCopy()
	metadata.SetGroupVersionKind(gvk)
	return metadata, nil
}

// withPreconditions adds to a merge patch the UID of the object, and with our first write to it the resourceVersion: a previous
// leader may have written to it after it was cached.
func (s *Store[T]) withPreconditions(obj T, patch []byte) ([]byte, error) {
	var fields map[string]any
	if err := json.Unmarshal(patch, &fields); err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	metadata, _ := fields["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["uid"] = obj.GetUID()
	if !s.expectations.IsKnown(obj) {
		metadata["resourceVersion"] = obj.GetResourceVersion()
	}
	fields["metadata"] = metadata
	return json.Marshal(fields)
}

// recordWrite records the answer to a patch of an object as it was read. An object that is gone needs no write; if another one has
// its name, or it was handed its resource meanwhile, a status that was meant for the former is ErrStale.
func (s *Store[T]) recordWrite(ctx context.Context, read T, answer *metav1.PartialObjectMetadata, what string, err error) error {
	key := client.ObjectKeyFromObject(answer)
	switch {
	case err == nil:
		s.expectations.Record(key, answer.GetResourceVersion())
		return nil
	case apierrors.IsInvalid(err), apierrors.IsConflict(err) && !s.expectations.IsKnown(answer):
		live := empty(read)
		if err := s.Live.Get(ctx, key, live); err != nil {
			return client.IgnoreNotFound(err)
		}
		if apierrors.IsInvalid(err) && live.GetUID() == answer.GetUID() && sameProvenance(live, read) { // no test has failed
			break
		}
		s.expectations.Record(key, live.GetResourceVersion())
		return ErrStale
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// empty is an object of the same kind to read into.
func empty[T client.Object](obj T) T {
	fresh := obj.DeepCopyObject().(T)
	reflect.ValueOf(fresh).Elem().SetZero()
	return fresh
}

func sameProvenance(a, b Object) bool {
	return equality.Semantic.DeepEqual(a.GetCommonStatus().Provenance, b.GetCommonStatus().Provenance)
}
