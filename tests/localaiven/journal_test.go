package localaiven_test

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestJournalAndStats(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	h.Reset()
	before := h.Journal(0)
	require.Empty(t, before)

	_, err := h.as(t, "token-2").ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	require.Error(t, createUser(t, h))
	h.send(t, get, "/v1/nope", "x", "")
	id := h.AddFault(localaiven.Fault{Match: localaiven.Match{Operation: "ServiceDelete"}, Effect: localaiven.Effect{Drop: localaiven.BeforeApply}})
	require.Error(t, h.client.ServiceDelete(ctx, proj, svcName))

	stats := h.Stats()
	assert.EqualValues(t, 4, stats.Total)
	assert.Equal(t, map[string]int64{"ServiceUserCreate": 2, "ServiceDelete": 1}, stats.Calls)
	assert.Equal(t, map[string]int64{"200": 1, "409": 1, "501": 1, "dropped": 1}, stats.ByStatus)
	assert.EqualValues(t, 1, stats.UnknownRoutes)
	assert.Equal(t, h.clock.Now(), stats.Since)

	journal := h.Journal(0)
	require.Len(t, journal, 4)
	assert.Equal(t, "ServiceUserCreate", journal[0].Operation)
	assert.Equal(t, servicePath+"/user", journal[0].Path)
	assert.JSONEq(t, `{"username":"bob"}`, string(journal[0].Body))
	assert.NotEqual(t, journal[0].Token, journal[1].Token, "tokens can be distinguished")
	assert.Equal(t, 409, journal[1].Status)
	assert.Equal(t, "", journal[2].Operation)
	assert.Equal(t, id, journal[3].Fault)
	assert.Equal(t, 0, journal[3].Status)
	assert.Equal(t, journal[2:], h.Journal(journal[1].Seq))
	assert.Empty(t, h.Journal(journal[3].Seq))

	h.Reset()
	assert.Zero(t, h.Stats().Total)
	assert.Empty(t, h.Journal(0))
	assert.NotEmpty(t, h.Resources(), "a reset keeps the resources")
	h.get(t)
	assert.Equal(t, journal[3].Seq+1, h.Journal(0)[0].Seq, "numbers go on after a reset")
}

func TestJournalHasNoSecrets(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{
		"migration": map[string]any{"host": "h", "port": 1, "password": "hush-hush-1", "username": "migrator"},
	}})
	_, err := h.client.ServiceUserCredentialsModify(ctx, proj, svcName, "avnadmin", &service.ServiceUserCredentialsModifyIn{
		Operation: "reset-credentials", NewPassword: ptr("hush-hush-2"),
	})
	require.NoError(t, err)
	_, err = h.client.ServiceTaskCreate(ctx, proj, svcName, &service.ServiceTaskCreateIn{
		TaskType: "migration_check", MigrationCheck: &service.MigrationCheckIn{SourceServiceUri: ptr("postgres://u:hush-hush-3@h")},
	})
	require.Error(t, err)
	h.send(t, post, servicePath+"/user", "token-1", `{"password":"hush-hush-4`)

	all, err := json.Marshal(h.Journal(0))
	require.NoError(t, err)
	assert.NotContains(t, string(all), "hush-hush")
	assert.NotContains(t, string(all), "token-1")
	assert.Contains(t, string(all), "migrator", "what isn't secret stays readable")
	assert.Contains(t, string(all), "reset-credentials")
}

func TestUnknownRoutesAreNamedInTheAnswer(t *testing.T) {
	h := start(t, localaiven.Options{})
	_, body := h.send(t, get, "/v1/nope/x", "x", "")
	assert.True(t, strings.Contains(body["message"].(string), "/v1/nope/x"))
}

func TestWhatOpensAConnectionOfHTTP2IsNoCall(t *testing.T) {
	h := start(t, localaiven.Options{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	_, err = conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	require.NoError(t, err)
	rsp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, rsp.Body.Close())
	assert.Equal(t, http.StatusHTTPVersionNotSupported, rsp.StatusCode)
	assert.Zero(t, h.Stats().Total)
	assert.False(t, localaiven.Changes(localaiven.MethodPreface, "*", nil))
}
