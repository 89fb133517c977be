package deletion

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// CheckAbsence returns nil if a 404 for something in a project means what it says. Aiven answers the same for everything in
// a project that it doesn't know, or that the token may not see. Either of two reads that begin now is the proof: the list
// of the project's services, or, for a token that may not list them, the service. Without a proof the error is a
// *BlockedError, or why the list can't be read. service may be empty.
func CheckAbsence(ctx context.Context, c *aiven.Client, project, service string) error {
	err := c.CheckProject(ctx, project)
	if fault.Is(err, fault.Forbidden) && service != "" && serviceExists(ctx, c, project, service) {
		return nil
	}
	return unproven(project, err)
}

// serviceExists reports whether Aiven returns a service now.
func serviceExists(ctx context.Context, c *aiven.Client, project, service string) bool {
	c.Invalidate(project, service)
	_, err := c.Service(ctx, project, service)
	return err == nil
}

// ServiceGone reports whether a service that Aiven answers 404 for is gone, together with all that was in it: its project
// lists its services, and not this one. The errors are those of CheckAbsence.
func ServiceGone(ctx context.Context, c *aiven.Client, project, service string) (bool, error) {
	gone, err := c.ServiceAbsent(ctx, project, service)
	return gone, unproven(project, err)
}

// LiveService returns a service by a read that begins now; nil if the service is gone, as ServiceGone reports it. An earlier
// 404, or one alone, proves nothing about what lives in the service.
func LiveService(ctx context.Context, c *aiven.Client, project, name string) (*aiven.Service, error) {
	c.Invalidate(project, name)
	service, err := c.Service(ctx, project, name)
	if !fault.Is(err, fault.NotFound) {
		return service, err
	}
	gone, err := ServiceGone(ctx, c, project, name)
	if err == nil && !gone {
		err = NotShown(project + "/" + name)
	}
	return nil, err
}

// NotShown is the *BlockedError of what lives in a service about which two answers of Aiven contradict each other.
func NotShown(service string) error {
	return &BlockedError{Reason: fmt.Sprintf("Aiven lists service %s, and answers 404 for it", service)}
}

// unproven is the error of a list of services that was to prove an absence.
func unproven(project string, err error) error {
	if fault.Is(err, fault.Forbidden) {
		return NotPermitted("list the services of project " + project)
	}
	return InProject(project, err)
}

// InProject makes a *BlockedError of the error of a list of a project that Aiven doesn't know, or that may be cut off: the
// deletion waits for a user. It returns any other error as it is. project is empty for what lives in none.
func InProject(project string, err error) error {
	place := ""
	if project != "" {
		place = " in project " + project
	}
	switch {
	case errors.Is(err, aiven.ErrUnknownProject):
		return &BlockedError{Reason: fmt.Sprintf("Aiven doesn't know project %s, so nothing can be deleted in it. Check the project "+
			"and the token, or set the annotation %s=%s", project, annotation.Deletion, policy.Orphan)}
	case errors.Is(err, aiven.ErrCutOff):
		return &BlockedError{Reason: fmt.Sprintf("Aiven lists as much%s as it may return at once, so it isn't known "+
			"whether the resource is gone. If it is, set the annotation %s=%s", place, annotation.Deletion, policy.Orphan)}
	default:
		return err
	}
}

// NotUsable is the *BlockedError of what lives in a service that can't be worked with now.
func NotUsable(service, state string) error {
	reason := fmt.Sprintf("Service %s is %s", service, state)
	if state == aiven.StatePoweroff {
		reason += fmt.Sprintf(". Power it on, or set the annotation %s=%s on this object", annotation.Deletion, policy.Orphan)
	}
	return &BlockedError{Reason: reason}
}

// WritePending is the *BlockedError of a deletion of what a write may still make: a 404 is no absence yet.
func WritePending() error {
	return &BlockedError{Reason: "Waiting for Aiven to show what was written"}
}

// SwitchedOff is the *BlockedError of a deletion in a part of a service that is off, and has what was in it when it is on again.
// waits is what has to be switched on: "Waiting for Kafka Connect: set ...".
func SwitchedOff(waits string) error {
	return &BlockedError{Reason: fmt.Sprintf("%s. Or set the annotation %s=%s", waits, annotation.Deletion, policy.Orphan)}
}

// Refused has the *BlockedError of a deletion that Aiven refuses for as long as a user changes nothing. The class stays that of err.
func Refused(err error) error {
	return errors.Join(&BlockedError{Reason: fmt.Sprintf("%s. Remove the cause, or set the annotation %s=%s",
		strings.TrimRight(fault.Of(err).Message, ". "), annotation.Deletion, policy.Orphan)}, err)
}

// Moved is the *BlockedError of a project that its organization doesn't have, and that exists.
func Moved(organization, project string) error {
	return &BlockedError{Reason: fmt.Sprintf("Organization %s doesn't have project %s, and Aiven still lists its services: it was moved to "+
		"another organization. Move it back, or set the annotation %s=%s to keep it", organization, project, annotation.Deletion, policy.Orphan)}
}

// NotPermitted is the *BlockedError of a deletion that needs a read which the token may not make: "read service p/s".
func NotPermitted(read string) error {
	return &BlockedError{Reason: fmt.Sprintf("The token has no permission to %s, so it isn't known whether the resource is gone. "+
		"Grant it, or set the annotation %s=%s", read, annotation.Deletion, policy.Orphan)}
}
