// Package deletion has the errors with which a kind answers a deletion, and what they mean for the object.
package deletion

import (
	"context"
	"errors"
	"fmt"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// pendingError is the type of ErrPending.
type pendingError string

func (e pendingError) Error() string { return string(e) }

// ErrPending means that Aiven has accepted a deletion and isn't done with it.
const ErrPending = pendingError("the deletion is in progress at Aiven")

// BlockedError names what has to be deleted before a resource can be.
type BlockedError struct{ Reason string }

func (e *BlockedError) Error() string { return e.Reason }

// Outcome is what became of a deletion at Aiven. At most one field is set.
type Outcome struct {
	Done    bool   // nothing is left at Aiven
	Pending bool   // Aiven has accepted the deletion and works on it
	Blocked string // what has to be deleted first
	Err     error  // the deletion failed
}

// Of evaluates what the deletion by a kind returned. attempted reports whether the resource may ever have been created:
// if not, a token that Aiven rejects leaves nothing behind.
func Of(err error, attempted bool) Outcome {
	var blocked *BlockedError
	switch {
	case err == nil:
		return Outcome{Done: true}
	case errors.Is(err, ErrPending):
		return Outcome{Pending: true}
	case errors.As(err, &blocked):
		return Outcome{Blocked: blocked.Reason}
	case fault.Of(err).Class == fault.Conflict:
		return Outcome{Blocked: fault.Of(err).Message}
	case fault.Is(err, fault.Unauthorized) && !attempted:
		return Outcome{Done: true}
	default:
		return Outcome{Err: err}
	}
}

// CheckAbsence makes sure that a 404 in a project means what it says: Aiven answers the same for everything in a project
// that it doesn't know, or that the token may not see. It returns a *BlockedError then.
func CheckAbsence(ctx context.Context, c *aiven.Client, project, service string) error {
	_, err := c.ServiceAbsent(ctx, project, service)
	if errors.Is(err, aiven.ErrUnknownProject) {
		return UnknownProject(project)
	}
	return err
}

// UnknownProject is the *BlockedError of a deletion in a project that Aiven doesn't know.
func UnknownProject(project string) error {
	return &BlockedError{Reason: fmt.Sprintf("Aiven doesn't know project %s, so nothing can be deleted in it. Check the project "+
		"and the token, or set the annotation %s=%s", project, annotation.Deletion, policy.Orphan)}
}
