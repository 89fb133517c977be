package clickhousesql_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	sql "github.com/aero-operator/aero/tests/localaiven/clickhousesql"
)

const admin = "avnadmin"

// asking runs queries as one user, in one database.
type asking struct {
	t *testing.T
	*sql.Catalog
	session sql.Session
}

// catalog has the users bob and eve, the role writer, and the database shop.
func catalog(t *testing.T) asking {
	t.Helper()
	c := sql.NewCatalog(admin)
	require.True(t, c.AddDatabase("shop"))
	for _, name := range []string{"bob", "eve"} {
		_, added := c.AddUser(name, nil)
		require.True(t, added)
	}
	a := asking{t, c, sql.Session{User: admin}}
	a.do("CREATE ROLE writer")
	return a
}

func (a asking) as(user string) asking { return asking{a.t, a.Catalog, sql.Session{User: user}} }

func (a asking) do(queries ...string) {
	a.t.Helper()
	for _, query := range queries {
		_, err := a.Execute(a.session, query)
		require.Nil(a.t, err, "%s: %v", query, err)
	}
}

// rows runs a query, and writes each row with blanks between its values.
func (a asking) rows(query string) []string {
	a.t.Helper()
	got, err := a.Execute(a.session, query)
	require.Nil(a.t, err, "%s: %v", query, err)
	out := []string{}
	for _, r := range got.Rows {
		require.Len(a.t, r, len(got.Columns))
		out = append(out, strings.TrimSuffix(fmt.Sprintln(r...), "\n"))
	}
	return out
}

func (a asking) refused(query string, code sql.Code, why string) {
	a.t.Helper()
	_, err := a.Execute(a.session, query)
	require.NotNil(a.t, err, query)
	assert.Equal(a.t, code, err.Code, "%s: %v", query, err)
	assert.Contains(a.t, err.Error(), fmt.Sprintf("Code: %d. DB::Exception: ", code), query)
	assert.Contains(a.t, err.Error(), why, query)
}

func TestRoles(t *testing.T) {
	a := catalog(t)
	a.do("CREATE ROLE IF NOT EXISTS writer", "create role `odd ``name``\\\\`, \"b\";")
	assert.Equal(t, []string{"b", "odd `name`\\", "writer"}, a.rows("SELECT name FROM system.roles"))
	assert.Equal(t, []string{"CREATE ROLE `odd \\`name\\`\\\\`"}, a.rows("SHOW CREATE ROLE `odd \\`name\\`\\\\`"))
	assert.Equal(t, []string{"CREATE ROLE writer", "CREATE ROLE b"}, a.rows("SHOW CREATE ROLE writer, 'b'"))
	a.refused("CREATE ROLE writer", sql.CodeAccessExists, "already exists")
	a.refused("CREATE ROLE new, new", sql.CodeAccessExists, "already exists")
	a.refused("SHOW CREATE ROLE nope", sql.CodeUnknownRole, "There is no role `nope`")
	a.refused("DROP ROLE writer, nope", sql.CodeUnknownRole, "(UNKNOWN_ROLE)")
	assert.Len(t, a.Roles(), 3, "a refusal changes nothing")

	a.do("GRANT writer TO bob, b", "GRANT SELECT ON shop.* TO writer")
	id := a.rows("SELECT id FROM system.roles WHERE name = 'writer'")
	a.do("CREATE ROLE OR REPLACE writer")
	assert.Equal(t, id, a.rows("SELECT id FROM system.roles WHERE name = 'writer'"))
	assert.Empty(t, a.rows("SHOW GRANTS FOR writer"))
	assert.Equal(t, []string{"GRANT writer TO bob"}, a.rows("SHOW GRANTS FOR bob"), "who has it keeps it")
	a.do("DROP ROLE writer ON CLUSTER main", "DROP ROLE IF EXISTS writer, b")
	assert.Empty(t, a.rows("SHOW GRANTS FOR bob"), "no user has a role that is gone")
	assert.Len(t, a.Roles(), 1)
}

