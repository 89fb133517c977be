// Package resource turns a declaration and a handful of plain functions into the controller of a leaf kind: a user, a
// topic, a VPC, an integration.
//
// What these kinds have in common is here: the services are read first, and the resource is left alone until they are
// usable; after a write the resource is read again unless Aiven's answer holds it; what was written and isn't seen yet is
// pending, not absent; and what is gone together with its service counts as deleted.
//
//	resource.go    Definition and Scope
//	place.go       where the resources live
//	controller.go  the controller of one reconcile
//	name.go        names that no call can have in its path
//	password.go    the password that a user's spec brings along, and the dates of credentials
//	earlier.go     what an earlier process may have created
//	delete.go      its way to delete
package resource

import (
	"context"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Scope is where a function of a Definition works. Its services were read in this reconcile.
type Scope struct {
	controllers.Env
	// Reads began before all that was read of Aiven.
	Reads        aiven.Reads
	Project      string // empty outside of projects
	Organization string // empty outside of organizations
	ServiceName  string // of the first service, empty outside of services
	// ObservesOnly is set where nothing of the object is written: what is found may be another object's.
	ObservesOnly bool
	// Service is the first of Services; nil outside of services, and on the delete path if it wasn't read.
	Service *aiven.Service
	// Services are those of the place, in its order; nil where the token may not read one.
	Services []*aiven.Service
	// LookupErr is why nothing could be looked up, on the delete path of a kind with LookupOnDelete. A Delete that needs
	// what would have been found returns it: the resource may exist. It is nil if the resource, or its service, is gone for
	// sure.
	LookupErr error
}

// Definition is a kind T whose resources are R in the API of Aiven. Object, Place, Identity, Find and Delete are needed.
// A kind without Update has nothing that could differ.
type Definition[T controllers.Object, R any] struct {
	// Object is an empty object of the kind.
	Object T
	// Place is where the resource lives.
	Place Place
	// Identity is what no other object can manage at the same time; controllers.NoIdentity for kinds whose objects may
	// overlap.
	Identity func(obj T) controllers.Identity
	// Reads are the entries of its services that an object reads besides its own. A change of them enqueues it.
	Reads func(obj T) []aiven.Entry
	// Named is the field that names the resource, or what it is in, in the paths of calls, and its value; nil for kinds without
	// such a name, and where it is the object's. What no path can hold isn't created, since no call could delete it.
	Named func(obj T) (path, name string)
	// Item is the element of a shared list that an object manages; nil for kinds that are in no such list.
	Item func(obj T) aiven.Item
	// ReadsItems are the elements of shared lists that an object reads besides its own, such as those that it waits for. A
	// change of them enqueues it.
	ReadsItems func(obj T) []aiven.Item
	// Services are those whose changes enqueue an object, of a kind that needs services and lives in none.
	Services func(obj T) []aiven.ServiceKey
	// References are what objects of the kind may refer to.
	References []reference.Declaration
	// HoldsData is set for kinds whose resources hold data.
	HoldsData bool
	// IsRule is set for kinds whose resources are nothing but their spec: one that exists may be managed without consent.
	IsRule bool
	// Free reports whether one that was found may be managed without consent, as Aiven makes it with the service; nil where
	// Aiven makes none.
	Free func(obj T, found *R) bool
	// Protected reports whether termination protection is on; nil for kinds without.
	Protected func(obj T) bool
	// Secrets are the credentials in a spec, which no text may hold; nil for kinds without.
	Secrets func(obj T) []string
	// LookupOnDelete is set for kinds whose Delete needs what Find finds, such as an id, or the services. After a restart,
	// they aren't created again before Aiven must show what an earlier process has created.
	LookupOnDelete bool
	// Shares is what objects have in common at Aiven, such as the user that is granted something, or a rule that an edit
	// leaves and another object asks for: an edit or the end of one enqueues the others, and Env.Siblings lists them.
	Shares func(obj T) []string
	// Forget clears the kind's own status fields that show the resource, once Aiven knows no service that it could be in; nil for
	// kinds without. Find clears them where there is a service. That answer is no proof of an absence, so what proves who
	// owns the resource, and what a deletion needs, stays.
	Forget func(obj T)
	// Intent sets the kind's own status fields to what has to be stored before a write, as what is written can't be found again
	// without them; nil for most kinds.
	Intent func(obj T, found *R)

	// Find returns the resource from the cache, a shared list, or a call; nil if there is none. An R of several things that has
	// a method Partial() bool isn't deleted while one of them may be on its way.
	Find func(ctx context.Context, s Scope, obj T) (*R, error)
	// State is the state of a resource that was found; nil for those that are of use as soon as they exist. One that
	// doesn't exist any longer but is still in the way has a Message and no Exists.
	State func(found *R) status.Remote
	// Diff compares the spec with what was found. It does no I/O.
	Diff func(s Scope, obj T, found *R) controllers.Diff
	// WriteOnly lists the paths that the spec sets and Aiven never returns, or didn't return with what was found. They are sent
	// once a generation, and again when a Secret that the spec names changes.
	WriteOnly func(obj T, found *R) []string
	// Later is what the spec asks for and what something else has to be there for; nil for kinds that don't wait for a part of it.
	Later func(found *R) controllers.Diff
	// Awaits is what a resource that isn't there has to wait for before it can be created, as a sentence; empty for nothing. Nothing is
	// recorded of the object until then. Nil for kinds that wait for nothing.
	Awaits func(s Scope, obj T) string
	// Create makes the resource, and returns it if Aiven's answer holds it. Create, Update and Reset make several calls by a
	// fault.Sequence: the refusal of a later one doesn't mean that nothing has changed.
	Create func(ctx context.Context, s Scope, obj T) (*R, error)
	// Update corrects differences, or applies the whole spec if there are none, and returns the resource if Aiven's
	// answer holds it.
	Update func(ctx context.Context, s Scope, obj T, found *R, diff controllers.Diff) (*R, error)
	// Reset makes Aiven issue new credentials, and returns the resource with them. It is set for kinds whose credentials
	// only Create and Reset return.
	Reset func(ctx context.Context, s Scope, obj T, found *R) (*R, error)
	// SetPassword sets a password of the user that the Details are of, and returns the user with it if Aiven's answer holds it; nil for
	// kinds without a password of their own, whose Details are Fixed.
	SetPassword func(ctx context.Context, s Scope, obj T, found *R, password string) (*R, error)
	// AcknowledgeRenewal acknowledges the renewal of the client certificate that the Details have; nil for kinds without one.
	AcknowledgeRenewal func(ctx context.Context, s Scope, obj T) error
	// Delete removes the resource. Aiven's 404 is fine: it is confirmed by a list. found is nil without LookupOnDelete, and
	// where nothing was found or could be read.
	Delete func(ctx context.Context, s Scope, obj T, found *R) error
	// Details are what an application needs to connect; nil for kinds that publish nothing.
	Details func(ctx context.Context, s Scope, obj T, found *R) (connection.Info, error)
}

// Kind is what is registered with the engine.
func (d Definition[T, R]) Kind() controllers.Kind[T] {
	k := controllers.Kind[T]{
		Object: d.Object, References: d.References, Protected: d.Protected, Identity: d.Identity, Reads: d.Reads,
		Item: d.Item, ReadsItems: d.ReadsItems, Services: d.Services, Shares: d.Shares, PersistIntent: d.Intent != nil,
		Secrets: d.Secrets, CredentialsOnce: d.Reset != nil, HoldsData: d.HoldsData,
		New: func(env controllers.Env) controllers.AivenController[T] {
			return &controller[T, R]{definition: d, env: env}
		},
	}
	if services := d.Place.services(); services != nil {
		k.Services = func(obj T) []aiven.ServiceKey { return services(obj) }
	}
	return k
}
