package fault

import (
	"errors"
	"strings"
	"time"

	avngen "github.com/aiven/go-client-codegen"
)

// RateLimitError asks to come back later. Its text holds no time, so that the same cause has the same text.
type RateLimitError struct {
	// Answer is the response. Its status is 0 if the call was never made, because the rate limiter had no turn for it.
	Answer avngen.Error
	// RetryAfter is 0 if the response names no time.
	RetryAfter time.Duration
}

// NoTurn returns the *RateLimitError of a call that wasn't made, because our own rate limiter has no turn for it before the
// wait is over.
func NoTurn(operation string, wait time.Duration) error {
	return &RateLimitError{
		Answer:     avngen.Error{OperationID: operation, Message: "Waiting for a turn within Aiven's rate limit"},
		RetryAfter: wait,
	}
}

// NotSent reports whether err ended a write before any call was made: it waits for its turn, and no earlier call of its
// Sequence was accepted.
func NotSent(err error) bool {
	var limited *RateLimitError
	return errors.As(err, &limited) && limited.Answer.Status == 0 && !Partial(err)
}

func (e *RateLimitError) Error() string {
	if e.Answer.Status == 0 {
		return e.Answer.OperationID + ": " + e.Answer.Message
	}
	return e.Answer.Error()
}

// Unwrap returns the response as the client would have returned it.
func (e *RateLimitError) Unwrap() error { return e.Answer }

type specError struct{ field, problem string }

// InvalidSpec returns an error of class Invalid. field is a path as users write it ("spec.maintenanceWindowTime"), or
// empty if no single field is the cause; problem is what is wrong with it.
func InvalidSpec(field, problem string) error { return &specError{field: field, problem: problem} }

func (e *specError) Error() string {
	if e.field == "" {
		return e.problem
	}
	return e.field + ": " + e.problem
}

// fieldError is an error of Aiven about the value of a field.
type fieldError struct {
	field  string // with its value, where Aiven's text doesn't have it
	remedy string
	err    error
}

// AtField names the field of the spec that an answer of Aiven is about, and what to do. The class stays that of the answer.
func AtField(field Field, err error) error {
	return &fieldError{field: strings.TrimSpace(field.Path + " " + field.Value), remedy: field.Remedy, err: err}
}

func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

type protectedError struct{ problem string }

// TerminationProtected returns an error of class Protected for a deletion that isn't tried. problem is a sentence with its remedy.
func TerminationProtected(problem string) error { return &protectedError{problem: problem} }

func (e *protectedError) Error() string { return e.problem }

type tokenError struct{ problem string }

// UnusableToken returns an error of class Unauthorized for a token that no call needs to be tried with. problem must not
// quote the token.
func UnusableToken(problem string) error { return &tokenError{problem: problem} }

func (e *tokenError) Error() string { return "token is unusable: " + e.problem }

type notYetError struct{ reason string }

// NotYet returns an error of class Conflict for a change that has to wait for something, found before any call.
func NotYet(reason string) error { return &notYetError{reason: reason} }

func (e *notYetError) Error() string { return e.reason }
