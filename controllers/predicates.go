package controllers

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/memory"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// ownChanges lets through what somebody else changed about an object: its spec, its deletion, an annotation. What the
// engine writes itself wakes nobody.
func ownChanges() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
				e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero() ||
				!maps.Equal(foreignAnnotations(e.ObjectOld), foreignAnnotations(e.ObjectNew)) ||
				lostMarker(e.ObjectOld, e.ObjectNew)
		},
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// foreignAnnotations are those that the engine doesn't write.
func foreignAnnotations(obj client.Object) map[string]string {
	out := maps.Clone(obj.GetAnnotations())
	delete(out, status.AnnotationProcessed)
	delete(out, status.AnnotationRunning)
	delete(out, status.AnnotationTakenOver)
	delete(out, annotationAttempted)
	return out
}

// lostMarker says whether somebody took the annotation away whose absence asks for a fresh apply.
func lostMarker(before, after client.Object) bool {
	_, now := after.GetAnnotations()[status.AnnotationProcessed]
	return !now && before.GetAnnotations()[status.AnnotationProcessed] == strconv.FormatInt(before.GetGeneration(), 10)
}

// changedOrGone lets through what somebody else does to a connection Secret after it was made.
func changedOrGone(ours *memory.Written) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !ours.IsLatest(e.ObjectNew) && !equality.Semantic.DeepEqual(foreign(e.ObjectOld), foreign(e.ObjectNew))
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			ours.Forget(client.ObjectKeyFromObject(e.Object))
			return true
		},
	}
}

// foreign is the metadata of a Secret without what a write of ours changes. The watch is sometimes faster than the answer
// to a write, and sees no data: who wrote it, the managers of its fields tell.
func foreign(secret client.Object) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		Labels: secret.GetLabels(), Annotations: secret.GetAnnotations(), OwnerReferences: secret.GetOwnerReferences(),
		DeletionTimestamp: secret.GetDeletionTimestamp(),
		ManagedFields: slices.DeleteFunc(slices.Clone(secret.GetManagedFields()), func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == fieldManager
		}),
	}
}

// tokenChanges lets through what somebody else does to a token Secret. That it is kept or let go is our doing.
func tokenChanges() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion() &&
				credentials.Protected(e.ObjectOld) == credentials.Protected(e.ObjectNew)
		},
	}
}
