package export

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

// serviceState is for services of a type with random options, of which some have their default.
func serviceState(kind controllers.Object, of string) randomState {
	return func(r *rand.Rand, a *aiventest.Aiven) int {
		options := randomOptions(r, kind)
		inProject(a, aiventest.Object{
			"service_name": strings.ReplaceAll(of, "_", "-"), "service_type": of, "user_config": options, "project_vpc_id": pick(r, "", "vpc-1"),
			"tags": aiventest.Object{randomName(r): randomName(r)}, "tech_emails": some(r, aiventest.Object{"email": "a@example.com"}),
			"disk_space_mb": 1024 * (1 + r.IntN(1000)), "termination_protection": r.IntN(2) == 0,
			"maintenance": aiventest.Object{"dow": pick(r, "monday", "never", ""), "time": "04:00:00", "updates": []any{}},
		})
		if r.IntN(2) == 0 {
			properties := aiventest.Object{}
			for _, name := range slices.Sorted(maps.Keys(options)) {
				properties[name] = aiventest.Object{"default": []any{nil, options[name]}[r.IntN(2)]}
			}
			schema := aiventest.Object{"properties": properties}
			a.On("GET service-types/"+of, aiventest.OK(aiventest.Object{"service_type": aiventest.Object{"user_config_schema": schema}}))
		}
		return 1
	}
}

// randomOptions are options of a service as Aiven reports them, with secrets that begin with the canary.
func randomOptions(r *rand.Rand, kind controllers.Object) aiventest.Object {
	field, _ := reflect.TypeOf(kind).Elem().FieldByName("Spec")
	options, _ := field.Type.FieldByName("UserConfig")
	return randomTree(r, options.Type.Elem())
}

func randomTree(r *rand.Rand, of reflect.Type) aiventest.Object {
	made := reflect.New(of)
	random(r, made.Elem(), false)
	raw, err := json.Marshal(made.Interface())
	if err != nil {
		panic(err)
	}
	found := aiventest.Object{}
	if err := json.Unmarshal(raw, &found); err != nil {
		panic(err)
	}
	return found
}

func databaseState(r *rand.Rand, a *aiventest.Aiven) int {
	inProject(a, aiventest.Object{"databases": []any{"defaultdb", randomName(r)}},
		aiventest.Object{"service_name": "my-sql", "service_type": "mysql", "databases": []any{"defaultdb", randomName(r)}})
	return 2
}

// userState is for users, some of them with the access control of Valkey.
func userState(r *rand.Rand, a *aiventest.Aiven) int {
	user := func(access any) []any {
		return []any{
			aiventest.Object{"username": randomName(r), "type": "normal", "password": canary + "password", "access_control": access},
			aiventest.Object{"username": "avnadmin", "type": "primary", "password": canary + "admin"},
		}
	}
	inProject(a, aiventest.Object{"users": user(nil)}, aiventest.Object{"service_name": "my-valkey", "service_type": "valkey", "users": user(aiventest.Object{
		"valkey_acl_keys": some(r, "app:*", "*"), "valkey_acl_channels": some(r, "c*"),
		"valkey_acl_commands": some(r, "+get", "-set"), "valkey_acl_categories": some(r, "-@all"),
	})})
	return 2
}

func poolState(r *rand.Rand, a *aiventest.Aiven) int {
	name := randomName(r)
	pool := aiventest.Object{
		"pool_name": "pool", "database": name, "pool_mode": pick(r, "session", "transaction", "statement"), "pool_size": r.IntN(100),
		"connection_uri": "postgres://x:" + canary + "password@pool.test:6432/pool",
	}
	if r.IntN(2) == 0 {
		pool["username"] = name
	}
	inProject(a, aiventest.Object{
		"databases": []any{name}, "users": []any{aiventest.Object{"username": name, "type": "normal", "password": canary + "password"}},
		"connection_pools": []any{pool},
	})
	return 1
}

