// Package localaiven is an Aiven on one machine: an HTTP server with the paths, the shapes, the error bodies and
// the state machines of the Aiven API, as far as clients use them. State lives in memory.
// Where an engine is given (see package engine), a service is a real database, a service user a real role; without one
// the API works all the same, and its endpoints are ports without a listener.
//
// One request passes, in this order: [Server.ServeHTTP], the route table (routes.go), the stations of a call (call.go:
// fault, token, handler, fault, answer, journal), and a handler in the file of its API tag (service.go, user.go, ...).
// A handler reads the request, changes the state and returns a value or a *apiError; it never writes to the connection.
// Below /_local/ is the administration API (admin.go): counts, journal, faults, changes "at the console", the list of resources.
package localaiven
