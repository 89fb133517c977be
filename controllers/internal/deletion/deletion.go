// Package deletion has the errors with which a kind answers a deletion, what they mean for the object, and what proves that
// a resource is gone.
//
//	deletion.go  errors and their outcomes
//	absence.go   what a 404 proves
package deletion

import (
	"errors"

	"github.com/aero-operator/aero/controllers/internal/fault"
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

// Of evaluates what the deletion by a kind returned.
func Of(err error) Outcome {
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
	default:
		return Outcome{Err: err}
	}
}
