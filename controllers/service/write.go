package service

import (
	"context"
	"fmt"
	"slices"

	avnservice "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// Create implements controllers.AivenController.
func (c *controller[T]) Create(ctx context.Context, obj T) (controllers.Observation, error) {
	w, err := c.desired(obj)
	if err != nil {
		return controllers.Observation{}, err
	}
	out, err := c.env.Client.API().ServiceCreate(ctx, w.project, w.createRequest(c.Type))
	if fault.NotSent(err) {
		return controllers.Observation{}, c.notSent(w, err)
	}
	c.recordCreate(w, out, err)
	if err != nil {
		err = w.surroundings(obj).Missing(c.fields(obj).Of(err))
		return controllers.Observation{}, fmt.Errorf("creating service %s in project %s: %w", w.name, w.project, err)
	}
	obj.GetServiceStatus().State = aiven.StateRebuilding
	return controllers.Observation{Remote: status.Remote{
		Exists: true, State: aiven.StateRebuilding, Reason: condition.ReasonCreating, Message: messageBuilding,
	}}, nil
}

// recordCreate puts the new service into the snapshot, so that objects that wait for it are reconciled.
func (c *controller[T]) recordCreate(w desired, out *avnservice.ServiceCreateOut, err error) {
	result := aiven.WriteResult{MayHaveApplied: aiven.MayHaveApplied(err)}
	if out != nil {
		// An answer that can't be converted, or is about another service, is replaced by the next read.
		if made, err := aiven.From(w.project, out); err == nil && made.Name == w.name {
			result.Service = made
		}
	}
	c.env.Client.RecordWrite(w.project, w.name, "", result)
}

// Update implements controllers.AivenController.
func (c *controller[T]) Update(ctx context.Context, obj T, seen controllers.Observation) (controllers.Observation, error) {
	w, err := c.desired(obj)
	if err != nil {
		return controllers.Observation{}, err
	}
	w.powered = w.powered || !seen.Diff.Has(pathPowered) && c.last.State != aiven.StatePoweroff // it isn't its turn yet
	if !w.keep(seen.Held.Diff.Paths(), c.last) {
		return controllers.Observation{}, plan.ErrInseparable
	}
	check := c.checker()
	if check != nil {
		if err := check.Check(ctx, c.env, obj, c.last, seen.Diff); err != nil {
			return controllers.Observation{}, c.notSent(w, err)
		}
	}
	err = c.send(ctx, w, seen)
	if fault.NotSent(err) {
		return controllers.Observation{}, c.notSent(w, err)
	}
	if check != nil {
		check.Forget(obj.GetUID())
	}
	c.env.Client.RecordWrite(w.project, w.name, "", aiven.WriteResult{MayHaveApplied: aiven.MayHaveApplied(err)})
	if err != nil {
		return controllers.Observation{}, c.fields(obj).Of(err)
	}
	if !slices.ContainsFunc(seen.Diff.Paths(), appliedAsync) {
		if o, err := c.Observe(ctx, obj); err == nil && o.Remote.Exists && len(o.Diff) == 0 {
			return o, nil
		}
	}
	seen.Diff, seen.WriteOnly = nil, nil
	seen.Remote = updating(seen.Remote)
	return seen, nil
}

// notSent keeps what was read for the next attempt, if this one waits for its turn.
func (c *controller[T]) notSent(w desired, err error) error {
	if fault.NotSent(err) {
		c.env.Client.CallNotSent(w.project, w.name)
	}
	return err
}

// updating is the state of a service whose reads don't show yet what was written.
func updating(seen status.Remote) status.Remote {
	if !seen.Active {
		return seen
	}
	return status.Remote{
		Exists: true, State: seen.State, Reason: condition.ReasonUpdating, Message: messageUnconfirmed,
	}
}

// send makes the calls that the differences and the options need that Aiven doesn't report. Without any, it sends all options. A service is
// powered off by the last one.
func (c *controller[T]) send(ctx context.Context, w desired, seen controllers.Observation) error {
	client := c.env.Client.API()
	var calls fault.Sequence
	replaceTags := func() {
		calls.Then("replacing tags", func() error {
			err := client.ProjectServiceTagsReplace(ctx, w.project, w.name, &avnservice.ProjectServiceTagsReplaceIn{Tags: w.tags})
			if fault.Is(err, fault.Rejected) {
				return fault.AtField(fault.Field{Path: pathTags, Value: tagText(w.tags)}, err)
			}
			return err
		})
	}
	tags, off := seen.Diff.Has(pathTags), seen.Diff.Has(pathPowered) && !w.powered
	if tags && off { // consent to a loss of data is used up once all of its generation is accepted: nothing may be refused after it
		replaceTags()
	}
	if onlyTags := len(seen.Diff) == 1 && tags && len(seen.WriteOnly) == 0; !onlyTags {
		calls.Then("updating service", func() error {
			_, err := client.ServiceUpdate(ctx, w.project, w.name, w.updateRequest(c.last))
			return err
		})
	}
	if tags && !off {
		replaceTags()
	}
	return calls.Err()
}

// Delete implements controllers.AivenController. It is done when Aiven no longer has the service.
func (c *controller[T]) Delete(ctx context.Context, obj T) error {
	project, name := obj.GetBaseServiceFields().Project, obj.GetName()
	if check := c.checker(); check != nil {
		check.Forget(obj.GetUID())
	}
	if !namePattern.MatchString(name) {
		return nil // there can be no such service
	}
	c.reads = c.env.Client.BeginReads()
	found, err := c.env.Client.GetLive(ctx, project, name)
	if fault.Is(err, fault.NotFound) {
		return c.confirmAbsence(ctx, obj)
	}
	if err != nil {
		return err
	}
	if found.Type != c.Type {
		return nil // another service of the same name, which this object never managed
	}
	if found.TerminationProtection && obj.GetBaseServiceFields().TerminationProtection == nil {
		return fault.TerminationProtected("Termination protection is on at Aiven, and the spec doesn't turn it off")
	}
	err = c.terminate(ctx, found)
	if fault.NotSent(err) {
		c.env.Client.CallNotSent(project, name)
		return err
	}
	c.env.Client.RecordWrite(project, name, "", aiven.WriteResult{Deleted: err == nil, MayHaveApplied: aiven.MayHaveApplied(err)})
	if err != nil {
		return err
	}
	if _, err := c.env.Client.GetLive(ctx, project, name); !fault.Is(err, fault.NotFound) {
		return deletion.ErrPending
	}
	return nil
}

// confirmAbsence returns nil if a service that Aiven answers 404 for is gone for sure. A create of it, perhaps by an earlier
// process, may still apply.
func (c *controller[T]) confirmAbsence(ctx context.Context, obj T) error {
	project, name := obj.GetBaseServiceFields().Project, obj.GetName()
	earlier := ownership.Attempted(obj) && c.reads.EarlierWritesPending()
	if earlier || c.reads.WritePending(project, name, "") {
		return deletion.WritePending()
	}
	gone, err := deletion.ServiceGone(ctx, c.env.Client, project, name)
	if err == nil && !gone {
		return deletion.ErrPending
	}
	return err
}

// terminate asks Aiven to delete a service, whose protection the spec turns off.
func (c *controller[T]) terminate(ctx context.Context, s *aiven.Service) error {
	client := c.env.Client.API()
	var calls fault.Sequence
	if s.TerminationProtection {
		calls.Then("turning off termination protection", func() error {
			off := false
			in := &avnservice.ServiceUpdateIn{TerminationProtection: &off, ProjectVpcId: aiven.Optional(s.ProjectVPCID)}
			_, err := client.ServiceUpdate(ctx, s.Project, s.Name, in)
			return ignoreNotFound(err)
		})
	}
	calls.Then("deleting service", func() error { return ignoreNotFound(client.ServiceDelete(ctx, s.Project, s.Name)) })
	return calls.Err()
}

// ignoreNotFound is for what may be gone by now.
func ignoreNotFound(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
