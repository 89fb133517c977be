package conformance_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// callTime is the deadline of a call where some are slow.
const callTime = 500 * time.Millisecond

// badAnswers are those that no caller wants: each code that Aiven or a proxy before it may give, and answers that are none.
func badAnswers() map[string]localaiven.Effect {
	answers := map[string]localaiven.Effect{
		"garbage":                  {Status: http.StatusOK, Body: json.RawMessage(`{"service": "?", "user": 7, "message": []}`)},
		"nothing":                  {Status: http.StatusOK, Body: json.RawMessage(`{}`)},
		"a list":                   {Status: http.StatusOK, Body: json.RawMessage(`[]`)},
		"text":                     {Status: http.StatusOK, Body: json.RawMessage(`"<html>"`)},
		"a closed socket":          {Drop: localaiven.BeforeApply},
		"a lost answer":            {Drop: localaiven.AfterApply},
		"an answer that is slow":   {Delay: localaiven.Duration(2 * callTime)},
		"429 without a time":       {Status: http.StatusTooManyRequests},
		"an error without a shape": {Status: http.StatusInternalServerError, Body: json.RawMessage(`[1]`)},
	}
	for _, code := range []int{400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415, 422, 423, 451, 500, 501, 502, 503, 504} {
		answers[fmt.Sprint(code)] = localaiven.Effect{Status: code}
	}
	return answers
}

// Whatever Aiven answers, and to whatever: the status stays true, which the recorder watches, nothing is lost, nothing is
// made twice, and all is well once Aiven is.
func TestE01_E09_EveryAnswerToEveryCallIsSurvived(t *testing.T) {
	user := kindNamed(t, "ServiceUser")
	options := withConfig(func(c *config.Config) { c.CallTimeout = callTime })
	for name, effect := range badAnswers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCase(t, user, options, false)
			refuse := func(method string, do func()) {
				fault := s.Aiven.AddFault(localaiven.Fault{Match: localaiven.Match{Method: method, Path: "^/v1/"}, Effect: effect, Times: 2})
				do()
				s.Until(func() bool { return hits(s.Env, fault) > 0 }, func() string { return "no " + method + " was made" })
				s.Aiven.RemoveFaults()
				if method != http.MethodDelete { // then there may be no object anymore, and no reconcile has to be requested
					s.Annotate(s.obj, requested, method)
				}
			}
			refuse(http.MethodPost, func() { s.Create(s.obj) })
			s.Wait(s.obj, testenv.Ready())
			refuse(http.MethodGet, func() { s.Annotate(s.obj, requested, "a reconcile") })
			s.Wait(s.obj, testenv.Ready())
			refuse(http.MethodPut, s.edit)
			s.Wait(s.obj, testenv.Ready())
			assert.Equal(t, 1, count(s.Env, s.kind))
			s.secretWorks()
			assert.Equal(t, declaredPassword, passwordOf(s.Env, userName))
			refuse(http.MethodDelete, func() { s.Delete(s.obj) })
			s.WaitGone(s.obj)
			if effect.Status != http.StatusNotFound && effect.Status != http.StatusOK { // after these two codes the resource counts as gone
				assert.Zero(t, count(s.Env, s.kind))
			}
		})
	}
}

func hits(e *testenv.Env, fault string) int {
	for _, state := range e.Aiven.Faults() {
		if state.ID == fault {
			return state.Hits
		}
	}
	return 0
}

func kindNamed(t *testing.T, name string) kind {
	t.Helper()
	for _, k := range allKinds {
		if k.name == name {
			return k
		}
	}
	require.Fail(t, "no kind is called "+name)
	return kind{}
}
