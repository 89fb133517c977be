package serviceintegration

import (
	"fmt"
	"net/http"
)

// Error is what Aiven refuses a request with.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Status, e.Message) }

func badRequest(format string, args ...any) *Error {
	return &Error{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) *Error {
	return &Error{http.StatusConflict, fmt.Sprintf(format, args...)}
}

func notFound(what string) *Error { return &Error{http.StatusNotFound, what + " does not exist"} }
