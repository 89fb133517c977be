package controllers

import (
	"context"
	"fmt"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Object is what the Go type of every kind offers the engine.
type Object interface {
	client.Object
	// GetAuthSecretRef says where the token is, or nil for the operator's default.
	GetAuthSecretRef() *v1alpha1.AuthSecretReference
	// GetCommonStatus points to the part of the status that the engine writes.
	GetCommonStatus() *v1alpha1.CommonStatus
}

// publisher is an Object with a connection Secret.
type publisher interface {
	GetSecretFields() *v1alpha1.SecretFields
}

// dependent is an Object that lives in a service.
type dependent interface {
	GetServiceDependant() *v1alpha1.ServiceDependant
}

// service is an Object that is a service, called like the object.
type service interface {
	GetProjectDependant() *v1alpha1.ProjectDependant
	GetServiceStatus() *v1alpha1.ServiceStatus
}

// AivenController makes one kind of object true at Aiven. It sees the API of Aiven and the object, and nothing else:
// no finalizer, no condition, no Secret, no requeue.
//
// An implementation MUST be safe to stop after any line: the next call starts from the object and from Aiven alone. It
// MUST NOT sleep or poll; what isn't ready yet is said in the Observation, and the engine comes back. It MAY fill the
// kind's own status fields (an id, a state) of obj, which is the engine's working copy, and MUST NOT touch anything
// else in it. Errors are returned as the client gives them, wrapped with %w; a spec that can't be right is a
// fault.InvalidSpec.
type AivenController[T Object] interface {
	// Observe looks at Aiven and MUST NOT change anything there. A missing resource is an Observation, not an error;
	// so is a service that isn't usable, in which case nothing else of the Observation counts.
	Observe(ctx context.Context, obj T) (Observation, error)

	// Create makes the resource, after an Observe that didn't find it. It MUST be safe to repeat when its answer was
	// lost. What it returns is the state after the call.
	Create(ctx context.Context, obj T) (Observation, error)

	// Update repairs the differences that Observe has seen, and returns the state after the call.
	Update(ctx context.Context, obj T, seen Observation) (Observation, error)

	// Delete removes the resource. It returns nil once nothing is left (404 is gone), ErrDeletionPending while Aiven
	// is at it, and a *BlockedError if something else has to go first.
	Delete(ctx context.Context, obj T) error
}

// Observation is what a look at Aiven found.
type Observation struct {
	Service    *status.Service // the service that the resource lives in; nil for kinds that live in none
	Remote     status.Remote
	Diff       Diff                   // what the spec asks for and Aiven has otherwise; empty is up to date
	WriteOnly  []string               // paths in the spec that Aiven doesn't report on: they are sent once a generation
	WaitFor    string                 // why nothing may be written yet; empty if nothing is in the way
	Details    connection.Details     // of the connection; empty if none are known
	Conditions []status.KindCondition // conditions that only this kind has
}

// usable says whether the resource can be worked with.
func (o *Observation) usable() bool { return o.Service == nil || o.Service.Usable }

// Diff are differences between the spec and what Aiven reports.
type Diff []v1alpha1.DriftEntry

// Add notes a difference at a path in the spec. Secret values are not passed: say "(secret)".
func (d *Diff) Add(path string, wanted, found any) {
	*d = append(*d, v1alpha1.DriftEntry{Path: path, Wanted: fmt.Sprint(wanted), Found: fmt.Sprint(found)})
}

// Has says whether there is a difference at a path.
func (d Diff) Has(path string) bool {
	for _, entry := range d {
		if entry.Path == path {
			return true
		}
	}
	return false
}

// Paths lists where the differences are.
func (d Diff) Paths() []string {
	paths := make([]string, 0, len(d))
	for _, entry := range d {
		paths = append(paths, entry.Path)
	}
	return paths
}

// Env is what a kind works with during one reconcile.
type Env struct {
	Client  *aiven.Client      // Aiven, as the object's token sees it
	Refs    reference.Resolved // what the object refers to; all of it is ready
	Entries []aiven.Entry      // what the object is in its service, and then what it reads there
	Memory  *sync.Map          // what the kind keeps between reconciles, made once a Setup; never nil
}

// deletionError is a value that says how a deletion goes on.
type deletionError string

func (e deletionError) Error() string { return string(e) }

// ErrDeletionPending says that Aiven has accepted a deletion and isn't done with it.
const ErrDeletionPending = deletionError("the deletion is under way at Aiven")

// BlockedError says what has to go before a resource can be deleted.
type BlockedError struct{ Reason string }

func (e *BlockedError) Error() string { return e.Reason }

// Kind registers one kind with the engine.
type Kind[T Object] struct {
	Object     T                                // an empty object of the kind
	New        func(env Env) AivenController[T] // called once a reconcile
	References []reference.Declaration          // what objects of the kind may refer to
	Protected  func(obj T) bool                 // termination protection is on; nil for kinds without

	// Parts are, of a kind that lives in a service: what the object is there, and then what else it reads there. The
	// object is woken when one of them changes, and shares the first with no other object.
	Parts func(obj T) []aiven.Entry
	// Claim is, of a kind that is no service and lives in none, what the object stands for at Aiven: what no other
	// object can stand for at the same time.
	Claim func(obj T) string
}

// Registration is a Kind of any type.
type Registration interface {
	// GetObject is an empty object of the kind.
	GetObject() client.Object
	setup(s *setup) error
}

// GetObject is an empty object of the kind.
func (k Kind[T]) GetObject() client.Object { return k.Object }