func TestGrants(t *testing.T) {
	for name, c := range map[string]struct {
		queries []string // all to bob
		want    []string
	}{
		"one privilege":             {[]string{"GRANT SELECT ON shop.orders TO bob"}, []string{"GRANT SELECT ON shop.orders TO bob"}},
		"once more is as once":      {[]string{"GRANT SELECT ON shop.* TO bob", "grant select on `shop`.* to `bob`"}, []string{"GRANT SELECT ON shop.* TO bob"}},
		"several, some of columns":  {[]string{"GRANT SELECT(id, `a b`), INSERT ON shop.orders TO bob"}, []string{"GRANT INSERT, SELECT(`a b`), SELECT(id) ON shop.orders TO bob"}},
		"several objects":           {[]string{"GRANT SELECT ON shop.*, INSERT ON other.t TO bob"}, []string{"GRANT INSERT ON other.t TO bob", "GRANT SELECT ON shop.* TO bob"}},
		"the current database":      {[]string{"GRANT SELECT ON * TO bob", "GRANT INSERT ON t TO bob"}, []string{"GRANT SELECT ON default.* TO bob", "GRANT INSERT ON default.t TO bob"}},
		"everything":                {[]string{"GRANT ALL PRIVILEGES ON *.* TO bob WITH GRANT OPTION"}, []string{"GRANT ALL ON *.* TO bob WITH GRANT OPTION"}},
		"other names":               {[]string{"GRANT UPDATE, dictHas ON shop.t TO bob"}, []string{"GRANT ALTER UPDATE, dictGet ON shop.t TO bob"}},
		"groups shrink to the fit":  {[]string{"GRANT CREATE ON shop.* TO bob"}, []string{"GRANT CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE DICTIONARY ON shop.* TO bob"}},
		"parts make a group":        {[]string{"GRANT CREATE QUOTA, ALTER QUOTA ON *.* TO bob", "GRANT ALTER ADD CONSTRAINT ON *.* TO bob", "GRANT ALTER DROP CONSTRAINT ON *.* TO bob"}, []string{"GRANT ALTER CONSTRAINT, CREATE QUOTA, ALTER QUOTA ON *.* TO bob"}},
		"the wider swallows":        {[]string{"GRANT SELECT ON shop.t TO bob", "GRANT SELECT ON *.* TO bob"}, []string{"GRANT SELECT ON *.* TO bob"}},
		"the narrower adds nothing": {[]string{"GRANT SELECT ON *.* TO bob", "GRANT SELECT ON shop.t TO bob"}, []string{"GRANT SELECT ON *.* TO bob"}},
		"an option for a part":      {[]string{"GRANT SELECT ON *.* TO bob", "GRANT SELECT ON shop.* TO bob WITH GRANT OPTION"}, []string{"GRANT SELECT ON *.* TO bob", "GRANT SELECT ON shop.* TO bob WITH GRANT OPTION"}},
		"revoked":                   {[]string{"GRANT SELECT, INSERT ON shop.* TO bob", "REVOKE SELECT ON shop.* FROM bob"}, []string{"GRANT INSERT ON shop.* TO bob"}},
		"revoked from above":        {[]string{"GRANT SELECT ON shop.t TO bob WITH GRANT OPTION", "REVOKE ALL ON *.* FROM bob"}, nil},
		"revoked in part":           {[]string{"GRANT SELECT ON *.* TO bob", "REVOKE SELECT ON shop.* FROM bob"}, []string{"GRANT SELECT ON *.* TO bob", "REVOKE SELECT ON shop.* FROM bob"}},
		"granted in a revoked part": {[]string{"GRANT SELECT ON *.* TO bob", "REVOKE SELECT ON shop.* FROM bob", "GRANT SELECT ON shop.t TO bob"}, []string{"GRANT SELECT ON *.* TO bob", "REVOKE SELECT ON shop.* FROM bob", "GRANT SELECT ON shop.t TO bob"}},
		"granted over a revoke":     {[]string{"GRANT SELECT ON *.* TO bob", "REVOKE SELECT ON shop.* FROM bob", "GRANT SELECT ON *.* TO bob"}, []string{"GRANT SELECT ON *.* TO bob"}},
		"only the option revoked":   {[]string{"GRANT SELECT ON shop.* TO bob WITH GRANT OPTION", "REVOKE GRANT OPTION FOR SELECT ON shop.* FROM bob"}, []string{"GRANT SELECT ON shop.* TO bob"}},
		"the option in part":        {[]string{"GRANT SELECT ON *.* TO bob WITH GRANT OPTION", "REVOKE GRANT OPTION FOR SELECT ON shop.* FROM bob"}, []string{"GRANT SELECT ON *.* TO bob WITH GRANT OPTION", "REVOKE GRANT OPTION FOR SELECT ON shop.* FROM bob"}},
		"what wasn't granted":       {[]string{"REVOKE SELECT ON shop.* FROM bob"}, nil},
		"nothing at all":            {[]string{"GRANT NONE ON *.* TO bob"}, nil},
		"a role":                    {[]string{"GRANT writer TO bob"}, []string{"GRANT writer TO bob"}},
		"a role to hand on":         {[]string{"GRANT writer TO bob", "GRANT writer TO bob WITH ADMIN OPTION", "GRANT writer TO bob"}, []string{"GRANT writer TO bob WITH ADMIN OPTION"}},
		"not to hand on any more":   {[]string{"GRANT writer TO bob WITH ADMIN OPTION", "REVOKE ADMIN OPTION FOR writer FROM bob, eve"}, []string{"GRANT writer TO bob"}},
		"a role revoked":            {[]string{"GRANT writer TO bob", "REVOKE writer FROM bob", "REVOKE writer FROM bob"}, nil},
		"a role with a long name":   {[]string{"CREATE ROLE select", "GRANT select TO bob"}, []string{"GRANT select TO bob"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := catalog(t)
			a.do(c.queries...)
			assert.Equal(t, append([]string{}, c.want...), a.rows("SHOW GRANTS FOR bob"))
		})
	}
}

