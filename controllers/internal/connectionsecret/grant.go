package connectionsecret

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// GrantKind is that of Gateway API, which a cluster may not have.
var GrantKind = schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1beta1", Kind: "ReferenceGrant"}

// Permitted reports whether an object may read another one of the group aiven.io, by its kind and name, in the namespace of its source: in
// its own namespace always, in another one by a ReferenceGrant there. Grants of other namespaces don't count. A grant that can't be read
// grants nothing.
func Permitted(obj *aero.ConnectionSecret, kind, name string, grants []unstructured.Unstructured) bool {
	if obj.GetSourceNamespace() == obj.Namespace {
		return true
	}
	return slices.ContainsFunc(grants, func(grant unstructured.Unstructured) bool {
		return grant.GetNamespace() == obj.GetSourceNamespace() && grant.GetDeletionTimestamp() == nil &&
			isFrom(grant, obj.Namespace) && isTo(grant, kind, name)
	})
}

// isFrom reports whether a grant is for the ConnectionSecrets of a namespace.
func isFrom(grant unstructured.Unstructured, namespace string) bool {
	return entries(grant, "from", func(e map[string]any) bool {
		return e["group"] == aero.GroupVersion.Group && e["kind"] == "ConnectionSecret" && e["namespace"] == namespace
	})
}

// isTo reports whether a grant is for an object. A name in it is the only one that it is for.
func isTo(grant unstructured.Unstructured, kind, name string) bool {
	return entries(grant, "to", func(e map[string]any) bool {
		only, named := e["name"]
		return e["group"] == v1alpha1.GroupVersion.Group && e["kind"] == kind && (!named || only == "" || only == name)
	})
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
