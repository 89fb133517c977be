package localaiven_test

import (
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/opensearch"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const searchACLPath = servicesPath + "/opensearch/opensearch/acl"

func (h *harness) searchACL(t testing.TB) opensearch.ServiceOpenSearchAclGetOut {
	t.Helper()
	got, err := h.client.ServiceOpenSearchAclGet(t.Context(), proj, "opensearch")
	require.NoError(t, err)
	return *got
}

func (h *harness) setSearchACL(t testing.TB, enabled bool, acls []opensearch.AclIn) opensearch.ServiceOpenSearchAclGetOut {
	t.Helper()
	out, err := h.client.ServiceOpenSearchAclSet(t.Context(), proj, "opensearch", &opensearch.ServiceOpenSearchAclSetIn{
		OpensearchAclConfig: opensearch.OpensearchAclConfigIn{Enabled: enabled, Acls: acls},
	})
	require.NoError(t, err)
	return opensearch.ServiceOpenSearchAclGetOut(*out)
}

func TestACLsOfOpenSearch(t *testing.T) {
	h := webService(t, "opensearch", "startup-4")
	nothing := opensearch.ServiceOpenSearchAclGetOut{Acls: []opensearch.AclOut{}}
	assert.Equal(t, nothing, h.searchACL(t), "a new service has none, and they are off")

	set := h.setSearchACL(t, true, []opensearch.AclIn{
		{Username: "bob", Rules: []opensearch.RuleIn{{Index: "logs*", Permission: "readwrite"}, {Index: "_*", Permission: "deny"}}},
		{Username: "eve"},
	})
	assert.Equal(t, opensearch.ServiceOpenSearchAclGetOut{Enabled: true, Acls: []opensearch.AclOut{
		{Username: "bob", Rules: []opensearch.RuleOut{{Index: "logs*", Permission: "readwrite"}, {Index: "_*", Permission: "deny"}}},
		{Username: "eve", Rules: []opensearch.RuleOut{}},
	}}, set)
	assert.Equal(t, set, h.searchACL(t))

	updated, err := h.client.ServiceOpenSearchAclUpdate(t.Context(), proj, "opensearch", &opensearch.ServiceOpenSearchAclUpdateIn{
		OpensearchAclConfig: opensearch.ServiceOpenSearchAclUpdateOpensearchAclConfigIn{Enabled: ptr(false)},
	})
	require.NoError(t, err)
	assert.Equal(t, opensearch.ServiceOpenSearchAclUpdateOut{Acls: set.Acls}, *updated, "an update leaves what it doesn't name")
	_, err = h.client.ServiceOpenSearchAclUpdate(t.Context(), proj, "opensearch", &opensearch.ServiceOpenSearchAclUpdateIn{
		OpensearchAclConfig: opensearch.ServiceOpenSearchAclUpdateOpensearchAclConfigIn{Acls: &[]opensearch.AclIn{{Username: "ann"}}},
	})
	require.NoError(t, err)
	require.Len(t, h.searchACL(t).Acls, 1)

	assert.Equal(t, nothing, h.setSearchACL(t, false, nil), "no list is an empty one")
}

func TestRefusedACLsOfOpenSearch(t *testing.T) {
	with := func(acls string) string { return `{"opensearch_acl_config":{"enabled":true,"acls":[` + acls + `]}}` }
	rule := func(rule string) string { return with(`{"username":"bob","rules":[` + rule + `]}`) }
	const path = servicesPath + "/" + svcName + "/opensearch/acl"
	h := webService(t, "opensearch", "startup-4")
	h.create(t, service.ServiceCreateIn{})
	for name, c := range map[string]badCall{
		"no config":                {post, searchACLPath, `{}`, 400, "'enabled' is required"},
		"nothing of the switch":    {post, searchACLPath, `{"opensearch_acl_config":{"acls":[]}}`, 400, "'enabled' is required"},
		"a switch that is none":    {post, searchACLPath, `{"opensearch_acl_config":{"enabled":"yes","acls":[]}}`, 400, "enabled"},
		"an unknown key":           {post, searchACLPath, `{"opensearch_acl_config":{"enabled":true,"acls":[],"colour":1}}`, 400, "colour"},
		"no username":              {post, searchACLPath, with(`{"rules":[]}`), 400, "username"},
		"a username twice":         {post, searchACLPath, with(`{"username":"bob"},{"username":"bob"}`), 400, "twice"},
		"a username too long":      {post, searchACLPath, with(`{"username":"` + strings.Repeat("u", 65) + `"}`), 400, "username"},
		"no index":                 {post, searchACLPath, rule(`{"permission":"read"}`), 400, "index"},
		"an index too long":        {post, searchACLPath, rule(`{"permission":"read","index":"` + strings.Repeat("i", 250) + `"}`), 400, "index"},
		"an unknown permission":    {post, searchACLPath, rule(`{"permission":"dance","index":"*"}`), 400, "dance"},
		"one in an update":         {put, searchACLPath, rule(`{"permission":"dance","index":"*"}`), 400, "dance"},
		"a broken update":          {put, searchACLPath, `[]`, 400, "array"},
		"reading those of a pg":    {get, path, "", 400, "pg"},
		"setting those of a pg":    {post, path, with(""), 400, "pg"},
		"updating those of a pg":   {put, path, with(""), 400, "pg"},
		"those of no service":      {get, servicesPath + "/nope/opensearch/acl", "", 404, "Service nope does not exist"},
		"setting those of none":    {post, servicesPath + "/nope/opensearch/acl", with(""), 404, "Service nope does not exist"},
		"updating those of none":   {put, servicesPath + "/nope/opensearch/acl", with(""), 404, "Service nope does not exist"},
		"a rule of no known shape": {post, searchACLPath, rule(`7`), 400, "rules"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", c) })
	}
	assert.Empty(t, h.searchACL(t).Acls)
	assert.False(t, h.searchACL(t).Enabled)
}

func TestACLsOfOpenSearchNeedARunningService(t *testing.T) {
	h := start(t, localaiven.Options{ProvisionTime: provision})
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: "opensearch", ServiceType: "opensearch", Plan: "startup-4"})
	require.NoError(t, err)
	const off = `{"opensearch_acl_config":{"enabled":true,"acls":[]}}`
	assertRefused(t, h, "x", badCall{post, searchACLPath, off, 503, "not running"})
	assert.False(t, h.searchACL(t).Enabled, "they can be read")
	h.clock.Advance(provision)
	_, err = h.client.ServiceUpdate(t.Context(), proj, "opensearch", &service.ServiceUpdateIn{Powered: ptr(false)})
	require.NoError(t, err)
	assertRefused(t, h, "x", badCall{post, searchACLPath, off, 409, "powered off"})
}