func TestRefusedQueries(t *testing.T) {
	a := catalog(t)
	for query, want := range map[string]struct {
		code sql.Code
		why  string
	}{
		"":                                  {sql.CodeSyntaxError, "end of query"},
		"HELLO":                             {sql.CodeSyntaxError, "position 1 (HELLO)"},
		"CREATE ROLE":                       {sql.CodeSyntaxError, "identifier"},
		"CREATE ROLE a b":                   {sql.CodeSyntaxError, "position 15 (b)"},
		"CREATE ROLE ``":                    {sql.CodeSyntaxError, "empty"},
		"CREATE ROLE `a":                    {sql.CodeSyntaxError, "not closed"},
		"SELECT 1 /* ":                      {sql.CodeSyntaxError, "comment"},
		"SELECT 1; SELECT 2":                {sql.CodeSyntaxError, "end of query"},
		"SELECT ?":                          {sql.CodeSyntaxError, "unrecognized token"},
		"GRANT SELEC ON shop.* TO bob":      {sql.CodeSyntaxError, "(ON)"},
		"GRANT SELECT ON TO bob":            {sql.CodeSyntaxError, "bob"},
		"GRANT SELECT ON *.t TO bob":        {sql.CodeSyntaxError, "(t)"},
		"GRANT SELECT ON shop.* bob":        {sql.CodeSyntaxError, "TO"},
		"GRANT SELECT(id) ON shop.* TO bob": {sql.CodeSyntaxError, "table"},
		"GRANT SELECT ON a.b TO":            {sql.CodeSyntaxError, "identifier"},
		"GRANT writer TO bob WITH ROSES":    {sql.CodeNotImplemented, "WITH"},
		"GRANT a TO b WITH GRANT OPTION":    {sql.CodeNotImplemented, "WITH"},
		"GRANT CURRENT GRANTS ON *.* TO b":  {sql.CodeNotImplemented, "CURRENT GRANTS"},
		"REVOKE SELECT ON *.* FROM ALL":     {sql.CodeNotImplemented, "ALL"},
		"REVOKE ADMIN OPTION FOR SELECT ON *.* FROM bob":   {sql.CodeSyntaxError, "ADMIN OPTION"},
		"REVOKE SELECT ON *.* TO bob":                      {sql.CodeSyntaxError, "FROM"},
		"GRANT SELECT ON shop.* TO nope":                   {sql.CodeUnknownRole, "`nope`"},
		"GRANT SELECT ON shop.* TO bob, nope":              {sql.CodeUnknownRole, "`nope`"},
		"GRANT nope TO bob":                                {sql.CodeUnknownRole, "`nope`"},
		"GRANT writer TO nope":                             {sql.CodeUnknownRole, "`nope`"},
		"REVOKE nope FROM bob":                             {sql.CodeUnknownRole, "`nope`"},
		"SHOW GRANTS FOR nope":                             {sql.CodeUnknownRole, "`nope`"},
		"GRANT CREATE USER ON shop.* TO bob":               {sql.CodeInvalidGrant, "database level"},
		"GRANT CREATE DATABASE ON a.b TO bob":              {sql.CodeInvalidGrant, "table level"},
		"GRANT CREATE TABLE(c) ON a.b TO bob":              {sql.CodeInvalidGrant, "column level"},
		"CREATE VIEW v AS SELECT 1":                        {sql.CodeNotImplemented, "CREATE"},
		"SELECT name FROM system.users UNION ALL SELECT 1": {sql.CodeNotImplemented, "UNION"},
		"SELECT (SELECT 1)":                                {sql.CodeNotImplemented, "SUBQUERY"},
		"SELECT sleep(1)":                                  {sql.CodeNotImplemented, "SLEEP"},
		"SELECT * FROM nope.users":                         {sql.CodeUnknownDatabase, "nope"},
		"SELECT * FROM users":                              {sql.CodeUnknownTable, "default.users"},
		"SELECT * FROM system.tables":                      {sql.CodeUnknownTable, "system.tables"},
		"SELECT nope FROM system.users":                    {sql.CodeUnknownIdentifier, "`nope`"},
		"SELECT name FROM system.grants WHERE nope = 1":    {sql.CodeUnknownIdentifier, "`nope`"},
		"SELECT name FROM system.users ORDER BY nope":      {sql.CodeUnknownIdentifier, "`nope`"},
		"SELECT *": {sql.CodeUnknownIdentifier, "no table"},
		"SELECT name FROM system.users WHERE name = 1":                   {sql.CodeNoCommonType, "supertype"},
		"SELECT name FROM system.users WHERE default_roles_all LIKE 'x'": {sql.CodeNoCommonType, "like"},
		"SELECT name, count() FROM system.users":                         {sql.CodeNotAnAggregate, "`name`"},
		"SELECT name FROM system.users WHERE count() = 1":                {sql.CodeIllegalAggregation, "count()"},
		"SELECT name FROM system.users LIMIT x":                          {sql.CodeSyntaxError, "(x)"},
		"SELECT name FROM system.users WHERE name NOT 'x'":               {sql.CodeSyntaxError, "LIKE"},
		"SELECT " + strings.Repeat("(", 2000):                            {sql.CodeTooDeep, "depth"},
	} {
		a.refused(query, want.code, want.why)
	}
	assert.Empty(t, a.rows("SHOW GRANTS FOR bob"), "nothing of it happened")
	a.as("unknown").refused("SELECT 1", sql.CodeUnknownUser, "`unknown`")
	a.session.Database = "nope"
	a.refused("SELECT 1", sql.CodeUnknownDatabase, "nope")
}

