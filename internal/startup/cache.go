package startup

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// CachedObjects caches our kinds without their managedFields, which are half of a small object: nothing reads them, and
// each status is compared with the object. Of Secrets only the metadata is cached, without what may hold their data.
// fieldManager is the operator's.
func CachedObjects(kinds []runtime.Object, fieldManager string) map[client.Object]cache.ByObject {
	byObject := map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Transform: func(in any) (any, error) {
			if secret, is := in.(client.Object); is {
				trim(secret, fieldManager)
			}
			return in, nil
		}},
	}
	for _, kind := range kinds {
		if obj, is := kind.(client.Object); is {
			byObject[obj] = cache.ByObject{Transform: cache.TransformStripManagedFields()}
		}
	}
	return byObject
}

// trim drops from a Secret what kubectl apply keeps in an annotation, which is all of its data. Those that aren't ours lose all
// annotations, as other tools may do the same, and their managedFields, which are large. Those of ours distinguish our keys
// from those of others.
func trim(secret client.Object, fieldManager string) {
	if isOurs(secret, fieldManager) {
		delete(secret.GetAnnotations(), corev1.LastAppliedConfigAnnotation)
		return
	}
	secret.SetAnnotations(nil)
	secret.SetManagedFields(nil)
}

func isOurs(secret client.Object, fieldManager string) bool {
	return slices.ContainsFunc(secret.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == fieldManager }) ||
		slices.ContainsFunc(secret.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
			owner, err := schema.ParseGroupVersion(ref.APIVersion)
			return err == nil && (owner.Group == v1alpha1.GroupVersion.Group || owner.Group == aero.GroupVersion.Group)
		})
}
