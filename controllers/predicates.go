package controllers

import (
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// userChanges lets through what somebody else changed about an object: its spec, its deletion, an annotation. What the
// engine writes itself wakes nobody.
func userChanges() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
				e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero() ||
				!maps.Equal(foreignAnnotations(e.ObjectOld), foreignAnnotations(e.ObjectNew)) ||
				markerRemoved(e.ObjectOld, e.ObjectNew)
		},
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// foreignAnnotations are those that the engine doesn't write.
func foreignAnnotations(obj client.Object) map[string]string {
	out := maps.Clone(obj.GetAnnotations())
	delete(out, annotation.Processed)
	delete(out, annotation.Running)
	delete(out, annotation.TakenOver)
	delete(out, annotation.Attempted)
	return out
}

// markerRemoved says whether somebody took the annotation away whose absence asks for a fresh apply.
func markerRemoved(before, after client.Object) bool {
	_, now := after.GetAnnotations()[annotation.Processed]
	return !now && annotation.IsProcessed(before)
}
