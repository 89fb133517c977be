package clickhousesql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	sql "github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

// shop has the tables orders and salaries in the database shop, with a row each.
func shop(t *testing.T) asking {
	t.Helper()
	a := catalog(t)
	a.do("CREATE TABLE shop.orders (id UInt64, note String, paid UInt8) ENGINE = MergeTree ORDER BY id",
		"CREATE TABLE IF NOT EXISTS shop.salaries (id UInt64, euros UInt64) ENGINE = MergeTree() ORDER BY (id, euros)",
		"INSERT INTO shop.orders VALUES (1, 'an order', 1)", "INSERT INTO shop.salaries VALUES (1, 4000)")
	return a
}

func TestTables(t *testing.T) {
	a := shop(t)
	a.do("INSERT INTO TABLE shop.orders (note, id) VALUES ('another', 2), ('one more', 300)")
	assert.Equal(t, []string{"1 an order 1", "2 another 0", "300 one more 0"}, a.rows("SELECT * FROM shop.orders"))
	assert.Equal(t, []string{"one more", "another"}, a.rows("SELECT note FROM shop.orders WHERE paid = 0 ORDER BY id DESC"))
	assert.Equal(t, []string{"3"}, a.rows("SELECT count() FROM shop.orders"))
	a.session.Database = "shop"
	a.do("CREATE TABLE IF NOT EXISTS orders (other String) ORDER BY tuple()", "DROP TABLE IF EXISTS nope")
	assert.Equal(t, []string{"1 4000"}, a.rows("SELECT id, euros FROM salaries"), "in the current database")
	for query, code := range map[string]sql.Code{
		"CREATE TABLE orders (a String)":               sql.CodeTableExists,
		"CREATE TABLE nope.orders (a String)":          sql.CodeUnknownDatabase,
		"CREATE TABLE system.mine (a String)":          sql.CodeAccessDenied,
		"CREATE TABLE other (a Float64)":               sql.CodeNotImplemented,
		"CREATE TABLE other":                           sql.CodeSyntaxError,
		"DROP TABLE other":                             sql.CodeUnknownTable,
		"INSERT INTO other VALUES (1)":                 sql.CodeUnknownTable,
		"INSERT INTO orders (nope) VALUES (1)":         sql.CodeNoSuchColumn,
		"INSERT INTO orders (id) VALUES ('text')":      sql.CodeTypeMismatch,
		"INSERT INTO orders (id) VALUES (1), (NULL)":   sql.CodeTypeMismatch,
		"INSERT INTO orders (paid) VALUES (256)":       sql.CodeTypeMismatch,
		"INSERT INTO orders VALUES (1)":                sql.CodeSyntaxError,
		"INSERT INTO orders SELECT * FROM orders":      sql.CodeNotImplemented,
		"INSERT INTO orders (note) VALUES (version())": sql.CodeNotImplemented,
		"SELECT nope FROM orders":                      sql.CodeUnknownIdentifier,
		"SELECT * FROM other":                          sql.CodeUnknownTable,
	} {
		a.refused(query, code, "")
	}
	assert.Len(t, a.rows("SELECT * FROM orders"), 3, "what was refused changed nothing")
	a.do("DROP TABLE orders")
	a.refused("SELECT * FROM orders", sql.CodeUnknownTable, "shop.orders")
	a.session.Database = ""
	a.RemoveDatabase("shop")
	assert.True(t, a.AddDatabase("shop"))
	a.refused("SELECT * FROM shop.salaries", sql.CodeUnknownTable, "shop.salaries")
}

func TestGrantsOnTablesAreEnforced(t *testing.T) {
	const read, write = "SELECT * FROM shop.orders", "INSERT INTO shop.orders VALUES (2, 'x', 0)"
	for name, c := range map[string]struct {
		grants       []string
		may, mustNot []string
	}{
		"nothing": {nil, []string{"SELECT 1"}, []string{
			read, write, "SELECT count() FROM shop.orders", "CREATE TABLE shop.mine (a String)", "DROP TABLE shop.orders",
		}},
		"a table":    {[]string{"GRANT SELECT ON shop.orders TO bob"}, []string{read}, []string{write, "SELECT id FROM shop.salaries"}},
		"a database": {[]string{"GRANT SELECT, INSERT ON shop.* TO bob"}, []string{read, write, "SELECT * FROM shop.salaries"}, []string{"DROP TABLE shop.orders"}},
		"columns": {
			[]string{"GRANT SELECT(id, note), INSERT(id) ON shop.orders TO bob"},
			[]string{"SELECT note FROM shop.orders WHERE id > 0 ORDER BY id", "SELECT count() FROM shop.orders", "INSERT INTO shop.orders (id) VALUES (2)"},
			[]string{
				read, write, "SELECT paid FROM shop.orders", "SELECT id FROM shop.orders WHERE NOT (note LIKE 'x' OR paid IN (1))",
				"SELECT id FROM shop.orders ORDER BY paid IS NULL", "SELECT paid = 1 FROM shop.orders WHERE id = 7",
			},
		},
		"a partial revoke": {
			[]string{"GRANT SELECT ON shop.* TO bob", "REVOKE SELECT ON shop.salaries FROM bob"},
			[]string{read}, []string{"SELECT id FROM shop.salaries", "SELECT count() FROM shop.salaries"},
		},
		"a partial revoke of a column": {
			[]string{"GRANT SELECT ON shop.* TO bob", "REVOKE SELECT(paid) ON shop.orders FROM bob"},
			[]string{"SELECT id, note FROM shop.orders", "SELECT * FROM shop.salaries"}, []string{read, "SELECT paid FROM shop.orders"},
		},
		"a role": {[]string{"GRANT SELECT ON shop.orders TO writer", "GRANT writer TO bob"}, []string{read}, []string{write}},
		"a role of a role": {
			[]string{"CREATE ROLE reader", "GRANT SELECT ON shop.orders TO reader", "GRANT reader TO writer", "GRANT writer TO bob"},
			[]string{read}, []string{"SELECT id FROM shop.salaries"},
		},
		"a role that fills a hole": {
			[]string{"GRANT SELECT ON shop.* TO bob", "REVOKE SELECT ON shop.orders FROM bob", "GRANT SELECT ON shop.orders TO writer", "GRANT writer TO bob"},
			[]string{read}, nil,
		},
		"a role that was dropped": {
			[]string{"GRANT SELECT ON shop.orders TO writer", "GRANT writer TO bob", "DROP ROLE writer"}, nil, []string{read},
		},
		"to make tables": {
			[]string{"GRANT CREATE TABLE, DROP TABLE ON shop.* TO bob"},
			[]string{"CREATE TABLE shop.mine (a String)", "DROP TABLE shop.mine"}, []string{read, "CREATE TABLE default.mine (a String)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := shop(t)
			a.do(c.grants...)
			bob := a.as("bob")
			bob.do(c.may...)
			for _, query := range c.mustNot {
				bob.refused(query, sql.CodeAccessDenied, "Not enough privileges")
			}
		})
	}
}
