package localaiven_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/admin"
)

// discard is an http.ResponseWriter for calls whose answer doesn't matter.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

func newServiceRequest(t testing.TB, name string) *http.Request {
	t.Helper()
	body := strings.NewReader(`{"service_name":"` + name + `","service_type":"pg","plan":"hobbyist"}`)
	request := httptest.NewRequestWithContext(t.Context(), post, servicesPath, body)
	request.Header.Set("Authorization", "aivenv1 x")
	return request
}

func TestTheAdminInterfaceOverHTTP(t *testing.T) {
	h := running(t, localaiven.Options{Tokens: []string{"token-1"}})
	console := admin.Client{URL: h.url + "/"}
	ctx := t.Context()
	require.NoError(t, console.Reset(ctx))

	id, err := console.AddFault(ctx, localaiven.Fault{
		Match: localaiven.Match{Operation: "ServiceUserCreate"}, Effect: localaiven.Effect{Hold: localaiven.AfterApply}, Times: 1,
	})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- createUser(t, h) }()
	require.Eventually(t, func() bool {
		fault, err := console.Fault(ctx, id)
		return err == nil && fault.Held
	}, testTimeout, often)
	released, err := console.Release(ctx, id)
	require.NoError(t, err)
	assert.Equal(t, 1, released)
	require.NoError(t, <-done)
	require.NoError(t, console.RemoveFault(ctx, id))
	require.NoError(t, console.RemoveFaults(ctx))
	_, err = console.Fault(ctx, id)
	require.ErrorContains(t, err, "status 404")

	stats, err := console.Stats(ctx)
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{"ServiceUserCreate": 1}, stats.Calls, "admin calls aren't counted")
	journal, err := console.Journal(ctx, 0)
	require.NoError(t, err)
	require.Len(t, journal, 1)
	assert.Equal(t, id, journal[0].Fault)
	rest, err := console.Journal(ctx, journal[0].Seq)
	require.NoError(t, err)
	assert.Empty(t, rest)

	resources, err := console.Resources(ctx)
	require.NoError(t, err)
	assert.Equal(t, []localaiven.Resource{
		{Type: "service", ID: proj + "/" + svcName},
		{Type: "user", ID: proj + "/" + svcName + "/avnadmin", Builtin: true},
		{Type: "user", ID: proj + "/" + svcName + "/bob"},
		{Type: "database", ID: proj + "/" + svcName + "/defaultdb", Builtin: true},
	}, resources)

	require.NoError(t, console.Patch(ctx, proj, svcName, map[string]any{"state": "POWEROFF"}))
	assert.Equal(t, "POWEROFF", h.state(t))
}

func TestTheAdminInterfaceRefuses(t *testing.T) {
	h := running(t, localaiven.Options{})
	for name, c := range map[string]badCall{
		"an unknown admin call":            {get, "/_local/nope", "", 404, "/_local/nope"},
		"an unknown fault":                 {get, "/_local/faults/9", "", 404, "Fault"},
		"releasing an unknown fault":       {post, "/_local/faults/9/release", "", 404, "Fault"},
		"removing an unknown fault":        {del, "/_local/faults/9", "", 404, "Fault"},
		"a fault with an unknown key":      {post, "/_local/faults", `{"fault":{"explode":true}}`, 400, "explode"},
		"a fault with a bad path":          {post, "/_local/faults", `{"match":{"path":"("}}`, 400, "match.path"},
		"a fault with a bad drop":          {post, "/_local/faults", `{"fault":{"drop":"sometimes"}}`, 400, "sometimes"},
		"a fault with a bad delay":         {post, "/_local/faults", `{"fault":{"delay":"long"}}`, 400, "long"},
		"a fault with a bad status":        {post, "/_local/faults", `{"fault":{"status":1}}`, 400, "status"},
		"a fault for a negative number":    {post, "/_local/faults", `{"times":-1}`, 400, "times"},
		"a journal after no number":        {get, "/_local/journal?after=x", "", 400, "after"},
		"patching an unknown service":      {http.MethodPatch, "/_local/project/p/service/nope", `{}`, 404, "Service"},
		"patching an unknown field":        {http.MethodPatch, "/_local" + servicePath[3:], `{"color":1}`, 400, "color"},
		"patching a plan that isn't known": {http.MethodPatch, "/_local" + servicePath[3:], `{"plan":"huge"}`, 400, "huge"},
		"patching power":                   {http.MethodPatch, "/_local" + servicePath[3:], `{"powered":false}`, 400, "state"},
		"patching a user without a name":   {http.MethodPatch, "/_local" + servicePath[3:], `{"users":[{"password":"x"}]}`, 400, "username"},
		"patching a password to a number":  {http.MethodPatch, "/_local" + servicePath[3:], `{"users":[{"username":"x","password":1}]}`, 400, "password"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "", c) })
	}
}

func TestChangesAtTheConsole(t *testing.T) {
	h := running(t, localaiven.Options{})
	require.NoError(t, createUser(t, h))
	patch := func(fields map[string]any) {
		t.Helper()
		require.NoError(t, h.Patch(proj, svcName, fields))
	}

	patch(map[string]any{
		"plan": "business-4", "cloud_name": "aws-eu-west-1", "termination_protection": true, "tags": map[string]string{"a": "b"},
		"user_config": map[string]any{"work_mem": 9}, "maintenance": map[string]any{"dow": "friday"},
		"tech_emails": []map[string]string{{"email": "a@example.com"}}, "project_vpc_id": "vpc", "disk_space_mb": 90 * 1024,
		"node_states": []map[string]string{{"name": svcName + "-2", "state": "syncing_data"}},
		"users":       []map[string]any{{"username": "bob", "password": "from-console"}, {"username": "eve"}},
	})
	got := h.get(t)
	assert.EqualValues(t, "RUNNING", got.State, "the state machine doesn't move")
	assert.Equal(t, "business-4", got.Plan)
	assert.Equal(t, "aws-eu-west-1", got.CloudName)
	assert.True(t, got.TerminationProtection)
	assert.Equal(t, map[string]string{"a": "b"}, got.Tags)
	assert.Equal(t, 9.0, got.UserConfig["work_mem"])
	assert.EqualValues(t, "friday", got.Maintenance.Dow)
	assert.Equal(t, "a@example.com", got.TechEmails[0].Email)
	assert.Equal(t, "vpc", got.ProjectVpcId)
	assert.Equal(t, 90*1024, *got.DiskSpaceMb)
	assert.EqualValues(t, "syncing_data", got.NodeStates[1].State)
	assert.Equal(t, "from-console", got.Users[1].Password)
	assert.Equal(t, "eve", got.Users[2].Username)

	patch(map[string]any{"users": []map[string]any{{"username": "bob", "password": nil}}})
	_, body := h.send(t, get, servicePath+"/user/bob", "x", "")
	assert.Nil(t, body["user"].(map[string]any)["password"], "a password that was changed inside the database is null")
	assert.Equal(t, "vpc", h.get(t).ProjectVpcId, "what isn't named stays")

	patch(map[string]any{"state": "REBUILDING"})
	h.clock.Advance(10 * provision)
	assert.Equal(t, "REBUILDING", h.state(t), "a state from the console stays")
	patch(map[string]any{"state": "RUNNING"})
	assert.Equal(t, "RUNNING", h.state(t))
	assert.Error(t, h.Patch(proj, "nope", nil))
}
