package testenv

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	aivenclient "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	// consoleToken is that of the person at the console, whose calls are not the operator's.
	consoleToken = "token-of-the-console"
	// defaultProvision is long enough to be seen, and short enough to wait for.
	defaultProvision = 150 * time.Millisecond
)

// Aiven is the local Aiven of one test.
type Aiven struct {
	*localaiven.Server
	URL string
	// Console is another client at work on the same account.
	Console aivenclient.Client

	t           *testing.T
	consoleHash string

	mu   sync.Mutex
	hook func(*http.Request)
}

func newAiven(t *testing.T, o localaiven.Options) *Aiven {
	t.Helper()
	if o.ProvisionTime == 0 {
		o.ProvisionTime = defaultProvision
	}
	if len(o.Tokens) > 0 {
		o.Tokens = append(o.Tokens, consoleToken)
	}
	server, err := localaiven.New(o)
	require.NoError(t, err)
	a := &Aiven{Server: server, t: t}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.before(r)
		server.ServeHTTP(w, r)
	}))
	transport := &http.Transport{}
	cleanup(t, func() {
		server.RemoveFaults()
		transport.CloseIdleConnections()
		web.CloseClientConnections()
		web.Close()
		require.NoError(t, server.Close())
	})
	a.URL = web.URL
	a.Console, err = aivenclient.NewClient(aivenclient.HostOpt(a.URL), aivenclient.TokenOpt(consoleToken),
		aivenclient.DebugOpt(false), aivenclient.EnableSingleFlightOpt(false),
		aivenclient.DoerOpt(&http.Client{Transport: transport}))
	require.NoError(t, err)
	a.consoleHash = a.Hash(consoleToken)
	return a
}

// Hash is how the journal names a token.
func (a *Aiven) Hash(token string) string {
	a.t.Helper()
	mark := a.Mark()
	c, err := aivenclient.NewClient(aivenclient.HostOpt(a.URL), aivenclient.TokenOpt(token), aivenclient.DebugOpt(false))
	require.NoError(a.t, err)
	const unknown = "project-of-none"
	_, _ = c.ServiceGet(a.t.Context(), unknown, "nothing")
	for _, entry := range a.Journal(int64(mark)) {
		if strings.Contains(entry.Path, unknown) {
			return entry.Token
		}
	}
	require.Fail(a.t, "The call isn't in the journal")
	return ""
}

// OnWrite calls fn before each call of the operator that changes something. nil ends that.
func (a *Aiven) OnWrite(fn func(*http.Request)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hook = fn
}

func (a *Aiven) before(r *http.Request) {
	a.mu.Lock()
	hook := a.hook
	a.mu.Unlock()
	if hook == nil || r.Header.Get("Authorization") == "aivenv1 "+consoleToken {
		return
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil && localaiven.Changes(r.Method, r.URL.Path, body) {
		hook(r)
	}
}

// Mark is a place in the journal.
type Mark int64

// Mark is the end of the journal.
func (a *Aiven) Mark() Mark {
	entries := a.Journal(0)
	if len(entries) == 0 {
		return 0
	}
	return Mark(entries[len(entries)-1].Seq)
}

// Calls are the operator's since a mark, oldest first.
func (a *Aiven) Calls(since Mark) []localaiven.Entry {
	var calls []localaiven.Entry
	for _, entry := range a.Journal(int64(since)) {
		if entry.Token != a.consoleHash {
			calls = append(calls, entry)
		}
	}
	return calls
}

// Writes are the operations with which the operator has changed something since a mark, oldest first. Those that Aiven
// refused count as well.
func (a *Aiven) Writes(since Mark) []string {
	writes := []string{}
	for _, call := range a.Calls(since) {
		if IsWrite(call) {
			writes = append(writes, call.Operation)
		}
	}
	return writes
}

// IsWrite reports whether a call may have changed something.
func IsWrite(call localaiven.Entry) bool {
	return localaiven.Changes(call.Method, call.Path, call.Body)
}

// Fail lets calls of an operation fail: all if times is 0. It returns the id of the fault.
func (a *Aiven) Fail(operation string, effect localaiven.Effect, times int) string {
	return a.AddFault(localaiven.Fault{Match: localaiven.Match{Operation: operation}, Effect: effect, Times: times})
}

// FailWrites is Fail for calls that change something: an operation may read, too, as a query of ClickHouse does.
func (a *Aiven) FailWrites(operation string, effect localaiven.Effect, times int) {
	a.AddFault(localaiven.Fault{Match: localaiven.Match{Operation: operation, Changes: true}, Effect: effect, Times: times})
}

// Has reports whether a resource exists, by its type and its id: project/service, and /name for what is inside.
func (a *Aiven) Has(kind, id string) bool { return a.Count(kind, id) > 0 }

// Count is how many resources there are of a type and an id.
func (a *Aiven) Count(kind, id string) int {
	n := 0
	for _, r := range a.Resources() {
		if r.Type == kind && r.ID == id {
			n++
		}
	}
	return n
}

// Service makes a PostgreSQL service at the console and returns once it runs.
func (a *Aiven) Service(project, name string) {
	a.t.Helper()
	_, err := a.Console.ServiceCreate(a.t.Context(), project, &service.ServiceCreateIn{
		ServiceName: name, ServiceType: "pg", Plan: "startup-4",
	})
	require.NoError(a.t, err)
	require.Eventually(a.t, func() bool {
		found, err := a.Console.ServiceGet(a.t.Context(), project, name)
		return err == nil && found.State == service.ServiceStateTypeRunning
	}, waitTimeout, tick, "service %s must run", name)
}

// Post sends JSON to a path of the API, as Console does.
func (a *Aiven) Post(path, body string) {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.URL+path, strings.NewReader(body))
	require.NoError(a.t, err)
	request.Header.Set("Authorization", "aivenv1 "+consoleToken)
	request.Header.Set("Content-Type", "application/json")
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	require.NoError(a.t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(a.t, err)
	require.NoError(a.t, response.Body.Close())
	require.Less(a.t, response.StatusCode, http.StatusMultipleChoices, "%s: %s", path, answer)
}
