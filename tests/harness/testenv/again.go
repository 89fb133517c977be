package testenv

import (
	"errors"
	"net/http"

	"golang.org/x/net/http2"
)

// again repeats a read whose stream was reset: all tests of a package share one connection to the API server, and of the hundreds of
// thousands of streams on it, one now and then ends so on a busy machine. What the operator reads, it reads again by itself.
type again struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a again) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if reset := (http2.StreamError{}); request.Method == http.MethodGet && errors.As(err, &reset) {
		return a.next.RoundTrip(request)
	}
	return response, err
}
