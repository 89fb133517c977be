// Package resource turns a handful of plain functions into the controller of a kind that lives in a service: a user, a
// database, a pool.
//
// Everything that these kinds have in common is here: the service is looked at first, and the resource is left alone
// until the service is usable; after a write it is looked at again, so that what is published is what Aiven says; and
// what is gone together with its service counts as deleted.
package resource

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Object is an object that lives in a service.
type Object interface {
	controllers.Object
	GetServiceDependant() *v1alpha1.ServiceDependant
}

// Scope is where a function of a Definition works. The service was read in this reconcile.
type Scope struct {
	controllers.Env
	Project string
	Service *aiven.Service
}

// Definition is a kind T whose resources are R in the eyes of Aiven. Find and Delete are needed; a kind without Update
// has nothing that could differ.
type Definition[T Object, R any] struct {
	// In lists the types of service that the resource can live in; any if empty.
	In []string
	// Find looks the resource up; nil if there is none.
	Find func(ctx context.Context, s Scope, obj T) (*R, error)
	// Diff compares the spec with what was found. It does no I/O.
	Diff func(s Scope, obj T, found *R) controllers.Diff
	// State is how a resource that exists is doing; nil for those that are of use as soon as they exist.
	State func(found *R) status.Remote
	// Create makes the resource, and tells what Aiven answered.
	Create func(ctx context.Context, s Scope, obj T) (aiven.WriteResult, error)
	// Update repairs differences, and tells what Aiven answered.
	Update func(ctx context.Context, s Scope, obj T, diff controllers.Diff) (aiven.WriteResult, error)
	// Delete removes the resource. Not found is fine.
	Delete func(ctx context.Context, s Scope, obj T) error
	// Details are what an application needs to connect; nil for kinds that publish nothing.
	Details func(ctx context.Context, s Scope, obj T, found *R) (connection.Details, error)
}

// Controller makes the controller for one reconcile.
func (d Definition[T, R]) Controller(env controllers.Env) controllers.AivenController[T] {
	return &controller[T, R]{Definition: d, env: env}
}

// controller lives for one reconcile: what Observe reads of the service serves the write after it.
type controller[T Object, R any] struct {
	Definition[T, R]
	env   controllers.Env
	scope Scope
	seen  status.Service
}

// Observe implements controllers.AivenController.
func (c *controller[T, R]) Observe(ctx context.Context, obj T) (controllers.Observation, error) {
	if err := c.read(ctx, obj); err != nil || !c.seen.Usable {
		return c.observation(), err
	}
	if kind := c.scope.Service.Type; len(c.In) > 0 && !slices.Contains(c.In, kind) {
		return c.observation(), fault.InvalidSpec("spec.serviceName", fmt.Sprintf(
			"service %s is of type %s, and this kind lives in a service of type %s",
			c.seen.Name, kind, strings.Join(c.In, " or ")))
	}
	o, err := c.look(ctx, obj)
	if err != nil {
		return o, err
	}
	return c.await(o), nil
}

// read reads the service, and notes how it was found. A service that doesn't exist is no error.
func (c *controller[T, R]) read(ctx context.Context, obj T) error {
	d := obj.GetServiceDependant()
	c.seen = status.Service{Name: d.Project + "/" + d.ServiceName}
	found, err := c.env.Client.Service(ctx, d.Project, d.ServiceName, c.env.Entries...)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	c.scope = Scope{Env: c.env, Project: d.Project, Service: found}
	c.seen.Exists, c.seen.State = true, found.State
	c.seen.Usable, c.seen.Off = found.Operational(), found.State == aiven.StatePoweroff
	return nil
}

func (c *controller[T, R]) observation() controllers.Observation {
	seen := c.seen
	return controllers.Observation{Service: &seen}
}

