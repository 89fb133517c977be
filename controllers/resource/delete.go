package resource

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// lookupError is Scope.LookupErr. A 404 in it is no answer to the deletion.
type lookupError struct{ error }

func (e *lookupError) Unwrap() error { return e.error }

// Delete implements controllers.AivenController. It returns nil only if the resource is gone for sure.
func (c *controller[T, R]) Delete(ctx context.Context, obj T) error {
	found := c.findForDeletion(ctx, obj)
	err := c.definition.Delete(ctx, c.scope, obj, found)
	var lookup *lookupError
	switch {
	case errors.As(err, &lookup), fault.NotSent(err):
		return err // nothing was written: what was found still holds
	case fault.Is(err, fault.NotFound):
		if err = c.confirmAbsence(ctx, obj); err != nil {
			return err // nothing was written, and nothing is proven
		}
	case fault.Is(err, fault.Rejected) && c.replaced(ctx, obj):
		return nil
	case aiven.IsUnconfirmed(err) && c.isGone(ctx, obj):
		err = nil
	}
	c.recordWrite(obj, aiven.WriteResult{Deleted: err == nil && !c.scope.Shared, MayHaveApplied: aiven.MayHaveApplied(err)})
	return err
}

// confirmAbsence returns nil if the 404 that a deletion ended in means what it says: by the project's list of services,
// or outside of services by the list that the resource is in.
func (c *controller[T, R]) confirmAbsence(ctx context.Context, obj T) error {
	if err := c.checkWrites(obj); err != nil {
		return err
	}
	if ends := c.definition.Place.endsOf(obj); len(ends) > 0 {
		service := ""
		if at := slices.IndexFunc(ends, func(end End) bool { return end.Project == c.scope.Project }); at >= 0 {
			service = ends[at].Service
		}
		return deletion.CheckAbsence(ctx, c.env.Client, c.scope.Project, service)
	}
	c.invalidate(obj)
	found, err := c.findShown(ctx, obj)
	if err == nil && found != nil {
		return deletion.ErrPending
	}
	return err
}

// isGone reports whether a read that begins now shows that there is no resource, and nothing that was written before may be on its way.
func (c *controller[T, R]) isGone(ctx context.Context, obj T) bool {
	c.invalidate(obj)
	found, _, err := c.lookupOnce(ctx, obj)
	return found == nil && err == nil
}

// replaced reports whether a service of a type that can't have the resource has the name of the one that had it: the resource
// is gone with that service.
func (c *controller[T, R]) replaced(ctx context.Context, obj T) bool {
	if len(c.definition.Place.types) == 0 {
		return false
	}
	c.invalidate(obj)
	_, err := c.readServices(ctx, obj)
	return err == nil && c.mistyped()
}

// invalidate makes the next reads live.
func (c *controller[T, R]) invalidate(obj T) {
	if item, listed := c.item(obj); listed {
		c.env.Client.InvalidateList(item.List)
	}
	for _, end := range c.definition.Place.endsOf(obj) {
		c.env.Client.Invalidate(end.Project, end.Service)
	}
}

// findForDeletion returns nil where nothing is found or can be read: a deletion doesn't depend on it unless Delete returns
// the reason, Scope.LookupErr.
func (c *controller[T, R]) findForDeletion(ctx context.Context, obj T) *R {
	if !c.definition.LookupOnDelete {
		c.locate(obj)
		return nil
	}
	found, err := c.lookup(ctx, obj)
	if err != nil {
		c.scope.LookupErr = &lookupError{err}
		return nil
	}
	return found
}

// lookup returns nil without an error only for a resource that is gone for sure: what isn't found in the caches is looked up
// by reads that begin now.
func (c *controller[T, R]) lookup(ctx context.Context, obj T) (*R, error) {
	found, gone, err := c.lookupOnce(ctx, obj)
	if found == nil && !gone && err == nil {
		c.invalidate(obj)
		found, _, err = c.lookupOnce(ctx, obj)
	}
	return found, err
}

