package reference

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// SecretKind is the kind of a declaration whose targets are Secrets.
var SecretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// Declaration is one kind of reference that the objects of a kind may hold.
type Declaration struct {
	// Name in upper camel case, unique among the references of the kind: SecretSource. The condition is named after it.
	Name string
	// Kind of the targets: SecretKind, or a kind of this API group.
	Kind schema.GroupVersionKind
	// Field is the path in the spec, for messages: spec.connInfoSecretSource.
	Field string
	// Targets returns what an object names; nil if nothing, or nothing that is needed any longer. It is called for the
	// index too, so it MUST depend on the object alone and MUST NOT change it: it may come from a cache.
	Targets func(obj client.Object) []Target
	// CreateOnly says that the target is needed to make the resource, and no longer when there is one.
	CreateOnly bool
	// Ready judges a target that isn't a Secret: its identifier at Aiven, and the problem, empty if it is ready. Nil
	// judges by the Ready condition and takes status.id.
	Ready func(target *unstructured.Unstructured) (id, problem string)
}

// Target is one object that is named by another.
type Target struct {
	// NamespacedName of the target. An empty namespace is the namespace of the object that names it.
	types.NamespacedName
	// Key of the Secret that has to be there; empty if no certain key is needed, and for other kinds.
	Key string
}

// Condition is the type of the condition that shows the state of this reference.
func (d Declaration) Condition() string {
	return d.Name + "Ready"
}

// IndexKey is the name of the index over the objects that hold this reference.
func (d Declaration) IndexKey() string {
	return "reference:" + d.Name
}

// IndexFunc indexes an object by the targets it names, as namespace/name.
func (d Declaration) IndexFunc() client.IndexerFunc {
	return func(obj client.Object) []string {
		var values []string
		seen := map[types.NamespacedName]bool{}
		for _, target := range d.targets(obj) {
			if !seen[target.NamespacedName] {
				seen[target.NamespacedName] = true
				values = append(values, target.NamespacedName.String())
			}
		}
		return values
	}
}

// Requests maps an event on a target, which may be known by its metadata only, to the objects that name it, in all
// namespaces. finder MUST have the index.
func (d Declaration) Requests(finder enqueue.Lister) handler.MapFunc {
	return func(ctx context.Context, target client.Object) []reconcile.Request {
		return finder.Requests(ctx, client.MatchingFields{d.IndexKey(): client.ObjectKeyFromObject(target).String()})
	}
}

// targets returns what an object names, with the namespaces filled in.
func (d Declaration) targets(obj client.Object) []Target {
	targets := d.Targets(obj)
	filled := make([]Target, 0, len(targets))
	for _, target := range targets {
		if target.Namespace == "" {
			target.Namespace = obj.GetNamespace()
		}
		filled = append(filled, target)
	}
	return filled
}