// look finds the resource in a usable service.
func (c *controller[T, R]) look(ctx context.Context, obj T) (controllers.Observation, error) {
	o := c.observation()
	found, err := c.Find(ctx, c.scope, obj)
	if err != nil || found == nil {
		return o, err
	}
	o.Remote = status.Remote{Exists: true, Active: true}
	if c.State != nil {
		o.Remote = c.State(found)
	}
	if c.Diff != nil {
		o.Diff = c.Diff(c.scope, obj, found)
	}
	if c.Details != nil {
		o.Details, err = c.Details(ctx, c.scope, obj, found)
	}
	return o, err
}

// await turns a look that doesn't show what we have written into waiting for one that does.
func (c *controller[T, R]) await(o controllers.Observation) controllers.Observation {
	reason := reasonUpdating
	switch {
	case o.Remote.Exists && len(o.Diff) == 0, !c.env.Client.WritePending(c.scope.Project, c.scope.Service.Name, c.self()):
		return o
	case !o.Remote.Exists:
		reason = reasonCreating
	}
	return controllers.Observation{Service: o.Service, Remote: pending(reason), WaitFor: pending(reason).Message}
}

// pending is the state of what Aiven has accepted and doesn't show yet.
func pending(reason string) status.Remote {
	return status.Remote{Exists: true, Reason: reason, Message: "Waiting for Aiven to show what was written"}
}

// Create implements controllers.AivenController.
func (c *controller[T, R]) Create(ctx context.Context, obj T) (controllers.Observation, error) {
	told, err := c.Definition.Create(ctx, c.scope, obj)
	return c.written(ctx, obj, told, err)
}

// Update implements controllers.AivenController.
func (c *controller[T, R]) Update(ctx context.Context, obj T, seen controllers.Observation) (controllers.Observation, error) {
	if c.Definition.Update == nil {
		return seen, nil
	}
	told, err := c.Definition.Update(ctx, c.scope, obj, seen.Diff)
	o, err := c.written(ctx, obj, told, err)
	if o.Remote.Reason == reasonCreating {
		o.Remote.Reason = reasonUpdating
	}
	return o, err
}

// The reasons of what Aiven has accepted and doesn't show yet.
const (
	reasonCreating = "Creating"
	reasonUpdating = "Updating"
)

// written goes on after a change: it looks again. What Aiven doesn't show at once, or can't be asked about, is on its
// way: the change itself has succeeded, and the next reconcile finds out.
func (c *controller[T, R]) written(ctx context.Context, obj T, told aiven.WriteResult, err error) (controllers.Observation, error) {
	told.MayHaveApplied = aiven.MayHaveApplied(err)
	c.tell(c.scope.Project, c.scope.Service.Name, told)
	if err != nil {
		return controllers.Observation{}, err
	}
	before := c.observation()
	if c.read(ctx, obj) == nil && c.seen.Usable {
		if o, err := c.look(ctx, obj); err == nil && o.Remote.Exists && len(o.Diff) == 0 {
			return o, nil
		}
	}
	before.Remote = pending(reasonCreating)
	return before, nil
}

// tell lets the view know what was written, or only that something was, if Aiven has told nothing.
func (c *controller[T, R]) tell(project, service string, told aiven.WriteResult) {
	c.env.Client.RecordWrite(project, service, c.self(), told)
}

// self is the part of the service that the object stands for.
func (c *controller[T, R]) self() aiven.Entry {
	if len(c.env.Entries) == 0 {
		return ""
	}
	return c.env.Entries[0]
}

// Delete implements controllers.AivenController.
func (c *controller[T, R]) Delete(ctx context.Context, obj T) error {
	d := obj.GetServiceDependant()
	s := Scope{Env: c.env, Project: d.Project, Service: &aiven.Service{Project: d.Project, Name: d.ServiceName}}
	err := c.Definition.Delete(ctx, s, obj)
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	c.tell(d.Project, d.ServiceName, aiven.WriteResult{Deleted: err == nil, MayHaveApplied: aiven.MayHaveApplied(err)})
	return err
}
