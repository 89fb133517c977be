// Package ownership decides which of several objects manages an Aiven resource.
//
// Every object has an identity: the Aiven resource that it manages. An index over identities finds the duplicates of an
// object, among the objects of its kind and of the kinds that share names with it at Aiven.
package ownership

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Index is the field index over identities.
const Index = "aero.identity"

// Registry has the kinds whose objects can be duplicates of each other, by the name of their group. The zero value is
// ready, and safe for concurrent use.
type Registry struct {
	mu     sync.RWMutex
	groups map[string][]enqueue.Lister
}

// Add puts a kind into a group. Its objects MUST have the Index.
func (r *Registry) Add(group string, kind enqueue.Lister) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.groups == nil {
		r.groups = map[string][]enqueue.Lister{}
	}
	r.groups[group] = append(r.groups[group], kind)
}

// Duplicate is an object that has the identity of another one.
type Duplicate struct {
	client.Object
	Kind string
	// OtherKind is set for one that has the name only: objects of its kind can't manage the same resource.
	OtherKind bool
}

// String is the kind with namespace and name: ServiceUser apps/joe.
func (d Duplicate) String() string {
	return d.Kind + " " + client.ObjectKeyFromObject(d.Object).String()
}

// Duplicates lists the other objects of a group that have an identity. There are none of an empty identity.
func (r *Registry) Duplicates(ctx context.Context, group, identity string, obj client.Object) ([]Duplicate, error) {
	if identity == "" {
		return nil, nil
	}
	r.mu.RLock()
	kinds := r.groups[group]
	r.mu.RUnlock()
	var duplicates []Duplicate
	for _, kind := range kinds {
		found, err := kind.List(ctx, client.MatchingFields{Index: identity})
		if err != nil {
			return nil, fmt.Errorf("listing objects with the same identity: %w", err)
		}
		for _, other := range found {
			if other.GetUID() != obj.GetUID() {
				otherKind := group != ProjectGroup && reflect.TypeOf(other) != reflect.TypeOf(obj)
				duplicates = append(duplicates, Duplicate{Object: other, Kind: kind.Kind.Kind, OtherKind: otherKind})
			}
		}
	}
	return duplicates, nil
}

// OwnerOf returns the duplicate that manages the resource, or has its name, instead of an object; false if the object manages
// it. One that is being deleted, and has not begun to manage the resource, doesn't count.
func OwnerOf(obj client.Object, duplicates []Duplicate) (owner Duplicate, managed bool) {
	winner := obj
	for _, other := range duplicates {
		if Wins(other, winner) && (other.GetDeletionTimestamp().IsZero() || HasFinalizer(other)) {
			owner, winner, managed = other, other, true
		}
	}
	return owner, managed
}

// HeirOf returns a duplicate that isn't being deleted: it goes on to manage the resource of an object that is.
func HeirOf(duplicates []Duplicate) (Duplicate, bool) {
	for _, other := range duplicates {
		if other.GetDeletionTimestamp().IsZero() && !other.OtherKind {
			return other, true
		}
	}
	return Duplicate{}, false
}

// Identity is the Aiven resource that an object manages: no two objects may manage the same one. The zero value is none,
// and no kind returns it.
type Identity struct {
	// Entry of the services in which the resource lives; they are a part of the identity.
	Entry aiven.Entry
	// Name of a resource that is no entry of a service, unique in its Group.
	Name string
	// Group of kinds that share names at Aiven, such as all services of a project. Empty is the kind alone.
	Group string
	// None is set for objects that may overlap with others of their kind.
	None bool
}

// ProjectGroup is the Group of projects: the Name is that of the project, which is unique in all of Aiven. Its kinds manage the
// same resources; those of other groups share names only.
const ProjectGroup = "project"

// Value is the identity as the Index has it, of an object that is, or lives in, some services; empty if it has none.
func (i Identity) Value(services []aiven.ServiceKey) string {
	switch {
	case i.None, i == Identity{}:
		return ""
	case i.Name != "":
		return i.Name
	}
	value := ""
	for _, service := range services {
		value += service.String() + "/"
	}
	return value + string(i.Entry)
}

// FinalizerName is aiven-operator's too: objects change hands without a gap.
const FinalizerName = "finalizers.aiven.io/delete-remote-resource"

// HasFinalizer reports whether the operator has begun to manage what an object describes.
func HasFinalizer(obj client.Object) bool {
	return controllerutil.ContainsFinalizer(obj, FinalizerName)
}

// Begin adds the finalizer to a working copy and, before a create, the annotation that one was attempted: from then on
// the resource may exist at Aiven. It reports whether anything changed.
func Begin(obj client.Object, creates bool) bool {
	changed := controllerutil.AddFinalizer(obj, FinalizerName)
	if !creates || Attempted(obj) {
		return changed
	}
	policy.Annotate(obj, annotation.Attempted, "true")
	return true
}

// End removes the finalizer from a working copy, and reports whether it was there.
func End(obj client.Object) bool { return controllerutil.RemoveFinalizer(obj, FinalizerName) }

// Begun reports whether Begin has ever changed an object.
func Begun(obj client.Object) bool { return HasFinalizer(obj) || Attempted(obj) }

// Withdraw takes out of a working copy what Begin has put into an object that had neither. It reports true also for a copy from
// before: the write of that one fails, and is tried again with a fresh one. An object whose creation another process has got
// accepted meanwhile keeps both.
func Withdraw(obj client.Object) bool {
	annotations := obj.GetAnnotations()
	for _, name := range accepted {
		if _, set := annotations[name]; set {
			return false
		}
	}
	End(obj)
	delete(annotations, annotation.Attempted)
	obj.SetAnnotations(annotations)
	return true
}

// accepted are the annotations of what Aiven has accepted.
var accepted = []string{annotation.Processed, annotation.Running}

// Attempted reports whether a create was ever tried, or has ever succeeded. The status doesn't count: it can be lost.
func Attempted(obj client.Object) bool {
	for _, name := range append([]string{annotation.Attempted}, accepted...) {
		if _, set := obj.GetAnnotations()[name]; set {
			return true
		}
	}
	return false
}

// Wins reports whether the first of two objects owns what both name: the one that has begun to manage it, which its
// finalizer shows, else the older one.
func Wins(a, b client.Object) bool {
	if HasFinalizer(a) != HasFinalizer(b) {
		return HasFinalizer(a)
	}
	created := a.GetCreationTimestamp()
	if other := b.GetCreationTimestamp(); !created.Equal(&other) {
		return created.Before(&other)
	}
	return a.GetUID() < b.GetUID()
}
