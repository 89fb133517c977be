package clickhouse_test

import (
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAfterPowerOffUsersAndGrantsAreThereAgain(t *testing.T) {
	h := start(t)
	_, password := h.user("bob")
	h.query("CREATE ROLE reader", "GRANT SELECT ON default.* TO reader", "GRANT reader TO bob")
	power := func(on bool) {
		_, err := h.client.ServiceUpdate(t.Context(), proj, name, &service.ServiceUpdateIn{Powered: &on})
		require.NoError(t, err)
	}
	for range 2 {
		before := h.connect("bob", password)
		require.NoError(t, before.Ping(t.Context()))
		power(false)
		require.Error(t, before.Ping(t.Context()), "the session ended, and there is no listener")
		power(true)
		require.Eventually(t, func() bool { return h.get().State == service.ServiceStateTypeRunning }, testTimeout, 5*time.Millisecond)
		assert.Equal(t, "bob", value[string](t, h.connect("bob", password), "SELECT currentUser()"))
		assert.Equal(t, uint64(1), value[uint64](t, h.admin(), "SELECT count() FROM system.role_grants WHERE user_name = 'bob'"))
		require.Error(t, h.connect("bob", "wrong").Ping(t.Context()))
	}
	power(false)
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, name))
}
