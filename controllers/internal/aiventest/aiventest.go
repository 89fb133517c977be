// Package aiventest is a scripted Aiven for unit tests: it answers what a test scripts, and records what
// it was asked. It knows nothing of Aiven's behavior.
package aiventest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// Project is the project of the routes that are named without one.
const Project = "demo"

const prefix = "/v1/project/" + Project + "/"

// Answer is what one call gets.
type Answer struct {
	status int
	body   any
}

// OK is a success. body is encoded as JSON; nil is an empty object, or the message that confirms a DELETE.
func OK(body any) Answer { return Answer{http.StatusOK, body} }

// Refused is an error as Aiven words it.
func Refused(status int, message string) Answer {
	return Answer{status, map[string]any{
		"message": message, "errors": []any{map[string]any{"message": message, "status": status}},
	}}
}

// Aiven answers by script. A route without an answer fails the test.
type Aiven struct {
	t testing.TB

	mu      sync.Mutex
	script  map[string][]Answer
	journal []string
}

// lag is how long after a write the client distrusts what it reads: for longer than a test takes.
const lag = time.Minute

// New has no answers yet, except that the project has a CA and no services.
func New(t testing.TB) *Aiven {
	a := &Aiven{t: t, script: map[string][]Answer{}}
	a.On("GET kms/ca", OK(map[string]any{"certificate": "the CA"}))
	a.On("GET service", OK(map[string]any{"services": []any{}}))
	return a
}

// On scripts a route such as "GET service/my-pg", below the project, or "GET /v1/organization/o/projects": one answer
// for each call, the last of them for all calls after it. A route with a body behind it, as Calls returns it, is for that body.
func (a *Aiven) On(route string, answers ...Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.script[route] = answers
}

// Client is a fresh client of Aiven: it has cached nothing.
func (a *Aiven) Client() *aiven.Client {
	clients := aiven.New(aiven.Options{BaseURL: "http://aiven.test", Transport: a, ReadLag: lag})
	client, err := clients.ForToken("a-token")
	require.NoError(a.t, err)
	return client
}

// Calls are the routes that were asked for since the last time, each with the body of its request.
func (a *Aiven) Calls() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	calls := a.journal
	a.journal = nil
	return calls
}

// RoundTrip implements http.RoundTripper.
func (a *Aiven) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	answer := a.next(req.Method+" "+strings.TrimPrefix(req.URL.Path, prefix), compact(body))
	raw, err := json.Marshal(answer.body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: answer.status, Header: http.Header{}, Request: req, Body: io.NopCloser(bytes.NewReader(raw)),
	}, nil
}

func (a *Aiven) next(route, body string) Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	call := strings.TrimSpace(route + " " + body)
	a.journal = append(a.journal, call)
	if _, scripted := a.script[call]; scripted {
		route = call
	}
	answers := a.script[route]
	if len(answers) == 0 {
		a.t.Errorf("the script has no answer to %s", route)
		return Refused(http.StatusNotImplemented, "not scripted")
	}
	if len(answers) > 1 {
		a.script[route] = answers[1:]
	}
	answer := answers[0]
	switch {
	case answer.body != nil:
	case strings.HasPrefix(route, http.MethodDelete):
		answer.body = map[string]any{"message": "deleted"}
	default:
		answer.body = map[string]any{}
	}
	return answer
}

// compact writes JSON in one line, with sorted keys.
func compact(body []byte) string {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return string(body)
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return string(body)
	}
	return string(raw)
}
