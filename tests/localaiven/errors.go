package localaiven

import (
	"fmt"
	"net/http"
)

// apiError is an answer other than 2xx, in the shape of Aiven's.
type apiError struct {
	status  int
	message string
}

func (e *apiError) Error() string { return fmt.Sprintf("%d: %s", e.status, e.message) }

// errorBody is what a client reads. Message repeats the first of Errors, as Aiven does.
type errorBody struct {
	Errors  []errorItem `json:"errors"`
	Message string      `json:"message"`
}

type errorItem struct {
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (e *apiError) body() errorBody {
	return errorBody{Message: e.message, Errors: []errorItem{{Message: e.message, Status: e.status}}}
}

func badRequest(format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func forbidden(message string) *apiError { return &apiError{http.StatusForbidden, message} }

func notFound(what string) *apiError {
	return &apiError{http.StatusNotFound, what + " does not exist"}
}

func alreadyExists(what, name string) *apiError {
	return &apiError{http.StatusConflict, fmt.Sprintf("%s '%s' already exists", what, name)}
}
