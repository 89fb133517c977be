package controllers

import (
	"context"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/watches"
)

// Object is what the Go type of every kind offers the engine.
type Object interface {
	client.Object
	// GetAuthSecretRef returns where the token is, or nil for the operator's default.
	GetAuthSecretRef() *v1alpha1.AuthSecretReference
	// GetCommonStatus points to the part of the status that the engine writes.
	GetCommonStatus() *v1alpha1.CommonStatus
}

// AivenController manages the Aiven resource of one object during one reconcile. It has access to the Aiven API and to
// the object, and to nothing else: no finalizer, no condition, no Secret, no requeue.
//
// An implementation MUST be safe to stop after any line: the next call starts from the object and from Aiven alone. It
// MUST NOT sleep or poll; what isn't ready yet is part of the Observation, and the engine requeues. It MAY fill the
// kind's own status fields (an id, a state) of obj, which is the engine's working copy, and MUST NOT change anything
// else in it. Errors are returned as the client returns them, wrapped with %w; a spec that can't be right is a
// fault.InvalidSpec.
type AivenController[T Object] interface {
	// Observe reads from Aiven and MUST NOT change anything there. A missing resource is an Observation, not an error;
	// so is a service that isn't usable, in which case nothing else of the Observation counts.
	Observe(ctx context.Context, obj T) (Observation, error)

	// Create makes the resource, after an Observe that didn't find it. It MUST be safe to repeat when its answer was
	// lost. It returns the state after the call.
	Create(ctx context.Context, obj T) (Observation, error)

	// Update corrects the differences that Observe has found, and returns the state after the call. seen.WriteOnly has
	// paths only if they have to be sent. seen.Held has what MUST stay as it is: see plan.Separator.
	Update(ctx context.Context, obj T, seen Observation) (Observation, error)

	// Delete removes the resource. It returns nil once nothing is left (404 is gone), deletion.ErrPending while Aiven
	// is working on it, and a *deletion.BlockedError if something else has to be deleted first.
	Delete(ctx context.Context, obj T) error
}

// CredentialsResetter is an AivenController of a kind with CredentialsOnce.
type CredentialsResetter[T Object] interface {
	// ResetCredentials makes Aiven issue new credentials, and returns the state with them. It is called if they were lost
	// and the connection Secret can be published.
	ResetCredentials(ctx context.Context, obj T, seen Observation) (Observation, error)
}

// Observation is what was found at Aiven.
type Observation struct {
	Services    []status.Service // those that the resource lives in or connects; none for kinds outside of services
	Remote      status.Remote
	Diff, Newer Diff                   // where Aiven differs from the spec, and where it is ahead of it by itself: that is never corrected
	Held        plan.Held              // where a correction would lose data, and Env.MayLoseData isn't set
	WriteOnly   []string               // paths that the spec sets and Aiven never returns: sent once a generation
	Wanted      plan.Wanted            // what the spec has at those of WriteOnly, as far as it is known and no secret
	Free        bool                   // it may be managed without consent: it is nothing but its spec, or Aiven made it
	WaitFor     string                 // why nothing may be written yet; empty if nothing is in the way
	Details     connection.Info        // of the connection; empty if none are known
	Conditions  []status.KindCondition // that only this kind has
}

// usable reports whether the resource can be worked with.
func (o *Observation) usable() bool {
	service := status.DecisiveService(o.Services)
	return service == nil || service.Usable
}

// Diff are differences between the spec and what Aiven returns.
type Diff = plan.Diff

// Env is what a kind works with during one reconcile.
type Env struct {
	Client *aiven.Client      // Aiven, as the object's token sees it
	Refs   reference.Resolved // what the object refers to; all of it is ready, but for a deletion
	// Published is what our field manager owns in the connection Secret. It is read for kinds with CredentialsOnce only.
	Published connection.Published
	Memory    *sync.Map // what the kind keeps between reconciles, made once a Setup; never nil
	// Siblings lists the other objects of a kind with Shares that share something with this one. They MUST NOT be changed.
	Siblings    func(ctx context.Context) ([]client.Object, error)
	MayLoseData bool // a user has confirmed that applying the present spec loses data, or needn't
	Shared      bool // another object goes on with the resource of the spec: a deletion is of what earlier specs have asked for
}

