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

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// Index is the field index over identities.
const Index = "aero.identity"

// Registry has the kinds whose objects can be duplicates of each other, by the name of their group. The zero value is
// ready, and safe for concurrent use.
type Registry struct {
	// Reservations are those of the objects of all groups.
	Reservations Reservations

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

// Within names the duplicate for those who can read a namespace: an object of another one isn't named.
func (d Duplicate) Within(namespace string) string {
	if d.GetNamespace() != namespace {
		return "an object in another namespace"
	}
	return d.String()
}

// String is the kind with namespace and name: ServiceUser apps/joe.
func (d Duplicate) String() string {
	return d.Kind + " " + client.ObjectKeyFromObject(d.Object).String()
}

// Identifier is a kind that knows the identities of its objects.
type Identifier interface {
	Group() string
	// Identify returns the value of an identity, empty for none. The error is a NoIdentityError.
	Identify(obj client.Object) (string, error)
	// Resource is the value of the identity also of an object that only observes.
	Resource(obj client.Object) string
	// Reservation is the identity among those of all groups, empty for none.
	Reservation(obj client.Object) string
}

// DuplicatesOf lists the other objects with the identity of an object of a kind.
func (r *Registry) DuplicatesOf(ctx context.Context, kind Identifier, obj client.Object) ([]Duplicate, error) {
	identity, err := kind.Identify(obj)
	if err != nil {
		return nil, err
	}
	return r.Duplicates(ctx, kind.Group(), identity, obj)
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

// IsRecorded reports whether the status of an object proves that it owns its resource.
func IsRecorded(obj client.Object) bool {
	object, ours := obj.(Object)
	if !ours {
		return false
	}
	recorded := Recorded(object)
	return recorded != nil && recorded.Type != v1alpha1.ProvenanceObserved
}

// HeirOf returns the duplicate that is to own the resource once an object is gone: the one that the object names or, if it names
// none, the oldest one in its namespace whose status proves that Aiven has accepted its token for the resource.
func HeirOf(obj client.Object, duplicates []Duplicate) (heir Duplicate, inherits bool) {
	named := policy.TransfersTo(obj) != ""
	for _, other := range duplicates {
		usable := other.GetNamespace() == obj.GetNamespace() && accepted(other.Object)
		if named {
			usable = policy.TransfersTo(obj) == client.ObjectKeyFromObject(other).String()
		}
		if usable && goesOn(other) && mayUseProject(other.Object) && (!inherits || isOlder(other, heir)) {
			heir, inherits = other, true
		}
	}
	return heir, inherits
}

// CoOwnerOf returns a duplicate whose status proves that it owns the resource, too, such as an heir whose former owner isn't gone yet.
func CoOwnerOf(duplicates []Duplicate) (Duplicate, bool) {
	for _, other := range duplicates {
		if goesOn(other) && Proves(other.Object) {
			return other, true
		}
	}
	return Duplicate{}, false
}

// goesOn reports whether a duplicate can manage the resource, and isn't being deleted.
func goesOn(d Duplicate) bool { return d.GetDeletionTimestamp().IsZero() && !d.OtherKind }

// isActive reports whether the operator goes on with what an object has begun: neither its annotations nor its status say otherwise.
func isActive(obj client.Object) bool {
	object, ours := obj.(Object)
	return ours && !policy.IsPaused(obj) && mayUseProject(obj) &&
		!meta.IsStatusConditionFalse(object.GetCommonStatus().Conditions, condition.AuthValid)
}

// mayUseProject reports whether no Namespace was found to forbid the project. An object that has no status yet finds that later, and waits.
func mayUseProject(obj client.Object) bool {
	object, ours := obj.(Object)
	if !ours {
		return false
	}
	ready := meta.FindStatusCondition(object.GetCommonStatus().Conditions, condition.Ready)
	return ready == nil || ready.Reason != condition.ReasonProjectNotAllowed
}

// accepted reports whether the status of an object says that Aiven has accepted the token of its present spec.
func accepted(obj client.Object) bool {
	object, ours := obj.(Object)
	if !ours || !isActive(obj) {
		return false
	}
	auth := meta.FindStatusCondition(object.GetCommonStatus().Conditions, condition.AuthValid)
	return Owns(obj) || auth != nil && auth.Status == metav1.ConditionTrue && auth.ObservedGeneration == obj.GetGeneration()
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

// NoIdentityError is the error of a kind, which it names, that returns the zero Identity for an object.
type NoIdentityError string

func (kind NoIdentityError) Error() string {
	return fmt.Sprintf("the Identity of kind %s is empty for this object: return an Entry, a Name, or NoIdentity", string(kind))
}

// ServiceGroup is the Group of all services of a project.
const ServiceGroup = "service"

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

// Begin adds the finalizer to a working copy and, before a creation, the annotation that a creation was attempted by this very object:
// from then on the resource may exist at Aiven. It reports whether anything changed.
func Begin(obj client.Object, creates bool) bool {
	changed := controllerutil.AddFinalizer(obj, FinalizerName)
	if !creates || attemptedByItself(obj) {
		return changed
	}
	policy.Annotate(obj, annotation.Attempted, string(obj.GetUID()))
	return true
}

// attemptedByItself reports whether the annotation of a creation was written for this very object.
func attemptedByItself(obj client.Object) bool {
	uid, set := obj.GetAnnotations()[annotation.Attempted]
	return set && uid == string(obj.GetUID())
}

// End removes the finalizer from a working copy, and reports whether it was there.
func End(obj client.Object) bool { return controllerutil.RemoveFinalizer(obj, FinalizerName) }

// Withdraw returns an edit that takes out of a working copy what Begin has put into an object that owned nothing before. It
// reports true also for a copy from before: the write of that copy fails, and is tried again with a fresh one. An object whose
// creation another process has got accepted meanwhile keeps both, as does one that the other process has recorded as the owner.
func Withdraw(before client.Object) func(client.Object) bool {
	return func(obj client.Object) bool {
		if IsRecorded(obj) && !IsRecorded(before) {
			return false
		}
		annotations := obj.GetAnnotations()
		for _, name := range acceptance {
			// One that a user has removed meanwhile proves nothing.
			if value, set := annotations[name]; set && value != before.GetAnnotations()[name] {
				return false
			}
		}
		End(obj)
		delete(annotations, annotation.Attempted)
		obj.SetAnnotations(annotations)
		return true
	}
}

// Yield returns an edit that withdraws an attempt whose resource has another owner, as the status of that proves: what the attempt may
// have created is that owner's. Otherwise it changes nothing, as where an earlier spec may have created something else.
func Yield(before Object, owner client.Object) func(client.Object) bool {
	attempted := attemptedByItself(before) && !IsRecorded(before) && !acceptedEarlier(before) && !HasFormer(before)
	return func(obj client.Object) bool { return attempted && IsRecorded(owner) && Withdraw(before)(obj) }
}

// acceptance are the annotations of what Aiven has accepted.
var acceptance = []string{annotation.Processed, annotation.Running}

// Attempted reports whether a creation may have been tried, or may have succeeded. It is a hint, for what a wait or a second read
// is worth: users can bring the annotations along.
func Attempted(obj client.Object) bool {
	for _, name := range append([]string{annotation.Attempted}, acceptance...) {
		if _, set := obj.GetAnnotations()[name]; set {
			return true
		}
	}
	return false
}

// isOlder reports whether the first of two objects is older. Of those of one second it is the one with the smaller UID.
func isOlder(a, b client.Object) bool {
	created := a.GetCreationTimestamp()
	if other := b.GetCreationTimestamp(); !created.Equal(&other) {
		return created.Before(&other)
	}
	return a.GetUID() < b.GetUID()
}
