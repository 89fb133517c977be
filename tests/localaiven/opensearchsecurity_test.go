package localaiven_test

import (
	"testing"

	"github.com/aiven/go-client-codegen/handler/opensearch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestOpenSearchSecurityRefusesACLs(t *testing.T) {
	h := webService(t, "opensearch", "startup-4")
	ctx := t.Context()
	before := h.setSearchACL(t, true, nil)
	got, err := h.client.ServiceOpenSearchSecurityGet(ctx, proj, "opensearch")
	require.NoError(t, err)
	assert.Equal(t, opensearch.ServiceOpenSearchSecurityGetOut{SecurityPluginAvailable: true, SecurityPluginEnabled: ptr(false)}, *got)
	const adminPath = servicesPath + "/opensearch/opensearch/security/admin"
	assertRefused(t, h, "x", badCall{put, adminPath, `{"admin_password":"long enough","new_password":"even longer"}`, 400, "not enabled"})
	assertRefused(t, h, "x", badCall{post, adminPath, `{"admin_password":"short"}`, 400, "8 to 256"})

	set, err := h.client.ServiceOpenSearchSecuritySet(ctx, proj, "opensearch", &opensearch.ServiceOpenSearchSecuritySetIn{AdminPassword: "long enough"})
	require.NoError(t, err)
	assert.True(t, set.SecurityPluginAdminEnabled)
	assertRefused(t, h, "x", badCall{post, adminPath, `{"admin_password":"long enough"}`, 409, "already enabled"})
	for method, body := range map[string]string{
		post: `{"opensearch_acl_config":{"enabled":false,"acls":[]}}`, put: `{"opensearch_acl_config":{"enabled":false}}`,
	} {
		assertRefused(t, h, "x", badCall{method, searchACLPath, body, 400, "OpenSearch Security management is enabled"})
	}
	assert.Equal(t, before, h.searchACL(t), "they can be read")

	assertRefused(t, h, "x", badCall{put, adminPath, `{"admin_password":"wrong","new_password":"even longer"}`, 403, "admin_password"})
	_, err = h.client.ServiceOpenSearchSecurityReset(ctx, proj, "opensearch",
		&opensearch.ServiceOpenSearchSecurityResetIn{AdminPassword: "long enough", NewPassword: "even longer"})
	require.NoError(t, err)
	assert.NotContains(t, text(t, h.Journal(0)), "long enough")
}

func TestOpenSearchCanShowExtendedACLs(t *testing.T) {
	for shown, options := range map[bool]localaiven.Options{false: {}, true: {Variants: localaiven.Variants{ExtendedACL: true}}} {
		h := start(t, options)
		status, _ := h.send(t, post, servicesPath, "x", `{"service_name":"opensearch","service_type":"opensearch","plan":"startup-4"}`)
		require.Equal(t, 200, status)
		_, answer := h.send(t, get, searchACLPath, "x", "")
		config, _ := answer["opensearch_acl_config"].(map[string]any)
		_, has := config["extended_acl"]
		assert.Equal(t, shown, has)
	}
}
