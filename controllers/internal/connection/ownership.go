package connection

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
)

// checkOwnership returns an error unless the live Secret may be written.
func checkOwnership(live, want *corev1.Secret) error {
	name := client.ObjectKeyFromObject(live)
	if live.DeletionTimestamp != nil {
		return &PendingError{Secret: name, Problem: "is being deleted: waiting until it is gone"}
	}
	ours := want.OwnerReferences[0]
	object, controller := ours.Kind+" "+ours.Name, metav1.GetControllerOf(live)
	switch {
	case controller == nil && live.Annotations[annotation.AdoptSecret] == "true", controller != nil && controller.UID == ours.UID:
		return nil
	case controller == nil:
		return &OwnershipError{Secret: name, Object: object}
	case sameObject(*controller, ours):
		return &PendingError{Secret: name, Problem: fmt.Sprintf(
			"belongs to a deleted %s of the same name: waiting until it is garbage-collected", ours.Kind)}
	default:
		return &OwnershipError{Secret: name, Object: object, Owner: controller.Kind + " " + controller.Name}
	}
}

// sameObject reports that two references name the same object, whatever its uid and version.
func sameObject(a, b metav1.OwnerReference) bool {
	return a.Kind == b.Kind && a.Name == b.Name &&
		schema.FromAPIVersionAndKind(a.APIVersion, a.Kind).Group == schema.FromAPIVersionAndKind(b.APIVersion, b.Kind).Group
}
