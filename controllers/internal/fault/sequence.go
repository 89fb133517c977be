package fault

import (
	"errors"
	"fmt"
)

// Sequence makes the calls of a write that takes several, until one fails. The zero value is ready to use. What a later
// call was refused doesn't undo the earlier ones, and no class shows that, so Partial does.
type Sequence struct {
	accepted bool
	err      error
}

// Then makes the next call, unless one has failed: an update that changes nothing hasn't. doing is what the call does, for
// its error: "creating user".
func (s *Sequence) Then(doing string, call func() error) {
	if s.err != nil {
		return
	}
	err := call()
	switch {
	case err == nil:
		s.accepted = true
		return
	case Unchanged(err):
		return
	}
	s.err = fmt.Errorf("%s: %w", doing, err)
	if s.accepted {
		s.err = &partialError{err: s.err}
	}
}

// Err is the error of the call that failed, or nil.
func (s *Sequence) Err() error { return s.err }

// partialError is the error of a later call of a sequence. Its class and its text are those of the call.
type partialError struct{ err error }

func (e *partialError) Error() string { return e.err.Error() }

func (e *partialError) Unwrap() error { return e.err }

// Partial reports whether err ended a Sequence after one of its calls had been accepted.
func Partial(err error) bool {
	var partial *partialError
	return errors.As(err, &partial)
}
