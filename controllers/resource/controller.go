package resource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// controller lives for one reconcile: what Observe reads serves the write after it.
type controller[T controllers.Object, R any] struct {
	definition Definition[T, R]
	env        controllers.Env
	scope      Scope
	services   []status.Service
	found      *R
}

// Observe implements controllers.AivenController.
func (c *controller[T, R]) Observe(ctx context.Context, obj T) (controllers.Observation, error) {
	early := c.expectEarlierCreate(obj) // before the read, which may outlast the lag
	usable, err := c.readServices(ctx, obj)
	if err != nil {
		return c.observation(), err
	}
	if !usable {
		c.forget(obj)
		return c.observation(), nil
	}
	if err := c.checkType(); err != nil {
		return c.observation(), err
	}
	if waits := c.definition.Place.awaited(c.scope.Service); waits != "" {
		return controllers.Observation{Services: c.observation().Services, Remote: status.Remote{Unread: true, Message: waits}, WaitFor: waits}, nil
	}
	o, err := c.find(ctx, obj)
	if err != nil {
		return o, err
	}
	return c.awaitWrite(o, early && !o.Remote.Exists || c.writePending(obj)), nil
}

func (c *controller[T, R]) observation() controllers.Observation {
	return controllers.Observation{Services: slices.Clone(c.services)}
}

// forget clears what the status shows of a resource that has no service: nothing is found there that would.
func (c *controller[T, R]) forget(obj T) {
	missing := func(s status.Service) bool { return !s.Exists }
	if c.definition.Forget != nil && slices.ContainsFunc(c.services, missing) {
		c.definition.Forget(obj)
	}
}

// readServices reads the services of the place, and reports whether all of them are usable. A service that doesn't exist
// is no error.
func (c *controller[T, R]) readServices(ctx context.Context, obj T) (bool, error) {
	c.locate(obj)
	usable := true
	for i, end := range c.definition.Place.endsOf(obj) {
		found, state, err := c.readService(ctx, end, obj)
		if i == 0 {
			c.scope.Service = found
		}
		c.scope.Services = append(c.scope.Services, found)
		if found == nil && err == nil && state.Usable {
			continue // hidden
		}
		c.services = append(c.services, state)
		if err != nil {
			return false, err
		}
		usable = usable && state.Usable
	}
	return usable, nil
}

// locate sets the scope as far as the object knows it.
func (c *controller[T, R]) locate(obj T) {
	place := c.definition.Place
	c.scope, c.services = Scope{Env: c.env, Reads: c.env.Client.BeginReads(), ObservesOnly: policy.ObservesOnly(obj)}, nil
	if place.project != nil {
		c.scope.Project = place.project(obj)
	}
	if place.organization != nil {
		c.scope.Organization = place.organization(obj)
	}
	if ends := place.endsOf(obj); len(ends) > 0 {
		c.scope.ServiceName = ends[0].Service
	}
}

// readService returns a service, nil if there is none, and how it was found.
func (c *controller[T, R]) readService(ctx context.Context, end End, obj T) (*aiven.Service, status.Service, error) {
	state := status.Service{Name: end.String(), Condition: end.Condition}
	found, err := c.env.Client.Service(ctx, end.Project, end.Service, c.entries(obj)...)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, state, nil
	case end.MayBeHidden && fault.Is(err, fault.Forbidden):
		state.Usable = true
		return nil, state, nil
	case err != nil:
		return nil, state, err
	}
	state.Exists, state.State = true, found.State
	state.Usable, state.Off = found.Operational(), found.State == aiven.StatePoweroff
	return found, state, nil
}

func (c *controller[T, R]) checkType() error {
	if !c.mistyped() {
		return nil
	}
	return fault.InvalidSpec("spec.serviceName", fmt.Sprintf("service %s is of type %s: this kind needs a service of type %s. Recreate the object with the name of one",
		c.services[0].Name, c.scope.Service.Type, strings.Join(c.definition.Place.types, " or ")))
}

// mistyped reports whether the service is of a type that can't have the resource.
func (c *controller[T, R]) mistyped() bool {
	types, service := c.definition.Place.types, c.scope.Service
	return len(types) > 0 && service != nil && !slices.Contains(types, service.Type)
}

// find observes the resource in usable services.
func (c *controller[T, R]) find(ctx context.Context, obj T) (controllers.Observation, error) {
	found, err := c.definition.Find(ctx, c.scope, obj)
	if err != nil || found == nil {
		c.found = nil
		o := c.observation()
		if err == nil && c.definition.Awaits != nil {
			o.WaitFor = c.definition.Awaits(c.scope, obj)
			o.Remote.Message = o.WaitFor
		}
		return o, cmp.Or(c.checkName(obj), err)
	}
	return c.describe(ctx, obj, found)
}

// describe turns a resource into an Observation.
func (c *controller[T, R]) describe(ctx context.Context, obj T, found *R) (controllers.Observation, error) {
	d, o := c.definition, c.observation()
	c.found = found
	o.Remote = status.Remote{Exists: true, Active: true}
	if d.State != nil {
		o.Remote = d.State(found)
	}
	if !o.Remote.Exists { // a creation reads again what it needs
		o.WaitFor, o.Remote = o.Remote.Message, status.Remote{Unread: o.Remote.Unread, Message: o.Remote.Message}
		return o, nil
	}
	if d.Later != nil {
		o.Held.Later = d.Later(found)
	}
	o.Free = d.IsRule || d.Free != nil && d.Free(obj, found)
	if d.Diff != nil {
		o.Diff = d.Diff(c.scope, obj, found)
	}
	if d.WriteOnly != nil {
		o.WriteOnly = d.WriteOnly(obj, found)
	}
	var err error
	if d.Details != nil {
		o.Details, err = d.Details(ctx, c.scope, obj, found)
	}
	return o, err
}