// searchState is for access control lists, which are exported unless they are as Aiven makes them.
func searchState(r *rand.Rand, a *aiventest.Aiven) int {
	rule := func() any {
		return aiventest.Object{"index": pick(r, "_*", "logs-*"), "permission": pick(r, "admin", "deny", "read", "readwrite", "write")}
	}
	acls := some(r, aiventest.Object{"username": "a*", "rules": some(r, rule(), rule())}, aiventest.Object{"username": "b", "rules": []any{rule()}})
	enabled := r.IntN(2) == 0
	inProject(a, aiventest.Object{"service_name": "my-search", "service_type": "opensearch"})
	a.On("GET service/my-search/opensearch/acl",
		aiventest.OK(aiventest.Object{"opensearch_acl_config": aiventest.Object{"enabled": enabled, "acls": acls}}))
	if !enabled && len(acls) == 0 {
		return 0
	}
	return 1
}

// clickhouseState is what a ClickHouse service has.
type clickhouseState struct {
	databases, users, roles []string
	grants, memberships     [][]any
}

// granted is how many users and roles have been granted something.
func (c clickhouseState) granted() int {
	who := map[[2]any]bool{}
	for _, rows := range [][][]any{c.grants, c.memberships} {
		for _, row := range rows {
			who[[2]any{row[0], row[1]}] = true
		}
	}
	return len(who)
}

func inClickhouse(objects func(clickhouseState) int) randomState {
	return func(r *rand.Rand, a *aiventest.Aiven) int {
		c := clickhouseState{databases: []string{randomName(r), "db"}, users: []string{randomName(r), "app"}, roles: []string{"team", "Readers_1"}}
		for _, to := range [][2]any{{c.users[0], nil}, {"app", nil}, {nil, "team"}} {
			c.grant(r, to)
		}
		c.script(a)
		return objects(c)
	}
}

// grant adds random rows about a user or a role to system.grants and system.role_grants. ClickHouse has no row twice.
func (c *clickhouseState) grant(r *rand.Rand, to [2]any) {
	for _, access := range []string{"SELECT", "INSERT", "ALTER DELETE"} {
		for _, at := range [][3]any{{nil, nil, nil}, {"db", nil, nil}, {c.databases[0], "t", nil}, {"db", "t", "a"}, {"db", "t", "b"}} {
			if r.IntN(6) == 0 {
				c.grants = append(c.grants, []any{to[0], to[1], access, at[0], at[1], at[2], 0, r.IntN(2)})
			}
		}
	}
	for _, role := range c.roles {
		if role != to[1] && r.IntN(3) == 0 {
			c.memberships = append(c.memberships, []any{to[0], to[1], role, r.IntN(2)})
		}
	}
}

func (c *clickhouseState) script(a *aiventest.Aiven) {
	inProject(a, aiventest.Object{"service_name": "my-ch", "service_type": "clickhouse", "databases": []any{}, "users": []any{
		aiventest.Object{"username": "avnadmin", "type": "primary", "password": canary + "admin"},
	}})
	databases, users := []any{aiventest.Object{"name": "default", "required": true, "state": "ok"}}, []any{}
	for _, name := range c.databases {
		databases = append(databases, aiventest.Object{"name": name, "required": false, "state": "ok"})
	}
	for _, name := range append([]string{"avnadmin"}, c.users...) {
		users = append(users, aiventest.Object{"name": name, "uuid": "id-of-" + name, "required": name == "avnadmin", "roles": []any{}, "privileges": []any{}})
	}
	a.On("GET service/my-ch/clickhouse/db", aiventest.OK(aiventest.Object{"databases": databases}))
	a.On("GET service/my-ch/clickhouse/user", aiventest.OK(aiventest.Object{"users": users}))
	var roles [][]any
	for _, name := range c.roles {
		roles = append(roles, []any{name})
	}
	selects(a, "roles", "name", roles)
	selects(a, "grants", "user_name, role_name, access_type, database, table, column, is_partial_revoke, grant_option", c.grants)
	selects(a, "role_grants", "user_name, role_name, granted_role_name, with_admin_option", c.memberships)
	selects(a, "privileges", "privilege, aliases, level, parent_group", [][]any{
		{"ALL", []any{}, nil, nil}, {"SELECT", []any{}, "COLUMN", "ALL"}, {"INSERT", []any{}, "COLUMN", "ALL"},
		{"ALTER", []any{}, nil, "ALL"}, {"ALTER DELETE", []any{"DELETE"}, "COLUMN", "ALTER"},
	})
}
