// Package service turns what is special about a service type into the controller of its kind. Everything that the
// services share is here: plan, cloud, VPC, power, disk, maintenance, tags, contacts, options, migration.
//
//	service.go     Definition, and the look at a service
//	write.go       create, update, delete
//	wait.go        what has to be there before a service can be made or powered off
//	wants.go       what a spec asks for, and where Aiven has it otherwise
//	options.go     the generated option trees
//	comparison.go  options in the spec against options at Aiven
//	requests.go    what is sent
//	references.go  the objects and Secrets that a service refers to
//	migration.go   data that comes from another database
package service

import (
	"context"
	"fmt"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Object is an object that is a service, and called like it.
type Object interface {
	controllers.Object
	GetServiceCommonSpec() *v1alpha1.ServiceCommonSpec
	GetServiceStatus() *v1alpha1.ServiceStatus
}

// Definition is a service type.
type Definition[T Object] struct {
	// Type is Aiven's code of the type, "pg" for instance.
	Type string
	// Options is the option tree of the spec, nil or a nil pointer if it has none.
	Options func(obj T) any
	// Details are what an application needs to connect; nil for types that nobody connects to. ca is the certificate of
	// the project's authority.
	Details func(s *aiven.Service, ca string) connection.Details
	// BeforeUpdate may refuse an update for now, or for good; nil for types that need no care.
	BeforeUpdate func(ctx context.Context, env controllers.Env, s *aiven.Service, diff controllers.Diff) error
	// Migration tells the Secret to migrate from, nil if the spec names none; nil for types that can't migrate. A kind
	// that sets it has the reference Migration too.
	Migration func(obj T) *v1alpha1.MigrationSecretSource
}

// Controller makes the controller for one reconcile.
func (d Definition[T]) Controller(env controllers.Env) controllers.AivenController[T] {
	return &controller[T]{Definition: d, env: env}
}

// controller lives for one reconcile.
type controller[T Object] struct {
	Definition[T]
	env  controllers.Env
	last *aiven.Service // as it was read last
}

// Observe implements controllers.AivenController.
func (c *controller[T]) Observe(ctx context.Context, obj T) (controllers.Observation, error) {
	w, err := c.wants(obj)
	if err != nil {
		return controllers.Observation{}, err
	}
	found, err := c.env.Client.GetLive(ctx, w.project, w.name)
	if fault.Is(err, fault.NotFound) {
		obj.GetServiceStatus().State = ""
		hold, err := c.sourcesPending(ctx, w)
		return controllers.Observation{WaitFor: hold}, err
	}
	if err != nil {
		return controllers.Observation{}, err
	}
	if found.Type != c.Type {
		return controllers.Observation{}, fault.InvalidSpec("metadata.name", fmt.Sprintf(
			"project %s has a service of that name already, and it is of type %s", w.project, found.Type))
	}
	return c.describe(ctx, obj, w, found)
}

// describe says how a service was found.
func (c *controller[T]) describe(ctx context.Context, obj T, w desired, found *aiven.Service) (controllers.Observation, error) {
	c.last = found
	obj.GetServiceStatus().State = found.State
	if err := w.contradiction(found); err != nil {
		return controllers.Observation{}, err
	}
	o := controllers.Observation{Remote: remote(found, w.powered)}
	o.Diff, o.WriteOnly = w.compare(found)
	if len(o.Diff) > 0 && c.env.Client.WritePending(w.project, w.name, "") {
		return controllers.Observation{Remote: updating(o.Remote)}, nil
	}
	var err error
	if o.Diff.Has(pathPowered) && !w.powered {
		if o.WaitFor, err = c.backupPending(ctx, found); err != nil {
			return o, err
		}
	}
	if o.Conditions, err = c.migration(ctx, obj, found); err != nil {
		return o, err
	}
	if c.Details == nil || !found.Operational() || len(found.URIParams) == 0 {
		return o, nil
	}
	ca, err := c.env.Client.CA(ctx, w.project)
	if err != nil {
		return o, err
	}
	o.Details = c.Details(found, ca)
	return o, nil
}

// remote is the health of a service. While it moves to other nodes it isn't what the spec asks for yet, although its
// clients can go on.
func remote(s *aiven.Service, powered bool) status.Remote {
	r := status.Remote{Exists: true, State: s.State, Off: s.State == aiven.StatePoweroff && powered}
	switch {
	case s.State == aiven.StateRunning:
		r.Active = true
	case s.State == aiven.StatePoweroff && !powered:
		r.PoweredOff, r.Message = true, "The service is powered off"
	case s.State == aiven.StateRebuilding:
		r.Reason, r.Message = "Rebuilding", "Waiting for Aiven to build the service"
	default:
		r.Reason, r.Message = "Updating", "Waiting for Aiven: the service is "+s.State
	}
	return r
}
