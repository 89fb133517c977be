// Package service turns what is special about a service type into the controller of its kind. Everything that the
// services share is here: plan, cloud, VPC, power, disk, maintenance, tags, contacts, options.
package service

import (
	"context"
	"fmt"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

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
	// Options is the option tree of the spec, or nil.
	Options func(obj T) any
	// Details are what an application needs to connect. ca is the certificate of the project's authority.
	Details func(s *aiven.Service, ca string) connection.Details
	// BeforeUpdate may refuse an update for now, or for good; nil for types that need no care.
	BeforeUpdate func(ctx context.Context, env controllers.Env, s *aiven.Service, diff controllers.Diff) error
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
	found, err := c.env.Account.Service(ctx, w.project, w.name)
	if fault.Is(err, fault.NotFound) {
		hold, err := c.sourcesPending(ctx, w)
		return controllers.Observation{Hold: hold}, err
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
func (c *controller[T]) describe(ctx context.Context, obj T, w wants, found *aiven.Service) (controllers.Observation, error) {
	c.last = found
	obj.GetServiceStatus().State = found.State
	o := controllers.Observation{Remote: remote(found, w.powered)}
	o.Diff, o.Untold = w.compare(found)
	if o.Diff.Has("spec.powered") && !w.powered {
		if err := c.backupPending(ctx, &o, found); err != nil {
			return o, err
		}
	}
	if !o.Remote.Active {
		return o, nil
	}
	ca, err := c.env.Account.CA(ctx, w.project)
	if err != nil {
		return o, err
	}
	o.Details = c.Details(found, ca)
	return o, nil
}

// remote is the health of a service. While it moves to other nodes it isn't what the spec asks for yet, although its
// clients can go on.
func remote(s *aiven.Service, powered bool) status.Remote {
	r := status.Remote{Exists: true, State: s.State}
	switch s.State {
	case aiven.StateRunning:
		r.Active = true
	case aiven.StatePoweroff:
		r.PoweredOff = !powered
		r.Message = "The service is powered off"
	case aiven.StateRebuilding:
		r.Reason, r.Message = "Rebuilding", "Waiting for Aiven to build the service"
	default:
		r.Reason, r.Message = "Updating", "Waiting for Aiven: the service is "+s.State
	}
	return r
}

// backupPending keeps a service on until there is a backup to bring it back from.
func (c *controller[T]) backupPending(ctx context.Context, o *controllers.Observation, s *aiven.Service) error {
	backups, err := c.env.Account.Client().ServiceBackupsGet(ctx, s.Project, s.Name)
	if err != nil {
		return fmt.Errorf("listing backups: %w", err)
	}
	if len(backups.Backups) == 0 {
		o.Hold = "Waiting for the first backup: without one, a service that is powered off couldn't come back"
		o.Remote.Active, o.Remote.Message = false, o.Hold
	}
	return nil
}

// sourcesPending says what a new service waits for: the service that it is to copy, and a backup of it.
func (c *controller[T]) sourcesPending(ctx context.Context, w wants) (string, error) {
	for _, integration := range w.integrations {
		source := *integration.SourceService
		found, err := c.env.Account.Service(ctx, w.project, source)
		if fault.Is(err, fault.NotFound) || err == nil && !found.Operational() {
			return fmt.Sprintf("Waiting for service %s, which this one is to replicate", source), nil
		}
		if err != nil {
			return "", err
		}
		backups, err := c.env.Account.Client().ServiceBackupsGet(ctx, w.project, source)
		if err != nil {
			return "", fmt.Errorf("listing backups of %s: %w", source, err)
		}
		if len(backups.Backups) == 0 {
			return fmt.Sprintf("Waiting for the first backup of service %s, which this one is to replicate", source), nil
		}
	}
	return "", nil
}

// Create implements controllers.AivenController.
func (c *controller[T]) Create(ctx context.Context, obj T) (controllers.Observation, error) {
	w, err := c.wants(obj)
	if err != nil {
		return controllers.Observation{}, err
	}
	_, err = c.env.Account.Client().ServiceCreate(ctx, w.project, w.createRequest(c.Type))
	c.env.Account.Forget(w.project, w.name)
	if err != nil {
		return controllers.Observation{}, fmt.Errorf("creating service: %w", err)
	}
	obj.GetServiceStatus().State = aiven.StateRebuilding
	return controllers.Observation{Remote: status.Remote{
		Exists: true, State: aiven.StateRebuilding, Reason: "Creating", Message: "Waiting for Aiven to build the service",
	}}, nil
}

// Update implements controllers.AivenController.
func (c *controller[T]) Update(ctx context.Context, obj T, seen controllers.Observation) (controllers.Observation, error) {
	w, err := c.wants(obj)
	if err != nil {
		return controllers.Observation{}, err
	}
	if c.BeforeUpdate != nil {
		if err := c.BeforeUpdate(ctx, c.env, c.last, seen.Diff); err != nil {
			return controllers.Observation{}, err
		}
	}
	defer c.env.Account.Forget(w.project, w.name)
	if err := c.send(ctx, w, seen); err != nil {
		return controllers.Observation{}, err
	}
	seen.Diff, seen.Untold = nil, nil
	if seen.Remote.Active {
		seen.Remote = status.Remote{
			Exists: true, State: seen.Remote.State, Reason: "Updating",
			Message: "Waiting for Aiven to show what it has accepted",
		}
	}
	return seen, nil
}

func (c *controller[T]) send(ctx context.Context, w wants, seen controllers.Observation) error {
	client := c.env.Account.Client()
	if onlyTags := len(seen.Diff) == 1 && seen.Diff.Has(pathTags); !onlyTags {
		if _, err := client.ServiceUpdate(ctx, w.project, w.name, w.updateRequest(c.last)); err != nil {
			return fmt.Errorf("updating service: %w", err)
		}
	}
	if seen.Diff.Has(pathTags) {
		in := &avnservice.ProjectServiceTagsReplaceIn{Tags: w.tags}
		if err := client.ProjectServiceTagsReplace(ctx, w.project, w.name, in); err != nil {
			return fmt.Errorf("replacing tags: %w", err)
		}
	}
	return nil
}

// Delete implements controllers.AivenController. It is done when Aiven no longer knows the service.
func (c *controller[T]) Delete(ctx context.Context, obj T) error {
	project, name := obj.GetServiceCommonSpec().Project, obj.GetName()
	found, err := c.env.Account.Service(ctx, project, name)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if found.Type != c.Type {
		return nil // a namesake that was never ours
	}
	defer c.env.Account.Forget(project, name)
	if err := c.terminate(ctx, found); err != nil {
		return err
	}
	c.env.Account.Forget(project, name)
	if _, err := c.env.Account.Service(ctx, project, name); !fault.Is(err, fault.NotFound) {
		return controllers.ErrDeletionPending
	}
	return nil
}

// terminate asks Aiven to delete a service, whose protection the spec no longer asks for.
func (c *controller[T]) terminate(ctx context.Context, s *aiven.Service) error {
	client := c.env.Account.Client()
	if s.TerminationProtection {
		off := false
		in := &avnservice.ServiceUpdateIn{TerminationProtection: &off, ProjectVpcId: optional(s.ProjectVPCID)}
		if _, err := client.ServiceUpdate(ctx, s.Project, s.Name, in); err != nil {
			return fmt.Errorf("turning off termination protection: %w", err)
		}
	}
	if err := client.ServiceDelete(ctx, s.Project, s.Name); err != nil && !fault.Is(err, fault.NotFound) {
		return fmt.Errorf("deleting service: %w", err)
	}
	return nil
}
