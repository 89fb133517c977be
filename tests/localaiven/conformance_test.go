package localaiven_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aero-operator/aero/tests/localaiven"
)

// answered are the operations that the public client had good answers to, in all tests together.
var answered sync.Map

// recorder is a transport that notes what was answered.
type recorder struct {
	server    *localaiven.Server
	transport http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.transport.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusOK {
		answered.Store(r.server.Operation(request), true)
	}
	return response, err
}

// TestMain fails a run of all tests if the public client never had a good answer to something that is served: it would not be
// known whether the two understand each other.
func TestMain(m *testing.M) {
	code := m.Run()
	if missing := unanswered(); code == 0 && everything() && len(missing) > 0 {
		fmt.Fprintf(os.Stderr, "FAIL: no test has a good answer to the public client's %s\n", strings.Join(missing, ", "))
		code = 1
	}
	os.Exit(code)
}

// everything reports whether all tests were run.
func everything() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}

// unanswered lists what is served and was never answered well.
func unanswered() []string {
	server, err := localaiven.New(localaiven.Options{})
	if err != nil {
		return []string{err.Error()}
	}
	served := map[string]bool{}
	for _, operation := range server.Operations() {
		if _, ok := answered.Load(operation); !ok {
			served[operation] = true
		}
	}
	return slices.Sorted(maps.Keys(served))
}