func TestAUserSeesAndDoesWhatItMay(t *testing.T) {
	a := catalog(t)
	bob := a.as("bob")
	a.do("GRANT SELECT ON shop.orders TO bob", "CREATE ROLE other")
	assert.Equal(t, []string{"INFORMATION_SCHEMA", "information_schema", "shop", "system"}, bob.rows("SELECT name FROM system.databases"))
	assert.Equal(t, []string{"GRANT SELECT ON shop.orders TO bob"}, bob.rows("SHOW GRANTS"))
	for _, query := range []string{
		"SELECT name FROM system.users", "SELECT name FROM system.roles", "SELECT * FROM system.grants", "SELECT * FROM system.role_grants",
		"SHOW GRANTS FOR eve", "SHOW CREATE ROLE writer", "CREATE ROLE mine", "CREATE ROLE OR REPLACE mine", "DROP ROLE writer",
		"GRANT SELECT ON shop.orders TO eve", "REVOKE SELECT ON shop.orders FROM bob", "GRANT writer TO bob", "REVOKE writer FROM eve",
	} {
		bob.refused(query, sql.CodeAccessDenied, "bob: Not enough privileges")
	}
	a.do("GRANT SHOW ROLES, CREATE ROLE ON *.* TO other", "GRANT other TO writer", "GRANT writer TO other", "GRANT writer TO bob")
	assert.Equal(t, []string{"other", "writer"}, bob.rows("SELECT name FROM system.roles"), "by the role of a role")
	bob.do("CREATE ROLE mine")
	bob.refused("CREATE ROLE OR REPLACE mine", sql.CodeAccessDenied, "DROP ROLE")
	a.do("GRANT SELECT ON system.grants TO bob", "GRANT SELECT ON shop.* TO bob WITH GRANT OPTION", "GRANT other TO bob WITH ADMIN OPTION")
	assert.NotEmpty(t, bob.rows("SELECT * FROM system.grants"))
	bob.do("GRANT SELECT(id) ON shop.orders TO CURRENT_USER, eve", "GRANT other TO eve", "SHOW GRANTS FOR writer")
	bob.refused("GRANT INSERT ON shop.orders TO eve", sql.CodeAccessDenied, "INSERT ON shop.orders WITH GRANT OPTION")
	a.do("REVOKE SELECT ON shop.secret FROM bob")
	bob.refused("GRANT SELECT ON shop.* TO eve", sql.CodeAccessDenied, "SELECT")
}

