package enqueue

import (
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// UserChanges passes what users change about an object: its spec, its deletion, an annotation. What the engine writes
// itself enqueues nothing.
func UserChanges() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
				e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero() ||
				!maps.Equal(userAnnotations(e.ObjectOld), userAnnotations(e.ObjectNew)) ||
				markerRemoved(e.ObjectOld, e.ObjectNew)
		},
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// userAnnotations are those that the engine doesn't write.
func userAnnotations(obj client.Object) map[string]string {
	out := maps.Clone(obj.GetAnnotations())
	for _, name := range []string{annotation.Processed, annotation.Running, annotation.TakenOver, annotation.Attempted} {
		delete(out, name)
	}
	return out
}

// markerRemoved reports whether the annotation was removed whose absence asks for a fresh apply. That of an earlier generation
// stays where a policy leaves the current one unapplied.
func markerRemoved(before, after client.Object) bool {
	_, was := before.GetAnnotations()[annotation.Processed]
	_, is := after.GetAnnotations()[annotation.Processed]
	return was && !is
}
