package resource

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Delete implements controllers.AivenController.
func (c *controller[T, R]) Delete(ctx context.Context, obj T) error {
	found := c.findForDeletion(ctx, obj)
	err := c.definition.Delete(ctx, c.scope, obj, found)
	if fault.Is(err, fault.NotFound) {
		err = nil
		if c.scope.ServiceName != "" {
			err = deletion.CheckAbsence(ctx, c.env.Client, c.scope.Project, c.scope.ServiceName)
		}
	}
	c.recordWrite(obj, aiven.WriteResult{Deleted: err == nil, MayHaveApplied: aiven.MayHaveApplied(err)})
	return err
}

// findForDeletion returns nil where nothing is found or can be read: a deletion doesn't depend on it unless Delete returns
// the reason, Scope.LookupErr.
func (c *controller[T, R]) findForDeletion(ctx context.Context, obj T) *R {
	if !c.definition.LookupOnDelete {
		c.locate(obj)
		return nil
	}
	usable, err := c.readServices(ctx, obj)
	if err != nil || !usable {
		c.scope.LookupErr = cmp.Or(err, c.unusable())
		return nil
	}
	found, err := c.definition.Find(ctx, c.scope, obj)
	if err != nil {
		c.scope.LookupErr = err
		return nil
	}
	return found
}

// unusable is what a deletion waits for that can't do without a lookup; nil if a service is gone, and the resource with it.
func (c *controller[T, R]) unusable() error {
	var waits error
	for _, service := range c.services {
		if !service.Exists {
			return nil
		}
		if !service.Usable {
			waits = cmp.Or[error](waits, &deletion.BlockedError{Reason: fmt.Sprintf("Service %s is %s", service.Name, service.State)})
		}
	}
	return waits
}
