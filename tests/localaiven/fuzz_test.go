package localaiven_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// withServices is a server with a running service of each type, called like the type.
func withServices(t testing.TB) *localaiven.Server {
	t.Helper()
	clock := localaiven.NewManualClock(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	server, err := localaiven.New(localaiven.Options{Clock: clock, ProvisionTime: provision})
	require.NoError(t, err)
	for kind, plan := range map[string]string{"pg": "startup-4", "kafka": "business-4", "opensearch": "startup-4"} {
		body := `{"service_name":"` + kind + `","service_type":"` + kind + `","plan":"` + plan + `"}`
		status, answer := handle(t, server, post, servicesPath, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	clock.Advance(provision)
	return server
}

// handle makes a call without a network. Whatever is asked, the answer is an object, and an error says what is wrong.
func handle(t testing.TB, server *localaiven.Server, method, path, body string) (int, map[string]any) {
	t.Helper()
	request := &http.Request{
		Method: method, URL: &url.URL{Path: path}, Body: http.NoBody, Header: http.Header{"Authorization": {"aivenv1 t"}},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	path, query, _ := strings.Cut(path, "?")
	request.URL.Path, request.URL.RawQuery = path, query
	if body != "" {
		request.Body = http.NoBody
		with := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		request.Body, request.ContentLength = with.Body, with.ContentLength
	}
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, request)
	var out map[string]any
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &out), recorder.Body.String())
	if recorder.Code != http.StatusOK {
		assert.NotEmpty(t, out["message"])
		assert.Equal(t, []any{map[string]any{"message": out["message"], "status": float64(recorder.Code)}}, out["errors"])
	}
	return recorder.Code, out
}

// FuzzRouter sends anything anywhere: the server never breaks, and what it keeps can always be read.
func FuzzRouter(f *testing.F) {
	for _, seed := range [][3]string{
		{get, servicesPath, ""},
		{get, servicesPath + "/pg?include_secrets=true", ""},
		{post, servicesPath, `{"service_name":"a","service_type":"pg","plan":"startup-4"}`},
		{post, servicesPath, `{"service_name":"r","service_type":"pg","plan":"startup-4","service_integrations":[{"integration_type":"read_replica","source_service":"pg"}]}`},
		{put, servicesPath + "/pg", `{"user_config":{"pg":{"max_connections":null}},"powered":false}`},
		{put, servicesPath + "/pg/user/avnadmin", `{"operation":"reset_credentials","new_password":"12345678"}`},
		{post, servicesPath + "/pg/db", `{"database":"x","lc_ctype":"C"}`},
		{get, servicesPath + "/pg/db?after=x&maxItems=-1", ""},
		{post, servicesPath + "/pg/connection_pool", `{"pool_name":"p","database":"defaultdb","pool_size":1e99}`},
		{post, servicesPath + "/kafka/topic", `{"topic_name":"t","partitions":3,"config":{"retention_ms":-1}}`},
		{post, "/v2/project/" + proj + "/service/kafka/topic", `{"topic_names":["t",""]}`},
		{post, servicesPath + "/kafka/acl", `{"permission":"read","topic":"*","username":"?"}`},
		{post, servicesPath + "/opensearch/opensearch/acl", `{"opensearch_acl_config":{"enabled":true,"acls":[{"username":"u","rules":[]}]}}`},
		{post, "/v1/project/" + proj + "/vpcs", `{"cloud_name":"aws-x","network_cidr":"10.0.0.0/24","peering_connections":[]}`},
		{post, "/v1/project/" + proj + "/integration_endpoint", `{"endpoint_name":"e","endpoint_type":"datadog","user_config":{}}`},
		{"PATCH", "/v1/organization/x/project/" + proj, `{"tags":{"a":null}}`},
		{get, "/v1/project/../%2e%2e//service/", ""},
		{"DELETE", "/v1/project/" + proj, ""},
		{"", "", "\x00"},
		{put, servicesPath + "/pg", `{"user_config":{"pg":{"max_connections":null}}}{}`},
		{"OPTIONS", "*", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	server := withServices(f)
	f.Fuzz(func(t *testing.T, method, path, body string) {
		if strings.HasPrefix(path, "/_local") {
			t.Skip("the administration API trusts its callers")
		}
		status, answer := handle(t, server, method, path, body)
		assert.True(t, status < 500 || status == http.StatusNotImplemented || status == http.StatusServiceUnavailable, "%d %v", status, answer)
		seen := map[string]bool{}
		for _, r := range server.Resources() {
			assert.False(t, seen[r.Type+r.ID], "%v exists twice", r)
			seen[r.Type+r.ID] = true
		}
	})
}

// FuzzUserConfig sends options to a service. Those that are refused change nothing, and those that are accepted are
// accepted again, and change nothing then.
func FuzzUserConfig(f *testing.F) {
	for kind, config := range map[string]string{
		"pg":         `{"pg_version":"17","pg":{"max_connections":100,"jit":true},"ip_filter":[{"network":"10.0.0.0/8","description":"x"},"1.2.3.4/32"]}`,
		"kafka":      `{"kafka_authentication_methods":{"sasl":true},"kafka":{"log_retention_hours":null},"schema_registry":true}`,
		"opensearch": `{"opensearch":{"http_max_content_length":1},"index_patterns":[{"pattern":"a*","max_index_count":3}],"max_index_count":0}`,
	} {
		f.Add(kind, config)
		f.Add(kind, `{"ip_filter":[1]}`)
		f.Add(kind, `{"`+kind+`":[]}`)
		f.Add(kind, `{"`+kind+`":{"`+kind+`":{}}}`)
	}
	f.Add("pg", `{"admin_password":"x"}`)
	f.Add("pg", `{"pg":{"log_line_prefix":"'%m'"},"backup_hour":1e1000}`)
	f.Add("pg", `null`)
	server := withServices(f)
	config := func(t *testing.T, kind string) map[string]any {
		t.Helper()
		_, body := handle(t, server, get, servicesPath+"/"+kind+"?include_secrets=true", "")
		return body["service"].(map[string]any)["user_config"].(map[string]any)
	}
	f.Fuzz(func(t *testing.T, kind, changes string) {
		if kind != "pg" && kind != "kafka" && kind != "opensearch" {
			t.Skip("no service is called " + kind)
		}
		before, request := config(t, kind), `{"user_config":`+changes+`}`
		status, answer := handle(t, server, put, servicesPath+"/"+kind, request)
		after := config(t, kind)
		if status != http.StatusOK {
			require.Contains(t, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}, status, answer)
			require.Equal(t, before, after)
			return
		}
		status, answer = handle(t, server, put, servicesPath+"/"+kind, request)
		require.Equal(t, http.StatusOK, status, answer)
		require.Equal(t, after, config(t, kind))
	})
}
