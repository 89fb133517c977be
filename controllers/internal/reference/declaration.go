package reference

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// SecretKind is Declaration.Kind for targets that are Secrets.
var SecretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// Declaration is a field, or a group of fields, in which the objects of a kind reference others.
type Declaration struct {
	// Name in upper camel case, unique among the references of the kind: SecretSource. The condition is named after it.
	Name string
	// Kind of the targets: SecretKind, or a kind of this API group, which may be that of the referrers.
	Kind schema.GroupVersionKind
	// Field is the path in the spec, for messages: spec.connInfoSecretSource.
	Field string
	// Targets returns what an object names; nil if nothing, or nothing that is needed any longer. It is called for the
	// index too, so it MUST depend on the object alone and MUST NOT change it: it may come from a cache.
	Targets func(obj client.Object) []Target
	// Keys are those of a Secret whose values are needed if it has them, for Resolved.SecretData. Besides them, only the value of the
	// key that a target names is kept.
	Keys []string
	// CreateOnly means that the target is needed to make the resource, and no longer when there is one.
	CreateOnly bool
	// WriteOnly means that values of the Secret are sent to Aiven, and that only its version reports whether they are those that were sent
	// last: Aiven may not report them, or have others by now. The version is recorded in the status: see Changed.
	WriteOnly bool
	// Original means that a Secret can't be used which the operator makes of logins, for an object of the group aero-operator.io: a
	// password that is taken from it would change what it is made of, and so be another one each time.
	Original bool
	// Spent returns the Secret that an object names and that Targets no longer returns, as its values were used once and for
	// all; nil if there is none. The status keeps its record: see Discarder. Nil for references that are always needed.
	Spent func(obj client.Object) *Spent
	// BlocksDeletion means that the deletion of a target waits until no object refers to it: see Referrers.
	BlocksDeletion bool
	// Ready returns the value of a target that isn't a Secret and whose Ready condition is true: its id and version, say.
	// An error means that the referrer can't use it: for good if it is a fault.InvalidSpec (a target of another project),
	// for now otherwise. Nil takes status.id. Typed makes one from a function of Go types. A referrer that is being deleted
	// gets the value of a target that isn't ready too, so Ready MUST cope with an empty status.
	Ready func(referrer client.Object, target *unstructured.Unstructured) (value any, err error)
}

// Target is one object that is named by another.
type Target struct {
	// NamespacedName of the target. An empty namespace is the namespace of the object that names it.
	types.NamespacedName
	// Key that the Secret must have; empty if no certain key is needed, and for other kinds.
	Key string
	// Field names the target, where that is more exact than the field of the declaration; empty otherwise.
	Field string
}

// Condition is the type of the condition that shows the state of this reference.
func (d Declaration) Condition() string {
	return d.Name + "Ready"
}

// Example is an empty object of the kind that the reference leads to, for a watch: of Secrets the metadata, of other kinds the
// type that is cached anyway. It is nil for a kind that the operator doesn't serve: a watch on a kind that the cluster may not
// have would keep the operator from starting.
func (d Declaration) Example(scheme *runtime.Scheme) client.Object {
	if d.Kind == SecretKind {
		target := &metav1.PartialObjectMetadata{}
		target.SetGroupVersionKind(d.Kind)
		return target
	}
	made, err := scheme.New(d.Kind)
	if err != nil {
		return nil
	}
	target, _ := made.(client.Object)
	return target
}

// IndexKey is the name of the index over the objects that hold this reference.
func (d Declaration) IndexKey() string {
	return "reference:" + d.Name
}

// IndexFunc indexes an object by the targets it names, as namespace/name.
func (d Declaration) IndexFunc() client.IndexerFunc {
	return func(obj client.Object) []string {
		var values []string
		for _, name := range d.names(obj) {
			values = append(values, name.String())
		}
		return values
	}
}

// Requests maps an event on a target, which may be known by its metadata only, to the objects that name it, in all
// namespaces. lister MUST have the index.
func (d Declaration) Requests(lister enqueue.Lister) handler.MapFunc {
	return func(ctx context.Context, target client.Object) []reconcile.Request {
		return lister.Requests(ctx, client.MatchingFields{d.IndexKey(): client.ObjectKeyFromObject(target).String()})
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

// names lists the targets of an object, each once.
func (d Declaration) names(obj client.Object) []types.NamespacedName {
	var names []types.NamespacedName
	for _, target := range d.targets(obj) {
		if !slices.Contains(names, target.NamespacedName) {
			names = append(names, target.NamespacedName)
		}
	}
	return names
}
