package localaiven_test

import (
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

func TestClickHouseIsReadLate(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{Eventual: lag})
	h.clock.Advance(lag)
	h.database("shop")
	id, _ := h.user("bob")
	h.data("CREATE ROLE writer")
	h.data("GRANT writer TO bob")
	see := func(databases, users, grants int) {
		t.Helper()
		list, err := h.client.ServiceClickHouseDatabaseList(t.Context(), proj, clickHouseName)
		require.NoError(t, err)
		assert.Len(t, list, databases)
		assert.Len(t, h.users(), users)
		assert.Len(t, h.data("SELECT granted_role_name FROM system.role_grants"), grants)
	}
	see(1, 1, 0)
	h.clock.Advance(lag)
	see(2, 2, 1)
	h.data("DROP ROLE writer")
	require.NoError(t, h.client.ServiceClickHouseUserDelete(t.Context(), proj, clickHouseName, id))
	require.NoError(t, h.client.ServiceClickHouseDatabaseDelete(t.Context(), proj, clickHouseName, "shop"), "writes don't lag")
	see(2, 2, 1)
	h.clock.Advance(lag)
	see(1, 1, 0)
}

func TestAClickHouseDatabaseHasAStateThatTheConsoleSets(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	h.database("shop")
	set := func(name, state string) error {
		return h.Patch(proj, clickHouseName, map[string]any{"clickhouse_databases": []any{map[string]any{"name": name, "state": state}}})
	}
	require.NoError(t, set("shop", "pending_removal"))
	list, err := h.client.ServiceClickHouseDatabaseList(t.Context(), proj, clickHouseName)
	require.NoError(t, err)
	assert.Equal(t, []clickhouse.DatabaseStateType{"ok", "pending_removal"}, []clickhouse.DatabaseStateType{list[0].State, list[1].State})
	require.Error(t, set("nope", "ok"))
	require.NoError(t, h.client.ServiceClickHouseDatabaseDelete(t.Context(), proj, clickHouseName, "shop"))
	h.database("shop")
	list, err = h.client.ServiceClickHouseDatabaseList(t.Context(), proj, clickHouseName)
	require.NoError(t, err)
	assert.EqualValues(t, "ok", list[1].State, "a new one is as it should be")
}

// TestLifeOfAClickHouseDatabase reads just before and just after each change.
func TestLifeOfAClickHouseDatabase(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{DatabaseTime: provision})
	see := func(state string, when string) {
		t.Helper()
		list, err := h.client.ServiceClickHouseDatabaseList(t.Context(), proj, clickHouseName)
		require.NoError(t, err)
		got, err := h.client.ServiceGet(t.Context(), proj, clickHouseName)
		require.NoError(t, err)
		if state == "" {
			assert.Len(t, list, 1, when)
			assert.Equal(t, []string{"default"}, got.Databases, when)
			return
		}
		require.Len(t, list, 2, when)
		assert.EqualValues(t, state, list[1].State, when)
		assert.Equal(t, []string{"default", "shop"}, got.Databases, when)
	}
	remove := func() error {
		return h.client.ServiceClickHouseDatabaseDelete(t.Context(), proj, clickHouseName, "shop")
	}
	h.database("shop")
	see("pending_creation", "at once")
	h.clock.Advance(provision - 1)
	see("pending_creation", "just before")
	h.clock.Advance(1)
	see("ok", "created")

	require.NoError(t, remove())
	see("pending_removal", "deleted")
	err := h.client.ServiceClickHouseDatabaseCreate(t.Context(), proj, clickHouseName, &clickhouse.ServiceClickHouseDatabaseCreateIn{Database: "shop"})
	require.True(t, aiven.IsAlreadyExists(err), err)
	h.clock.Advance(provision - 1)
	require.NoError(t, remove(), "a second deletion is accepted, and does not take longer")
	see("pending_removal", "just before")
	h.clock.Advance(1)
	see("", "removed")
	require.True(t, aiven.IsNotFound(remove()))
	h.database("shop")
	see("pending_creation", "a new one")
}

func TestClickHouseListsItsPrivileges(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	read := func(name string) [][]any {
		return h.data("SELECT * FROM system.privileges WHERE privilege = '" + name + "'")
	}
	assert.Equal(t, [][]any{{"ALTER DELETE", []any{"DELETE"}, "COLUMN", "ALTER TABLE"}}, read("ALTER DELETE"))
	assert.Equal(t, [][]any{{"ALTER TABLE", []any{}, nil, "ALTER"}}, read("ALTER TABLE"))
	assert.Equal(t, [][]any{{"ALL", []any{"ALL PRIVILEGES"}, nil, nil}}, read("ALL"))
}
