package localaiven_test

import (
	"testing"

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

func TestClickHouseListsItsPrivileges(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	read := func(name string) [][]any {
		return h.data("SELECT * FROM system.privileges WHERE privilege = '" + name + "'")
	}
	assert.Equal(t, [][]any{{"ALTER DELETE", []any{"DELETE"}, "COLUMN", "ALTER TABLE"}}, read("ALTER DELETE"))
	assert.Equal(t, [][]any{{"ALTER TABLE", []any{}, nil, "ALTER"}}, read("ALTER TABLE"))
	assert.Equal(t, [][]any{{"ALL", []any{"ALL PRIVILEGES"}, nil, nil}}, read("ALL"))
}
