package testenv

import (
	"errors"
	"net/http"
	"slices"

	"golang.org/x/net/http2"
)

// again repeats a read, a patch or a deletion whose stream was reset: all tests of a package share one connection to the API server, and of
// the hundreds of thousands of streams on it, one now and then ends so on a busy machine. The patches of tests have no precondition, so the
// second one changes nothing if the first one was applied, and what is deleted twice has a finalizer. What the operator reads and writes, it
// repeats by itself.
type again struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a again) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	repeatable := []string{http.MethodGet, http.MethodPatch, http.MethodDelete}
	if reset := (http2.StreamError{}); !slices.Contains(repeatable, request.Method) || !errors.As(err, &reset) {
		return response, err
	}
	second := request.Clone(request.Context())
	if request.GetBody != nil {
		if second.Body, err = request.GetBody(); err != nil {
			return nil, err
		}
	}
	return a.next.RoundTrip(second)
}
