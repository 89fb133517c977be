package localaiven_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	testTimeout = 10 * time.Second
	often       = time.Millisecond
)

func createUser(t *testing.T, h *harness) error {
	t.Helper()
	_, err := h.client.ServiceUserCreate(t.Context(), proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
	return err
}

func userExists(t *testing.T, h *harness) bool {
	t.Helper()
	return len(h.get(t).Users) == 2
}

func TestFaults(t *testing.T) {
	userCreate := localaiven.Match{Operation: "ServiceUserCreate"}
	for name, c := range map[string]struct {
		fault   localaiven.Fault
		status  int // of the answer; 0 is a closed connection
		applied bool
	}{
		"a status answers instead of the change":    {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Status: 503}}, 503, false},
		"a fault without match hits every call":     {localaiven.Fault{Effect: localaiven.Effect{Status: 500}, Times: 1}, 500, false},
		"a path is matched as a regular expression": {localaiven.Fault{Match: localaiven.Match{Path: `/user$`}, Effect: localaiven.Effect{Status: 429}}, 429, false},
		"a method that differs doesn't match":       {localaiven.Fault{Match: localaiven.Match{Method: "PUT"}, Effect: localaiven.Effect{Status: 500}}, 200, true},
		"a path that differs doesn't match":         {localaiven.Fault{Match: localaiven.Match{Path: `/db$`}, Effect: localaiven.Effect{Status: 500}}, 200, true},
		"an operation that differs doesn't match":   {localaiven.Fault{Match: localaiven.Match{Operation: "ServiceCreate"}, Effect: localaiven.Effect{Status: 500}}, 200, true},
		"a drop before the change loses the call":   {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Drop: localaiven.BeforeApply}}, 0, false},
		"a drop after the change loses the answer":  {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Drop: localaiven.AfterApply}}, 0, true},
		"a delay alone only takes time":             {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Delay: localaiven.Duration(time.Millisecond)}}, 200, true},
		"an answer that is cut has taken effect":    {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Cut: true}}, 0, true},
		"an error that is cut has not":              {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Status: 500, Cut: true}}, 0, false},
		"a drop with a status is a drop":            {localaiven.Fault{Match: userCreate, Effect: localaiven.Effect{Status: 500, Drop: localaiven.AfterApply}}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := running(t, localaiven.Options{})
			h.AddFault(c.fault)
			err := createUser(t, h)
			var answered aiven.Error
			switch c.status {
			case 200:
				require.NoError(t, err)
			case 0:
				require.Error(t, err)
				require.False(t, errors.As(err, &answered), err)
			default:
				require.ErrorAs(t, err, &answered)
				assert.Equal(t, c.status, answered.Status)
			}
			h.RemoveFaults()
			assert.Equal(t, c.applied, userExists(t, h))
		})
	}
}

func TestFaultBodyHeaderAndTimes(t *testing.T) {
	h := running(t, localaiven.Options{})
	id := h.AddFault(localaiven.Fault{
		Match: localaiven.Match{Operation: "ServiceGet"}, Times: 2,
		Effect: localaiven.Effect{Status: 503, Header: map[string]string{"Retry-After": "7"}, Body: json.RawMessage(`{"message":"busy"}`)},
	})
	for i, want := range []int{503, 503, 200} {
		request, err := http.NewRequestWithContext(t.Context(), get, h.url+servicePath, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "aivenv1 x")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, want, response.StatusCode, "call %d", i)
		assert.Equal(t, want == 503, response.Header.Get("Retry-After") == "7")
	}
	assert.Equal(t, 2, h.Faults()[0].Hits)
	assert.Equal(t, id, h.Faults()[0].ID, "a fault that was used up stays in sight")
}

func TestTheFirstFaultWinsUntilItIsUsedUp(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.AddFault(localaiven.Fault{Effect: localaiven.Effect{Status: 500}, Times: 1})
	h.AddFault(localaiven.Fault{Effect: localaiven.Effect{Status: 502}, Times: 1})
	assert.ErrorContains(t, createUser(t, h), "[500 ")
	assert.ErrorContains(t, createUser(t, h), "[502 ")
	assert.NoError(t, createUser(t, h))
}

func TestHold(t *testing.T) {
	for name, c := range map[string]struct {
		effect          localaiven.Effect
		appliedMeantime bool
		err             string
	}{
		"before the change":                             {localaiven.Effect{Hold: localaiven.BeforeApply}, false, ""},
		"after the change":                              {localaiven.Effect{Hold: localaiven.AfterApply}, true, ""},
		"after the change, with another answer":         {localaiven.Effect{Hold: localaiven.AfterApply, Status: 500}, true, "[500 "},
		"before the change, with the connection closed": {localaiven.Effect{Hold: localaiven.BeforeApply, Drop: localaiven.AfterApply}, false, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			h := running(t, localaiven.Options{})
			id := h.AddFault(localaiven.Fault{Match: localaiven.Match{Operation: "ServiceUserCreate"}, Effect: c.effect})
			done := make(chan error, 1)
			go func() { done <- createUser(t, h) }()
			require.Eventually(t, func() bool { return h.Faults()[0].Held }, testTimeout, often)
			assert.Equal(t, c.appliedMeantime, userExists(t, h))
			assert.Empty(t, done)
			assert.Equal(t, 1, h.Release(id))
			err := <-done
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.err)
			}
			assert.True(t, userExists(t, h))
			assert.False(t, h.Faults()[0].Held)
		})
	}
}

func TestRemovingAFaultLetsItsHeldCallsGo(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.AddFault(localaiven.Fault{Match: localaiven.Match{Method: post}, Effect: localaiven.Effect{Hold: localaiven.BeforeApply}})
	done := make(chan error, 1)
	go func() { done <- createUser(t, h) }()
	require.Eventually(t, func() bool { return h.Faults()[0].HeldCalls == 1 }, testTimeout, often)
	h.RemoveFaults()
	require.NoError(t, <-done)
}

func TestAFaultThatMakesNoSensePanics(t *testing.T) {
	h := start(t, localaiven.Options{})
	assert.Panics(t, func() { h.AddFault(localaiven.Fault{Match: localaiven.Match{Path: "("}}) })
}

func TestAFaultRepeatsTheRequest(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.AddFault(localaiven.Fault{Effect: localaiven.Effect{Status: 400, Echo: true}})
	var answered aiven.Error
	require.ErrorAs(t, createUser(t, h), &answered)
	assert.Contains(t, answered.Message, "aivenv1 ")
	assert.Contains(t, answered.Message, `"username":"bob"`)
}
