package clickhousesql_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sql "github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

func TestSelect(t *testing.T) {
	a := catalog(t)
	a.do("GRANT SELECT(id), INSERT ON shop.orders TO bob WITH GRANT OPTION", "GRANT SELECT ON shop.* TO writer", "GRANT writer TO bob",
		"REVOKE SELECT ON shop.secret FROM writer", "GRANT writer TO eve WITH ADMIN OPTION")
	for query, want := range map[string][]string{
		"SELECT 1":               {"1"},
		"SELECT 'it''s \\n\\'x'": {"it's \n'x"},
		"SELECT currentUser(), user(), currentDatabase() AS d":                                                    {"avnadmin avnadmin default"},
		"SELECT name FROM system.users":                                                                           {"avnadmin", "bob", "eve"},
		"SELECT name FROM system.users WHERE name != 'bob' ORDER BY name DESC":                                    {"eve", "avnadmin"},
		"SELECT name FROM system.users WHERE name NOT IN ('avnadmin', 'eve') AND NOT name = 'x'":                  {"bob"},
		"SELECT name FROM system.users WHERE (name = 'bob' OR name > 'd') AND name <= 'eve'":                      {"bob", "eve"},
		"SELECT name FROM system.users WHERE name LIKE '_v%' OR name ILIKE 'BO\\_%'":                              {"avnadmin", "eve"},
		"SELECT name FROM system.users LIMIT 1 OFFSET 1":                                                          {"bob"},
		"SELECT count() FROM system.users WHERE name = 'absent'":                                                  {"0"},
		"SELECT COUNT(*) AS n FROM system.users":                                                                  {"3"},
		"SELECT name, engine FROM system.databases -- all":                                                        {"INFORMATION_SCHEMA Memory", "default Replicated", "information_schema Memory", "shop Replicated", "system Atomic"},
		"SELECT name FROM system.roles /* the only one */":                                                        {"writer"},
		"SELECT * FROM system.grants WHERE user_name = 'bob'":                                                     {"bob <nil> INSERT shop orders <nil> 0 1", "bob <nil> SELECT shop orders id 0 1"},
		"SELECT access_type, table, is_partial_revoke FROM system.grants WHERE role_name = 'writer'":              {"SELECT <nil> 0", "SELECT secret 1"},
		"SELECT DISTINCT database FROM system.grants WHERE database IS NOT NULL":                                  {"shop"},
		"SELECT DISTINCT user_name FROM system.grants ORDER BY user_name DESC":                                    {"bob", "avnadmin", "<nil>"},
		"SELECT user_name, granted_role_name, granted_role_is_default, with_admin_option FROM system.role_grants": {"bob writer 1 0", "eve writer 1 1"},
		"SELECT 1 WHERE 1 IN [2, 1] AND 1 NOT IN ([2, 3])":                                                        {"1"},
		"SELECT dummy FROM system.one WHERE dummy IS NULL":                                                        {},
		"SELECT NULL, 1 = 2, 300, NULL = 1, 1 IN (2, 1)":                                                          {"<nil> 0 300 <nil> 1"},
	} {
		assert.Equal(t, want, a.rows(query), query)
	}
	a.session.Database = "system"
	assert.Equal(t, []string{"writer"}, a.rows("SELECT `name` FROM \"roles\""), "in the current database")
	got, err := a.Execute(a.session, "SELECT name, 1 AS one, count_ FROM users")
	assert.Empty(t, got.Rows)
	assert.Equal(t, sql.CodeUnknownIdentifier, err.Code)
	got, err = a.Execute(a.session, "SELECT id, name AS who, 1, 300, NULL FROM users")
	require.Nil(t, err)
	assert.Equal(t, []sql.Column{{"id", "UUID"}, {"who", "String"}, {"1", "UInt8"}, {"300", "UInt64"}, {"NULL", "Nullable(String)"}}, got.Columns)
}

func FuzzQueries(f *testing.F) {
	for _, seed := range []string{
		"GRANT SELECT(a, `b`), INSERT ON db.t TO x, CURRENT_USER WITH GRANT OPTION", "REVOKE ADMIN OPTION FOR r FROM \"u\"", "SHOW CREATE ROLE 'a'",
		"SELECT *, count() FROM system.grants WHERE NOT (user_name LIKE '%a_' OR x IS NOT NULL) ORDER BY 1 DESC LIMIT 2 OFFSET 1; -- x",
		"CREATE ROLE IF NOT EXISTS a", "DROP ROLE a /* x */", "SHOW GRANTS FOR bob", "CREATE TABLE t (a String, b UInt8) ENGINE = MergeTree() ORDER BY (a)", "INSERT INTO t (a) VALUES ('x'), (1)",
		"SELECT name FROM system.users WHERE name IN ('a', currentUser())",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		c := sql.NewCatalog(admin)
		c.AddUser("bob", nil)
		for _, user := range []string{admin, "bob"} {
			got, err := c.Execute(sql.Session{User: user}, query)
			if err != nil && err.Message == "" {
				t.Fatal("an error without a message")
			}
			for _, r := range got.Rows {
				if len(r) != len(got.Columns) {
					t.Fatalf("%d values for %d columns", len(r), len(got.Columns))
				}
			}
		}
		// What shows the grants of a user grants them again.
		shown, err := c.Execute(sql.Session{User: admin}, "SHOW GRANTS FOR bob")
		if err != nil {
			return
		}
		for _, r := range shown.Rows {
			if _, err := c.Execute(sql.Session{User: admin}, r[0].(string)); err != nil {
				t.Fatalf("%q: %v", r[0], err)
			}
		}
		again, err := c.Execute(sql.Session{User: admin}, "SHOW GRANTS FOR bob")
		if err != nil || fmt.Sprint(shown) != fmt.Sprint(again) {
			t.Fatalf("%v is not %v: %v", again, shown, err)
		}
	})
}