func TestUsersAndDatabases(t *testing.T) {
	a := catalog(t)
	role := a.Roles()[0]
	made, added := a.AddUser("dan", []string{role.ID, "unknown"})
	require.True(t, added)
	assert.Equal(t, []sql.RoleGrant{{Role: role}}, made.Roles)
	_, added = a.AddUser("dan", nil)
	assert.False(t, added)
	assert.Len(t, a.Users(), 4)
	assert.Equal(t, []sql.Privilege{{AccessType: "ALL", GrantOption: true}}, a.Users()[0].Privileges)
	a.RemoveUser(made.ID)
	a.RemoveUser(made.ID)
	a.refused("SHOW GRANTS FOR dan", sql.CodeUnknownRole, "dan")

	assert.False(t, a.AddDatabase("shop"))
	assert.False(t, a.AddDatabase("system"))
	assert.Equal(t, []string{"default", "shop"}, a.Databases())
	a.do("GRANT SELECT ON shop.* TO bob")
	a.RemoveDatabase("shop")
	assert.False(t, a.HasDatabase("shop"))
	assert.True(t, a.HasDatabase("information_schema"))
	assert.NotEmpty(t, a.rows("SHOW GRANTS FOR bob"), "what was granted on it stays granted")
}

func TestManyAtOnce(t *testing.T) {
	a := catalog(t)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			name := fmt.Sprintf("r%d", i%4)
			_, _ = a.Execute(a.session, "CREATE ROLE IF NOT EXISTS "+name)
			_, _ = a.Execute(a.session, "GRANT SELECT ON shop.* TO "+name)
			a.AddUser(name, nil)
			a.Users()
		})
	}
	all.Wait()
	assert.Len(t, a.Roles(), 5)
	assert.Len(t, a.Users(), 7)
}
