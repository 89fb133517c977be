package connection

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Versions keeps the versions that our own writes have led to. Publisher.RecordWrite adds them.
type Versions interface {
	IsLatest(secret client.Object) bool
	Forget(secret types.NamespacedName)
}

// ExternalChangePredicate lets changes of a connection Secret through that this operator didn't make.
func ExternalChangePredicate(fieldManager string, ours Versions) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !ours.IsLatest(e.ObjectNew) &&
				!equality.Semantic.DeepEqual(externalMetadata(e.ObjectOld, fieldManager), externalMetadata(e.ObjectNew, fieldManager))
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			ours.Forget(client.ObjectKeyFromObject(e.Object))
			return true
		},
	}
}

// externalMetadata is the metadata of a Secret without what a write of ours changes. The watch is sometimes faster than
// the answer to a write, and has no data: the managers of the fields show who wrote.
func externalMetadata(secret client.Object, fieldManager string) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		Labels: secret.GetLabels(), Annotations: secret.GetAnnotations(), OwnerReferences: secret.GetOwnerReferences(),
		DeletionTimestamp: secret.GetDeletionTimestamp(),
		ManagedFields: slices.DeleteFunc(slices.Clone(secret.GetManagedFields()), func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == fieldManager
		}),
	}
}
