package localaiven_test

import (
	"sync"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const copyPath = servicesPath + "/copy"

// copied starts a server with a service and its read replica, which both run.
func copied(t *testing.T) *harness {
	t.Helper()
	h := running(t, localaiven.Options{})
	require.NoError(t, createUser(t, h))
	_, err := h.replica(t, "copy")
	require.NoError(t, err)
	h.clock.Advance(provision)
	return h
}

func TestAReadReplicaHasTheUsersAndDatabasesOfItsSource(t *testing.T) {
	h := copied(t)
	ctx := t.Context()
	same := func(why string) {
		t.Helper()
		source, replica := h.get(t), h.read(t, "copy", withSecrets)
		assert.Equal(t, source.Users, replica.Users, why)
		assert.Equal(t, source.Databases, replica.Databases, why)
		assert.Equal(t, source.ServiceUriParams["password"], replica.ServiceUriParams["password"], why)
		assert.NotEqual(t, source.ServiceUriParams["port"], replica.ServiceUriParams["port"], why)
	}
	same("at once")
	_, err := h.client.ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: "eve"})
	require.NoError(t, err)
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	same("after something new")
	_, err = h.client.ServiceUserCredentialsModify(ctx, proj, svcName, "avnadmin", &service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"})
	require.NoError(t, err)
	same("after a new password")
	require.NoError(t, h.Patch(proj, svcName, map[string]any{"users": []map[string]any{{"username": "eve", "password": nil}}}))
	same("after a change at the console")
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, svcName, "eve"))
	same("after a deletion")
}

func TestAReadReplicaRefusesChangesUntilItGoesByItself(t *testing.T) {
	refused := map[string]badCall{
		"a new user":         {post, copyPath + "/user", `{"username":"eve"}`, 409, "read replica"},
		"a new password":     {put, copyPath + "/user/bob", `{"operation":"reset-credentials"}`, 409, "read replica"},
		"a deleted user":     {del, copyPath + "/user/bob", "", 409, "read replica"},
		"a new database":     {post, copyPath + "/db", `{"database":"orders"}`, 409, "read replica"},
		"a deleted database": {del, copyPath + "/db/defaultdb", "", 409, "read replica"},
	}
	for name, part := range map[string]func(h *harness) error{
		"its integration is deleted": func(h *harness) error {
			return h.client.ServiceIntegrationDelete(t.Context(), proj, h.shownAt(t, proj, "copy")[0].ServiceIntegrationId)
		},
		"its source is deleted": func(h *harness) error { return h.client.ServiceDelete(t.Context(), proj, svcName) },
	} {
		t.Run(name, func(t *testing.T) {
			h := copied(t)
			for why, call := range refused {
				t.Run(why, func(t *testing.T) { assertRefused(t, h, "x", call) })
			}
			status, body := h.send(t, post, copyPath+"/connection_pool", "x", `{"pool_name":"p","database":"defaultdb"}`)
			assert.Equal(t, 200, status, body, "a pool is its own")
			require.NoError(t, part(h))
			_, err := h.client.ServiceUserCreate(t.Context(), proj, "copy", &service.ServiceUserCreateIn{Username: "eve"})
			require.NoError(t, err)
			names := func(users []service.UserOut) (out []string) {
				for _, u := range users {
					out = append(out, u.Username)
				}
				return out
			}
			assert.Equal(t, []string{"avnadmin", "bob", "eve"}, names(h.read(t, "copy", withSecrets).Users), "it keeps what it has")
		})
	}
}

func TestASourceAndItsReplicaAreDeletedAtOnce(t *testing.T) {
	h := copied(t)
	var work sync.WaitGroup
	for _, name := range []string{svcName, "copy"} {
		work.Go(func() { assert.NoError(t, h.client.ServiceDelete(t.Context(), proj, name)) })
	}
	for range 3 {
		work.Go(func() { h.send(t, post, servicePath+"/db", "x", `{"database":"late"}`) })
	}
	work.Wait()
	assert.Empty(t, h.Resources())
}
