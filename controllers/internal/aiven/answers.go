package aiven

import "fmt"

// unclearError is an answer from which nothing is concluded. It is of no class that says what exists.
type unclearError struct{ operation, problem string }

func unclear(operation, problem string) error { return &unclearError{operation, problem} }

func (e *unclearError) Error() string {
	return fmt.Sprintf("unclear answer to %s: %s", e.operation, e.problem)
}
