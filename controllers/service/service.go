// Package service builds the controller of a service kind from what is special about its type. Everything that the
// services share is here: plan, cloud, VPC, power, disk, maintenance, tags, contacts, options, migration.
//
//	service.go     Definition, and Observe
//	write.go       create, update, delete
//	wait.go        what has to be there before a service can be made or powered off
//	desired.go     the spec in Aiven's terms, and its differences from the service
//	createonly.go  options that can't be applied any more
//	details.go     what clients connect with
//	requests.go    what is sent
//	references.go  the objects and Secrets that a service refers to
//	migration.go   data that comes from another database
package service

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/notices"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// Object is an object that is a service, and has its name.
type Object interface {
	controllers.Object
	GetBaseServiceFields() *v1alpha1.BaseServiceFields
	GetServiceStatus() *v1alpha1.ServiceStatus
}

// diskOwner is an Object whose service has a disk of its own.
type diskOwner interface {
	GetServiceCommonSpec() *v1alpha1.ServiceCommonSpec
}

// Checker may refuse updates. It keeps its state between reconciles, by the UIDs of objects, and loses it with a restart.
type Checker[T Object] interface {
	// Check returns an error while the update mustn't be sent: fault.NotYet for now, fault.InvalidSpec for good.
	Check(ctx context.Context, env controllers.Env, obj T, s *aiven.Service, diff controllers.Diff) error
	// Forget drops what is kept of an object whose update was sent, or that is being deleted.
	Forget(uid types.UID)
}

// Option is a user option with a value.
type Option struct{ Name, Value string }

// Definition is a service type.
type Definition[T Object] struct {
	// Type is Aiven's code of the type, "pg" for instance.
	Type string
	// Options is the option tree of the spec, nil or a nil pointer if it has none.
	Options func(obj T) any
	// Details are what an application needs to connect; nil for types that publish nothing. ca is the certificate of the
	// project's CA, and empty unless NeedsCA is set.
	Details func(s *aiven.Service, ca string) connection.Info
	// NeedsCA means that the details have the certificate of the project's CA. For other types it isn't read.
	NeedsCA bool
	// NoBackups means that services of the type have no backups, so that powering one off waits for none.
	NoBackups bool
	// OffLosesData is what a service of the type loses when it is powered off, as a clause; empty if it is restored from a backup.
	OffLosesData string
	// BackupsOff is the option by which a spec of the type turns backups off; its zero value for types without one.
	BackupsOff Option
	// BeforeUpdate makes the check that every update has to pass, once for each controllers.Setup; nil for types without.
	BeforeUpdate func() Checker[T]
	// Migration returns the Secret to migrate from, nil if the spec names none; nil for types that can't migrate. A kind
	// that sets it has the reference Migration too.
	Migration func(obj T) *v1alpha1.MigrationSecretSource
	// MigrationKeys are keys of that Secret that only this type has.
	MigrationKeys MigrationKeys
}

// Controller makes the controller for one reconcile.
func (d Definition[T]) Controller(env controllers.Env) controllers.AivenController[T] {
	return &controller[T]{Definition: d, env: env}
}

// controller lives for one reconcile.
type controller[T Object] struct {
	Definition[T]
	env   controllers.Env
	reads aiven.Reads    // began before all that was read
	last  *aiven.Service // as it was read last
}

// checkerKey is where the checker is in controllers.Env.Memory.
type checkerKey struct{}

// checker returns the check of updates, or nil.
func (c *controller[T]) checker() Checker[T] {
	if c.BeforeUpdate == nil {
		return nil
	}
	made, _ := c.env.Memory.LoadOrStore(checkerKey{}, c.BeforeUpdate())
	return made.(Checker[T])
}