// Identity is the Aiven resource that an object manages: no two objects may manage the same one.
type Identity = ownership.Identity

// NoIdentity is the Identity of a kind whose objects may overlap.
func NoIdentity[T Object](T) Identity { return Identity{None: true} }

// Kind registers one kind with the engine.
type Kind[T Object] struct {
	Object     T                                // an empty object of the kind
	New        func(env Env) AivenController[T] // called once a reconcile
	References []reference.Declaration          // what objects of the kind may refer to
	Protected  func(obj T) bool                 // termination protection is on; nil for kinds without
	Secrets    func(obj T) []string             // credentials in the spec, which no text may hold; nil for kinds without

	// Identity is needed, and MUST NOT return its zero value. Kinds whose objects may overlap have NoIdentity.
	Identity func(obj T) Identity
	// Services are those that an object is, lives in or connects; nil for kinds outside of services. Their changes
	// enqueue it. An object that is a service has itself first, and then those that it waits for.
	Services func(obj T) []aiven.ServiceKey
	// Reads are the entries of its services that an object reads besides its own; nil for none. Their changes enqueue it.
	Reads func(obj T) []aiven.Entry
	// Item is the element of a shared list that an object manages; nil for kinds that are in no such list.
	Item func(obj T) aiven.Item
	// ReadsItems are the elements of shared lists that an object reads besides its own; nil for none. Their changes enqueue
	// it.
	ReadsItems func(obj T) []aiven.Item
	// Shares is what objects of a kind have in common at Aiven: an edit or the end of one enqueues the others.
	Shares func(obj T) []string
	// HoldsData is set for kinds whose resources hold data: one that was ready isn't created again without consent.
	HoldsData bool
	// CredentialsOnce is set for kinds whose credentials Aiven returns once.
	CredentialsOnce bool
	// PersistIntent is set for kinds whose own status fields have to be stored before the first write at Aiven: what
	// they write can't be found again without them. If the controller has a method RecordIntent(obj T), that sets them.
	PersistIntent bool
	// IsService is set for kinds that are services: they end Running, and the service is their identity.
	IsService bool
}

// Registration is a Kind[T] of any T.
type Registration interface {
	GetObject() client.Object
	Observe(ctx context.Context, env *Env, references reference.Resolver, obj Object) (Observation, error)
	register(s *setup) error
	build(s *setup) error
}

// GetObject is an empty object of the kind.
func (k Kind[T]) GetObject() client.Object { return k.Object }

// Observe is what the controller of the kind finds at Aiven for one of its objects, which isn't changed. It sets env.Refs.
func (k Kind[T]) Observe(ctx context.Context, env *Env, references reference.Resolver, obj Object) (Observation, error) {
	env.Refs = references.Resolve(ctx, obj, k.References)
	return k.New(*env).Observe(ctx, obj.DeepCopyObject().(T))
}

// shape is the kind without its Go type.
func (k Kind[T]) shape(lister enqueue.Lister) watches.Kind {
	return watches.Kind{
		Object: k.Object, Lister: lister, References: k.References, Publishes: connection.Publishes(k.Object), IsService: k.IsService,
		Identity: watches.Untyped(k.Identity), Services: watches.Untyped(k.Services), Reads: watches.Untyped(k.Reads),
		Item: watches.Untyped(k.Item), ReadsItems: watches.Untyped(k.ReadsItems), Shares: watches.Untyped(k.Shares),
		Secrets: watches.Untyped(k.Secrets), Protected: watches.Untyped(k.Protected),
	}
}
