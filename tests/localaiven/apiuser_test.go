package localaiven_test

import (
	"reflect"
	"testing"

	"github.com/aiven/go-client-codegen/handler/user"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestUserInfoReturnsTheUserOfTheToken(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{
		Projects: []string{"p1", "p2"}, Tokens: []string{"alice@example.org=a1", "alice@example.org=a2", "bob=b", "plain", "padded=="},
	})
	infos := map[string]*user.UserInfoOut{}
	for _, token := range []string{"a1", "a2", "b", "plain", "padded=="} {
		info, err := h.as(t, token).UserInfo(t.Context())
		require.NoError(t, err)
		infos[token] = info
	}
	assert.Equal(t, infos["a1"], infos["a2"])
	assert.Equal(t, "alice@example.org", infos["a1"].User)
	assert.Equal(t, "bob@example.com", infos["b"].User)
	assert.NotContains(t, infos["padded=="].User, "padded", "a token is a secret")
	assert.Equal(t, []string{"p1", "p2"}, infos["b"].Projects)
	ids := map[string]bool{}
	for _, info := range infos {
		ids[info.UserId] = true
	}
	assert.Len(t, ids, 4)

	status, body := h.send(t, get, "/v1/me", "b", "")
	require.Equal(t, 200, status)
	assert.Empty(t, deviations("UserInfo", body, reflect.TypeFor[struct{ User user.UserInfoOut }]()))
}

func TestUserInfoCanBeRefused(t *testing.T) {
	t.Parallel()
	h := start(t, localaiven.Options{RefuseUserInfo: true})
	assertRefused(t, h, "any", badCall{get, "/v1/me", "", 403, "Not allowed"})
	_, err := h.client.ServiceList(t.Context(), proj)
	assert.NoError(t, err, "the token is good for all else")
}