// Observe implements controllers.AivenController.
func (c *controller[T]) Observe(ctx context.Context, obj T) (controllers.Observation, error) {
	w, err := c.desired(obj)
	if err != nil {
		return controllers.Observation{}, err
	}
	c.reads = c.env.Client.BeginReads()
	found, err := c.env.Client.GetLive(ctx, w.project, w.name)
	if fault.Is(err, fault.NotFound) {
		if c.reads.WritePending(w.project, w.name, "") {
			created := status.Remote{Exists: true, Reason: condition.ReasonCreating, Message: messageUnconfirmed}
			return controllers.Observation{Remote: created, WaitFor: messageUnconfirmed}, nil
		}
		obj.GetServiceStatus().State, obj.GetServiceStatus().ServiceNotices = "", v1alpha1.ServiceNotices{}
		if err := cmp.Or(w.contradiction(nil), c.unrestorable(w, nil)); err != nil {
			return controllers.Observation{}, err
		}
		waitFor, err := c.sourcesPending(ctx, w)
		return controllers.Observation{WaitFor: waitFor, Held: plan.Held{Later: w.powerOff()}}, c.notSent(w, err)
	}
	if err != nil {
		return controllers.Observation{}, err
	}
	if found.Type != c.Type {
		return controllers.Observation{}, fault.InvalidSpec("metadata.name", fmt.Sprintf(
			"project %s already has a service of this name, of type %s. Recreate the object under another name", w.project, found.Type))
	}
	o, err := c.describe(ctx, obj, w, found)
	return o, c.notSent(w, err)
}

// describe turns a service into an Observation. A spec that contradicts the service is refused until it was applied once:
// what changes afterwards, at Aiven, must not fail an object that is in use.
func (c *controller[T]) describe(ctx context.Context, obj T, w desired, found *aiven.Service) (controllers.Observation, error) {
	found, err := c.withIntegrations(ctx, w, found)
	if err != nil {
		return controllers.Observation{}, err
	}
	c.last = found
	obj.GetServiceStatus().State = found.State
	obj.GetServiceStatus().ServiceNotices = notices.OfService(found, obj.GetServiceStatus().Version)
	if !processed(obj) && !ownership.IsMadeFrom(obj) {
		if err := w.contradiction(found); err != nil {
			return controllers.Observation{}, err
		}
	}
	o := controllers.Observation{Remote: remote(found, w.powered)}
	if o.Remote.Active {
		o.Remote.Message = w.unapplied(found, ownership.IsMadeFrom(obj))
	}
	o.Newer = w.keepNewer(found)
	o.Diff, o.WriteOnly = w.compare(found)
	o.Wanted = userconfig.Values(pathOptions, w.update, o.WriteOnly)
	if len(o.Diff) > 0 && c.reads.WritePending(w.project, w.name, "") {
		return controllers.Observation{Remote: updating(o.Remote), WaitFor: messageUnconfirmed}, nil
	}
	if o.Diff.Has(pathPowered) && !w.powered {
		if err = c.checkPowerOff(ctx, obj, w, &o); err != nil {
			return o, err
		}
	}
	if o.Conditions, err = c.migration(ctx, obj, found); err != nil {
		return o, err
	}
	o.Details, err = c.details(ctx, found)
	return o, err
}

// details are empty while no client could connect.
func (c *controller[T]) details(ctx context.Context, s *aiven.Service) (connection.Info, error) {
	if c.Details == nil || !s.Operational() || s.URIParams["host"] == "" {
		return connection.Info{}, nil
	}
	ca := ""
	if c.NeedsCA {
		var err error
		if ca, err = c.env.Client.CA(ctx, s.Project); err != nil {
			return connection.Info{}, err
		}
	}
	details := c.Details(s, ca)
	details.Credentials = notices.OfCredentials(details.Prefixed(), s.Users[userOf(s)])
	return details, nil
}

// Messages that more than one place uses.
const (
	messageBuilding    = "Waiting for Aiven to build the service"
	messageUnconfirmed = "Waiting for Aiven to show what was written"
)

// remote is the health of a service. A service that moves to other nodes isn't Active yet, although its clients can go
// on.
func remote(s *aiven.Service, powered bool) status.Remote {
	r := status.Remote{Exists: true, State: s.State, Off: s.State == aiven.StatePoweroff && powered}
	switch {
	case s.State == aiven.StateRunning:
		r.Active = true
	case s.State == aiven.StatePoweroff && !powered:
		r.PoweredOff, r.Message = true, "The service is powered off"
	case s.State == aiven.StateRebuilding:
		r.Reason, r.Message = condition.ReasonRebuilding, messageBuilding
	default:
		r.Reason, r.Message = condition.ReasonUpdating, "Waiting for Aiven: the service is "+s.State
	}
	return r
}
