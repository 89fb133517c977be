package fault

import (
	"time"

	avngen "github.com/aiven/go-client-codegen"
)

// RateLimitError asks to come back later. Its text holds no time, so that the same refusal has the same text.
type RateLimitError struct {
	// Answer is what the API said. Its status is 0 if the call was never made, because it wasn't its turn.
	Answer avngen.Error
	// RetryAfter is 0 if the answer names no time.
	RetryAfter time.Duration
}

// NoTurn returns the *RateLimitError of a call that wasn't made, because our own rate limiter has no turn for it before the
// wait is over.
func NoTurn(operation string, wait time.Duration) error {
	return &RateLimitError{
		Answer:     avngen.Error{OperationID: operation, Message: "waiting for a turn: the rate of calls to Aiven is limited"},
		RetryAfter: wait,
	}
}

func (e *RateLimitError) Error() string {
	if e.Answer.Status == 0 {
		return e.Answer.OperationID + ": " + e.Answer.Message
	}
	return e.Answer.Error()
}

// Unwrap returns the answer as the client would have returned it.
func (e *RateLimitError) Unwrap() error { return e.Answer }

type specError struct{ field, problem string }

// InvalidSpec returns an error of class Invalid. field is a path as users write it ("spec.maintenanceWindowTime"), or
// empty if no single field is to blame; problem says what is wrong with it.
func InvalidSpec(field, problem string) error { return &specError{field: field, problem: problem} }

func (e *specError) Error() string {
	if e.field == "" {
		return e.problem
	}
	return e.field + ": " + e.problem
}

type tokenError struct{ problem string }

// UnusableToken returns an error of class Unauthorized for a token that no call needs to be tried with. problem must not
// quote the token.
func UnusableToken(problem string) error { return &tokenError{problem: problem} }

func (e *tokenError) Error() string { return "token is unusable: " + e.problem }

type notYetError struct{ reason string }

// NotYet returns an error of class Conflict for a change that has to wait for something, found before any call.
func NotYet(reason string) error { return &notYetError{reason: reason} }

func (e *notYetError) Error() string { return e.reason }
