// Package watches has the indexes and watches of the kinds: what is built once, before the first reconcile, so that an
// event enqueues the objects that it concerns and no others.
//
//	kind.go     a kind without its Go type, and the values of its indexes
//	project.go  projects whose deletion waits for what is in them
//	proof.go    what a status proves
//	watches.go  the indexes, watches and deletion guards of all kinds
package watches

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// Kind is a kind without its Go type. Its functions take an object of the kind, and none of them is nil: see Untyped.
type Kind struct {
	Object     client.Object  // an empty object of the kind
	Lister     enqueue.Lister // of its objects
	References []reference.Declaration
	Publishes  bool                         // its objects have a connection Secret
	IsService  bool                         // its objects are services
	Protected  func(obj client.Object) bool // termination protection is on

	Identity   func(obj client.Object) ownership.Identity
	Services   func(obj client.Object) []aiven.ServiceKey
	Reads      func(obj client.Object) []aiven.Entry
	Item       func(obj client.Object) aiven.Item
	ReadsItems func(obj client.Object) []aiven.Item
	Shares     func(obj client.Object) []string
	Secrets    func(obj client.Object) []string // in its spec
}

// Untyped makes a function of any object of one that takes the Go type of a kind. Without one it returns nothing.
func Untyped[T client.Object, V any](typed func(T) V) func(client.Object) V {
	if typed == nil {
		return func(client.Object) V {
			var none V
			return none
		}
	}
	return func(obj client.Object) V { return typed(obj.(T)) }
}

// Group is the name of the kinds that share identities with this one: that of its Identity, else the kind alone.
func (k Kind) Group() string {
	if group := k.Identity(k.Object).Group; group != "" {
		return group
	}
	return reflect.TypeOf(k.Object).String()
}

// Projects are the projects at Aiven that an object uses, or is.
func (k Kind) Projects(obj client.Object) []string {
	projects := namespace.Projects(obj)
	if k.Group() == ownership.ProjectGroup {
		projects = append(projects, k.Identity(obj).Name)
	}
	return projects
}

// Identify implements ownership.Identifier.
func (k Kind) Identify(obj client.Object) (string, error) {
	if k.Identity(obj) == (ownership.Identity{}) {
		return "", ownership.NoIdentityError(k.Lister.Kind.Kind)
	}
	return k.IdentityOf(obj), nil
}

// IdentityOf is the value of the index over identities. It is empty for an object that only observes.
func (k Kind) IdentityOf(obj client.Object) string {
	if policy.ObservesOnly(obj) {
		return ""
	}
	return k.Resource(obj)
}

// Resource implements ownership.Identifier.
func (k Kind) Resource(obj client.Object) string {
	services := k.Services(obj)
	if k.IsService {
		services = services[:1]
	}
	return k.Identity(obj).Value(services)
}

// Containers are the identities of the services that an object lives in; none for a service.
func (k Kind) Containers(obj client.Object) []string {
	if k.IsService {
		return nil
	}
	var identities []string
	for _, service := range k.Services(obj) {
		identities = append(identities, ownership.Identity{Group: ownership.ServiceGroup}.Value([]aiven.ServiceKey{service}))
	}
	return identities
}

// Invalidate makes a client read live what it has cached of the services and of the list of an object.
func (k Kind) Invalidate(a *aiven.Client, obj client.Object) {
	for _, service := range k.Services(obj) {
		a.Invalidate(service.Project, service.Service)
	}
	if list := k.Item(obj).List; list != (aiven.ListKey{}) {
		a.InvalidateList(list)
	}
}

// Reservation is the identity of an object among those of its group; empty for what may overlap.
func (k Kind) Reservation(obj client.Object) string {
	identity := k.IdentityOf(obj)
	if identity == "" {
		return ""
	}
	return k.Group() + "/" + identity
}

// IdentityIndex indexes an object by its identity.
func (k Kind) IdentityIndex(obj client.Object) []string { return nonempty(k.IdentityOf(obj)) }

// remoteIndex is what an object has to do with its services and with shared lists. Whatever lives in a service reads the
// service itself, and a service those that it is made from.
func (k Kind) remoteIndex(obj client.Object) []string {
	if k.IsService {
		services := k.Services(obj)
		return append(enqueue.ServiceValues(services[:1]), enqueue.EntryValues(services[1:], "", nil)...)
	}
	values := enqueue.EntryValues(k.Services(obj), k.Identity(obj).Entry, k.Reads(obj))
	return append(values, enqueue.ItemValues(k.Item(obj), k.ReadsItems(obj))...)
}

// SharedIndex is the field index over what objects of a kind share.
const SharedIndex = "aero.shared"

// Siblings lists the other objects of the kind that share something with an object. One that only observes is none.
func (k Kind) Siblings(obj client.Object) func(context.Context) ([]client.Object, error) {
	return func(ctx context.Context) ([]client.Object, error) {
		var siblings []client.Object
		seen := map[types.UID]bool{obj.GetUID(): true}
		for _, value := range k.Shares(obj) {
			found, err := k.Lister.List(ctx, client.MatchingFields{SharedIndex: value})
			if err != nil {
				return nil, fmt.Errorf("listing objects that share %s: %w", value, err)
			}
			for _, other := range found {
				if !seen[other.GetUID()] && !policy.ObservesOnly(other) {
					siblings = append(siblings, other)
				}
				seen[other.GetUID()] = true
			}
		}
		return siblings, nil
	}
}

func tokenIndex(obj client.Object) []string {
	name := credentials.TokenName(obj)
	if name == "" {
		return nil
	}
	return []string{obj.GetNamespace() + "/" + name}
}

// nonempty leaves out of an index what has no value.
func nonempty(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
