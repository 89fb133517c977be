package controllers

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/status"
)

// get reads an object from the cache, and from the API where the cache may be behind our own writes, or a former leader's.
func (r *Reconciler[T]) get(ctx context.Context, key types.NamespacedName, obj T) error {
	err := r.client.Get(ctx, key, obj)
	if err == nil && (r.expectations.IsInherited(obj, r.now()) || r.expectations.IsStale(obj)) {
		if err = r.publisher.Reader.Get(ctx, key, obj); err == nil {
			r.expectations.Record(key, obj.GetResourceVersion()) // until the cache has it, too
		}
	}
	if apierrors.IsNotFound(err) {
		r.expectations.Forget(key)
	}
	return err
}

// write brings a conclusion to the object, in an order in which no reader of the annotations or of the status sees
// Ready together with something old: first the kind's own status fields, then the annotations, then the status that
// says Ready. What is there already isn't written again, so most reconciles write once or not at all; and an object that
// was never usable has nothing old to show.
func (r *Reconciler[T]) write(ctx context.Context, p *pass[T], c *status.Conclusion) error {
	current := p.before
	annotations := changedAnnotations(current.GetAnnotations(), c.Annotations)
	if len(annotations) > 0 {
		if p.facts.WasReady {
			*p.obj.GetCommonStatus() = *p.before.GetCommonStatus().DeepCopy()
			if err := r.patchStatus(ctx, current, p.obj); err != nil {
				return err
			}
			current = p.obj.DeepCopyObject().(T)
		}
		if err := r.patchAnnotations(ctx, p.before, annotations); err != nil {
			return err
		}
	}
	*p.obj.GetCommonStatus() = c.Status
	return r.patchStatus(ctx, current, p.obj)
}

// patchStatus writes what differs in the status, without a lock: the engine is the only writer.
func (r *Reconciler[T]) patchStatus(ctx context.Context, from, to T) error {
	if equality.Semantic.DeepEqual(from, to) {
		return nil
	}
	patch := client.MergeFrom(from)
	data, err := patch.Data(to)
	if err != nil || string(data) == "{}" {
		return err
	}
	data, err = withUID(to, data)
	if err != nil {
		return err
	}
	answer := to.DeepCopyObject().(T)
	patch = client.RawPatch(types.MergePatchType, data)
	return r.recordWrite(answer, "writing the status", r.client.Status().Patch(ctx, answer, patch))
}

// patchAnnotations changes the engine's own annotations and no others.
func (r *Reconciler[T]) patchAnnotations(ctx context.Context, obj T, annotations map[string]*string) error {
	data, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations, "uid": obj.GetUID()}})
	if err != nil {
		return fmt.Errorf("encoding the annotations: %w", err)
	}
	answer := obj.DeepCopyObject().(T)
	return r.recordWrite(answer, "writing the annotations", r.client.Patch(ctx, answer, client.RawPatch(types.MergePatchType, data)))
}

// withUID makes a merge patch one of this very object: one that was made anew under its name is somebody else.
func withUID(obj client.Object, patch []byte) ([]byte, error) {
	var fields map[string]any
	if err := json.Unmarshal(patch, &fields); err != nil {
		return nil, fmt.Errorf("reading the patch: %w", err)
	}
	metadata, _ := fields["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["uid"] = obj.GetUID()
	fields["metadata"] = metadata
	return json.Marshal(fields)
}

// recordWrite remembers the answer to a write. An object that is gone by now, or another one, needs none.
func (r *Reconciler[T]) recordWrite(answer T, what string, err error) error {
	switch {
	case err == nil:
		r.expectations.Record(client.ObjectKeyFromObject(answer), answer.GetResourceVersion())
		return nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err):
		return nil
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}

// changedAnnotations leaves out what is as it should be already.
func changedAnnotations(have map[string]string, want map[string]*string) map[string]*string {
	out := map[string]*string{}
	for key, value := range want {
		old, there := have[key]
		if value == nil && there || value != nil && (!there || old != *value) {
			out[key] = value
		}
	}
	return out
}
