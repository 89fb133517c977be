package connectionsecret

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// GrantKind is that of Gateway API, which a cluster may not have.
var GrantKind = schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1beta1", Kind: "ReferenceGrant"}

// Permitted reports whether an object may read its source: in its own namespace always, in another one by a ReferenceGrant there.
// Grants of other namespaces don't count. A grant that can't be read grants nothing.
func Permitted(obj *aero.ConnectionSecret, grants []unstructured.Unstructured) bool {
	if obj.GetSourceNamespace() == obj.Namespace {
		return true
	}
	for _, grant := range grants {
		if grant.GetNamespace() == obj.GetSourceNamespace() && grant.GetDeletionTimestamp() == nil && grantsTo(grant, obj) {
			return true
		}
	}
	return false
}

// grantsTo reports whether one grant is for the kind and the namespace of an object, and for the kind of its source. A name in it is the only
// one that it is for.
func grantsTo(grant unstructured.Unstructured, obj *aero.ConnectionSecret) bool {
	from := entries(grant, "from", func(e map[string]any) bool {
		return e["group"] == aero.GroupVersion.Group && e["kind"] == "ConnectionSecret" && e["namespace"] == obj.Namespace
	})
	to := entries(grant, "to", func(e map[string]any) bool {
		name, named := e["name"]
		return e["group"] == v1alpha1.GroupVersion.Group && e["kind"] == obj.Spec.SourceRef.Kind &&
			(!named || name == "" || name == obj.Spec.SourceRef.Name)
	})
	return from && to
}

// entries reports whether one of a list in the spec is as wanted.
func entries(grant unstructured.Unstructured, list string, wanted func(map[string]any) bool) bool {
	items, _, _ := unstructured.NestedSlice(grant.Object, "spec", list)
	for _, item := range items {
		if one, is := item.(map[string]any); is && wanted(one) {
			return true
		}
	}
	return false
}