// awaitWrite turns an observation that doesn't show what we have written into waiting for one that does.
func (c *controller[T, R]) awaitWrite(o controllers.Observation, writePending bool) controllers.Observation {
	reason := condition.ReasonUpdating
	switch {
	case o.Remote.Exists && len(o.Diff) == 0, !writePending:
		return o
	case !o.Remote.Exists:
		reason = condition.ReasonCreating
	}
	return controllers.Observation{Services: o.Services, Remote: pending(reason), WaitFor: pending(reason).Message}
}

// writePending reports whether what was read may be older than our latest write.
func (c *controller[T, R]) writePending(obj T) bool {
	if item, listed := c.item(obj); listed && c.scope.Reads.ListWritePending(item.List, item.Key) {
		return true
	}
	for i, end := range c.holders(obj) {
		read := i < len(c.scope.Services) && c.scope.Services[i] != nil
		if read && c.scope.Reads.WritePending(end.Project, end.Service, c.own(obj)) {
			return true
		}
	}
	return false
}

// pending is the state of what Aiven has accepted and doesn't show yet.
func pending(reason string) status.Remote {
	return status.Remote{Exists: true, Reason: reason, Message: "Waiting for Aiven to show what was written"}
}

// RecordIntent sets what the engine stores before a write.
func (c *controller[T, R]) RecordIntent(obj T) { c.definition.Intent(obj, c.found) }

// Create implements controllers.AivenController.
func (c *controller[T, R]) Create(ctx context.Context, obj T) (controllers.Observation, error) {
	made, err := c.definition.Create(ctx, c.scope, obj)
	return c.written(ctx, obj, made, condition.ReasonCreating, err)
}

// Update implements controllers.AivenController.
func (c *controller[T, R]) Update(ctx context.Context, obj T, seen controllers.Observation) (controllers.Observation, error) {
	if c.definition.Update == nil {
		return seen, nil
	}
	diff := seen.Diff
	if len(seen.WriteOnly) > 0 {
		diff = nil // the whole spec: Aiven may have another value of what it never returns
	}
	changed, err := c.update(ctx, obj, seen.Held.Diff, diff)
	if fault.Unchanged(err) {
		err = nil // Aiven has what the spec asks for
	}
	return c.written(ctx, obj, changed, condition.ReasonUpdating, err)
}

// written goes on after a change, with what Aiven's answer held, or else with what it shows now. What it doesn't show at
// once, or can't be read, is pending: the change itself has succeeded, and the next reconcile observes again.
func (c *controller[T, R]) written(ctx context.Context, obj T, answer *R, reason string, err error) (controllers.Observation, error) {
	if fault.NotSent(err) {
		return controllers.Observation{}, err // what was observed still holds for the next attempt
	}
	if err != nil {
		c.recordWrite(obj, aiven.WriteResult{MayHaveApplied: aiven.MayHaveApplied(err)})
		return controllers.Observation{}, err
	}
	if answer != nil {
		if o, complete := c.answered(ctx, obj, answer, reason); complete {
			return o, nil
		}
	}
	c.recordWrite(obj, aiven.WriteResult{MayHaveApplied: true})
	before := c.observation()
	if usable, err := c.readServices(ctx, obj); err == nil && usable {
		if o, err := c.find(ctx, obj); err == nil && o.Remote.Exists && len(o.Diff) == 0 {
			return o, nil
		}
	}
	before.Remote = pending(reason)
	return before, nil
}

// answered is what the answer to a write shows. It is false if that has to be read. An answer with credentials that Aiven
// returns once is used even if a difference is left: they would be lost.
func (c *controller[T, R]) answered(ctx context.Context, obj T, answer *R, reason string) (controllers.Observation, bool) {
	o, err := c.describe(ctx, obj, answer)
	complete := c.definition.Details == nil || !o.Details.Empty()
	switch {
	case err != nil || !complete:
		return o, false
	case len(o.Diff) == 0:
		c.recordWrite(obj, aiven.WriteResult{MayHaveApplied: true, Entry: answer})
		return o, true
	case c.definition.Reset != nil:
		c.recordWrite(obj, aiven.WriteResult{MayHaveApplied: true})
		o.Remote = pending(reason)
		return o, true
	default:
		return o, false
	}
}

// recordWrite puts into the cache of each service what was written, or only that something was, if Aiven's answer doesn't
// hold it.
func (c *controller[T, R]) recordWrite(obj T, result aiven.WriteResult) {
	switch item, listed := c.item(obj); {
	case listed && result.Entry != nil:
		c.env.Client.RecordListResult(item.List, item.Key, result.Entry)
	case listed:
		c.env.Client.RecordListWrite(item.List, item.Key, result.MayHaveApplied)
	}
	own := c.own(obj)
	result.Deleted = result.Deleted && own != "" // without an entry, the service itself would count as deleted
	for _, end := range c.holders(obj) {
		c.env.Client.RecordWrite(end.Project, end.Service, own, result)
	}
}