// lookupOnce reports gone for a resource whose service is gone for sure.
func (c *controller[T, R]) lookupOnce(ctx context.Context, obj T) (found *R, gone bool, err error) {
	usable, err := c.readServices(ctx, obj)
	if err == nil && c.mistyped() {
		return nil, false, nil // if a read that begins now agrees, the former service is gone, and the resource with it
	}
	if err == nil && !usable {
		gone, err = c.wentWithService(ctx, obj)
	}
	if err == nil && !gone {
		err = c.checkReadable(obj)
	}
	if err != nil || gone {
		return nil, gone, err
	}
	found, err = c.findShown(ctx, obj)
	return found, false, err
}

// partial is an R that consists of several things at Aiven.
type partial interface {
	// Partial reports whether something is missing that may have been written.
	Partial() bool
}

// findShown is Find for a deletion: what was written, and may not be shown yet, isn't absent.
func (c *controller[T, R]) findShown(ctx context.Context, obj T) (*R, error) {
	found, err := c.definition.Find(ctx, c.scope, obj)
	several, _ := any(found).(partial)
	if err == nil && (found == nil || several != nil && several.Partial()) {
		err = c.checkWrites(obj)
	}
	return found, deletion.InProject(c.scope.Project, err)
}

// checkWrites returns a *deletion.BlockedError within the lag after a write of ours: Aiven may not know yet what it has
// accepted. An earlier process may have tried a create until now.
func (c *controller[T, R]) checkWrites(obj T) error {
	item, listed := c.item(obj)
	waits := ownership.Attempted(obj) && c.scope.Reads.EarlierWritesPending()
	waits = waits || listed && c.scope.Reads.ListWritePending(item.List, item.Key)
	for _, end := range c.holders(obj) {
		waits = waits || c.scope.Reads.WritePending(end.Project, end.Service, c.own(obj))
	}
	if waits {
		return deletion.WritePending()
	}
	return nil
}

// wentWithService reports whether one of the services is gone, and the resource with it. The error is what a deletion
// that can't do without a lookup waits for.
func (c *controller[T, R]) wentWithService(ctx context.Context, obj T) (bool, error) {
	var waits error
	for _, end := range c.definition.Place.endsOf(obj) {
		at := slices.IndexFunc(c.services, func(s status.Service) bool { return s.Name == end.String() })
		switch {
		case at < 0 || c.services[at].Usable: // hidden, or usable
		case c.services[at].Exists:
			waits = cmp.Or[error](waits, deletion.NotUsable(end.String(), c.services[at].State))
		default:
			gone, err := c.checkGone(ctx, end)
			if gone {
				return true, nil
			}
			waits = cmp.Or(waits, err)
		}
	}
	return false, waits
}

// checkGone reports whether a service that Aiven answers 404 for is gone. Without a proof, one that may be hidden counts as
// hidden, and isn't waited for.
func (c *controller[T, R]) checkGone(ctx context.Context, end End) (bool, error) {
	gone, err := deletion.ServiceGone(ctx, c.env.Client, end.Project, end.Service)
	var blocked *deletion.BlockedError
	switch {
	case end.MayBeHidden && errors.As(err, &blocked):
		return false, nil
	case err == nil && !gone:
		err = deletion.NotShown(end.String())
	}
	return gone, err
}

// checkReadable refuses to conclude anything where none of the services could be read.
func (c *controller[T, R]) checkReadable(obj T) error {
	ends := c.definition.Place.endsOf(obj)
	if len(ends) == 0 || slices.ContainsFunc(c.scope.Services, func(s *aiven.Service) bool { return s != nil }) {
		return nil
	}
	names := make([]string, 0, len(ends))
	for _, end := range ends {
		names = append(names, end.String())
	}
	return deletion.NotPermitted("read service " + strings.Join(names, " or "))
}
