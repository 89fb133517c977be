package grants

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// someTree is a part of what ClickHouse has: indented below their group, with the level behind a colon and an alias behind a
// bar.
func someTree() *Tree {
	const text = `ALL
 SHOW TABLES:TABLE
 SELECT:COLUMN
 INSERT:COLUMN
 ALTER
  ALTER UPDATE:COLUMN|UPDATE
  ALTER DELETE:COLUMN|DELETE
  ALTER DATABASE SETTINGS:DATABASE
 CREATE
  CREATE DATABASE:DATABASE
  CREATE TABLE:TABLE
 CREATE USER:USER_NAME
 dictGet:DICTIONARY`
	var rows []PrivilegeRow
	var path []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		name := strings.TrimLeft(line, " ")
		depth := len(line) - len(name)
		row := PrivilegeRow{}
		if before, alias, there := strings.Cut(name, "|"); there {
			name, row.Aliases = before, []string{alias}
		}
		if before, level, there := strings.Cut(name, ":"); there {
			name, row.Level = before, &level
		}
		if depth > 0 {
			row.Group = &path[depth-1]
		}
		row.Privilege = name
		path = append(path[:depth:depth], name)
		rows = append(rows, row)
	}
	return NewTree(rows)
}

var (
	app  = Grantee{Name: "app"}
	team = Grantee{Role: true, Name: "team"}
)

// scopeOf reads db.table(column), with * for all.
func scopeOf(text string) Scope {
	rest, column, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	database, table, _ := strings.Cut(rest, ".")
	return Scope{strings.TrimSuffix(database, "*"), strings.TrimSuffix(table, "*"), column}
}

// set reads privileges of app such as "SELECT ON db.t", with a + for the option, and roles such as "team".
func set(texts ...string) Set {
	s := NewSet()
	for _, text := range texts {
		plain := strings.TrimSuffix(text, "+")
		option := plain != text
		if access, on, privilege := strings.Cut(plain, " ON "); privilege {
			s.Privileges[Privilege{app, access, scopeOf(on), option}] = "spec"
		} else {
			s.Memberships[Membership{app, plain, option}] = "spec"
		}
	}
	return s
}

// rowsOf reads rows such as "SELECT ON db.t", with a + for the option and a - before a partial revoke.
func rowsOf(texts ...string) []Row {
	var rows []Row
	for _, text := range texts {
		plain := strings.TrimPrefix(text, "-")
		access, on, _ := strings.Cut(strings.TrimSuffix(plain, "+"), " ON ")
		rows = append(rows, Row{access, scopeOf(on), plain != text, strings.HasSuffix(text, "+")})
	}
	return rows
}

func planned(f Found, w Wishes) []string {
	var statements []string
	for _, s := range Statements(Plan(f, w)) {
		statements = append(statements, s.String())
	}
	return statements
}

type plannedCase struct {
	rows                    []string
	roles                   map[string]bool
	wanted, granted, others Set
	want                    []string
}

func (tc plannedCase) run(t *testing.T) {
	f := Found{Tree: someTree(), Rows: map[Grantee][]Row{app: rowsOf(tc.rows...)}, Roles: map[Grantee]map[string]bool{app: tc.roles}}
	assert.Equal(t, tc.want, planned(f, Wishes{Wanted: tc.wanted, Granted: tc.granted, Others: tc.others}))
}

func TestWhatIsMissingIsGranted(t *testing.T) {
	for name, tc := range map[string]plannedCase{
		"nothing is wanted":            {},
		"nothing is there":             {wanted: set("SELECT ON db.*"), want: []string{"GRANT SELECT ON db.* TO app"}},
		"it is there":                  {rows: []string{"SELECT ON db.*"}, wanted: set("SELECT ON db.*")},
		"a wider scope covers it":      {rows: []string{"SELECT ON *.*"}, wanted: set("SELECT ON db.t")},
		"a table covers its columns":   {rows: []string{"SELECT ON db.t"}, wanted: set("SELECT ON db.t(a)")},
		"a narrower one doesn't":       {rows: []string{"SELECT ON db.t"}, wanted: set("SELECT ON db.*"), want: []string{"GRANT SELECT ON db.* TO app"}},
		"another database doesn't":     {rows: []string{"SELECT ON other.*"}, wanted: set("SELECT ON db.*"), want: []string{"GRANT SELECT ON db.* TO app"}},
		"a group covers it":            {rows: []string{"ALTER ON db.*"}, wanted: set("ALTER DELETE ON db.t")},
		"all cover it":                 {rows: []string{"ALL ON *.*"}, wanted: set("ALTER ON db.*", "SELECT ON db.t(a)")},
		"all parts of a group are it":  {rows: []string{"ALTER UPDATE ON db.*", "ALTER DELETE ON db.*", "ALTER DATABASE SETTINGS ON db.*"}, wanted: set("ALTER ON db.*")},
		"some parts aren't":            {rows: []string{"ALTER UPDATE ON db.*"}, wanted: set("ALTER ON db.*"), want: []string{"GRANT ALTER ON db.* TO app"}},
		"on a table, a group is less":  {rows: []string{"ALTER UPDATE ON db.t", "ALTER DELETE ON db.t"}, wanted: set("ALTER ON db.t")},
		"an alias is the privilege":    {rows: []string{"ALTER DELETE ON db.*"}, wanted: set("DELETE ON db.*")},
		"letters are large or small":   {rows: []string{"dictGet ON db.*"}, wanted: set("DICTGET ON db.*")},
		"a partial revoke cuts it":     {rows: []string{"SELECT ON db.*", "-SELECT ON db.t"}, wanted: set("SELECT ON db.*"), want: []string{"GRANT SELECT ON db.* TO app"}},
		"a partial revoke around it":   {rows: []string{"SELECT ON *.*", "-SELECT ON db.*"}, wanted: set("SELECT ON db.t"), want: []string{"GRANT SELECT ON db.t TO app"}},
		"a partial revoke beside it":   {rows: []string{"SELECT ON db.*", "-SELECT ON db.t"}, wanted: set("SELECT ON db.other")},
		"a partial revoke of another":  {rows: []string{"ALL ON db.*", "-INSERT ON db.t"}, wanted: set("SELECT ON db.*")},
		"granted again in a hole":      {rows: []string{"SELECT ON *.*", "-SELECT ON db.*", "SELECT ON db.t"}, wanted: set("SELECT ON db.t(a)")},
		"the option is missing":        {rows: []string{"SELECT ON db.*"}, wanted: set("SELECT ON db.*+"), want: []string{"GRANT SELECT ON db.* TO app WITH GRANT OPTION"}},
		"the option was revoked":       {rows: []string{"SELECT ON *.*+", "-SELECT ON db.*+"}, wanted: set("SELECT ON db.*+"), want: []string{"GRANT SELECT ON db.* TO app WITH GRANT OPTION"}},
		"more than what is wanted":     {rows: []string{"SELECT ON db.*+"}, wanted: set("SELECT ON db.*")},
		"what can't be on a scope":     {wanted: set("CREATE USER ON db.*"), want: []string{"GRANT CREATE USER ON db.* TO app"}},
		"several in one statement":     {wanted: set("SELECT ON db.*", "INSERT ON db.*"), want: []string{"GRANT INSERT, SELECT ON db.* TO app"}},
		"columns in one statement":     {wanted: set("SELECT ON db.t(a)", "SELECT ON db.t(b)", "INSERT ON db.t(a)"), want: []string{"GRANT INSERT(a), SELECT(a, b) ON db.t TO app"}},
		"one statement for each scope": {wanted: set("SELECT ON *.*", "INSERT ON db.t"), want: []string{"GRANT SELECT ON *.* TO app", "GRANT INSERT ON db.t TO app"}},
		"a role":                       {wanted: set("team"), want: []string{"GRANT team TO app"}},
		"a role that is there":         {roles: map[string]bool{"team": false}, wanted: set("team")},
		"a role with the option":       {roles: map[string]bool{"team": false}, wanted: set("team+"), want: []string{"GRANT team TO app WITH ADMIN OPTION"}},
		"a role with more":             {roles: map[string]bool{"team": true}, wanted: set("team")},
	} {
		t.Run(name, tc.run)
	}
}

func TestOnlyWhatWasGrantedForTheObjectAndNoObjectWantsIsRevoked(t *testing.T) {
	for name, tc := range map[string]plannedCase{
		"no longer wanted":               {rows: []string{"SELECT ON db.*"}, granted: set("SELECT ON db.*"), want: []string{"REVOKE SELECT ON db.* FROM app"}},
		"never granted":                  {rows: []string{"SELECT ON db.*", "INSERT ON db.t"}, granted: set("INSERT ON db.t"), want: []string{"REVOKE INSERT ON db.t FROM app"}},
		"gone already":                   {granted: set("SELECT ON db.*")},
		"still wanted":                   {rows: []string{"SELECT ON db.*"}, wanted: set("SELECT ON db.*"), granted: set("SELECT ON db.*")},
		"wanted under another name":      {rows: []string{"ALTER DELETE ON db.*"}, wanted: set("DELETE ON db.*"), granted: set("ALTER DELETE ON db.*")},
		"wanted by another object":       {rows: []string{"SELECT ON db.*"}, granted: set("SELECT ON db.*"), others: set("SELECT ON db.*")},
		"wanted as a part of a group":    {rows: []string{"ALTER ON db.*"}, wanted: set("ALTER UPDATE ON db.*"), granted: set("ALTER ON db.*"), want: []string{"REVOKE ALTER DELETE, ALTER DATABASE SETTINGS ON db.* FROM app"}},
		"a part of what is wanted":       {rows: []string{"ALTER ON db.*"}, wanted: set("ALTER ON db.*"), granted: set("ALTER UPDATE ON db.*")},
		"a wider grant is wanted":        {rows: []string{"SELECT ON db.*"}, wanted: set("SELECT ON db.*"), granted: set("SELECT ON db.*", "SELECT ON db.t")},
		"a wider grant comes first":      {rows: []string{"SELECT ON db.t"}, wanted: set("SELECT ON db.*"), granted: set("SELECT ON db.t"), want: []string{"GRANT SELECT ON db.* TO app"}},
		"a wider grant is another's":     {rows: []string{"SELECT ON *.*"}, granted: set("SELECT ON db.t")},
		"a group of another's":           {rows: []string{"ALTER ON *.*", "SELECT ON db.*"}, granted: set("ALTER UPDATE ON db.*", "SELECT ON db.*"), want: []string{"REVOKE SELECT ON db.* FROM app"}},
		"a narrower one stays":           {rows: []string{"SELECT ON db.*"}, wanted: set("SELECT ON db.t"), granted: set("SELECT ON db.*", "SELECT ON db.t"), want: []string{"REVOKE SELECT ON db.* FROM app", "GRANT SELECT ON db.t TO app"}},
		"a narrower one of another":      {rows: []string{"SELECT ON db.*"}, granted: set("SELECT ON db.*"), others: set("SELECT ON db.t"), want: []string{"REVOKE SELECT ON db.* FROM app", "GRANT SELECT ON db.t TO app"}},
		"a narrower one with the option": {rows: []string{"SELECT ON db.*", "SELECT ON db.t+"}, granted: set("SELECT ON db.*"), want: []string{"REVOKE SELECT ON db.* FROM app", "GRANT SELECT ON db.t TO app WITH GRANT OPTION"}},
		"a narrower one of its own":      {rows: []string{"SELECT ON db.*", "SELECT ON db.t+"}, granted: set("SELECT ON db.*", "SELECT ON db.t+"), want: []string{"REVOKE SELECT ON db.* FROM app", "REVOKE GRANT OPTION FOR SELECT ON db.t FROM app"}},
		"behind a hole":                  {rows: []string{"SELECT ON *.*", "-SELECT ON db.*", "SELECT ON db.t"}, granted: set("SELECT ON *.*"), want: []string{"REVOKE SELECT ON *.* FROM app", "GRANT SELECT ON db.t TO app"}},
		"the option alone":               {rows: []string{"SELECT ON db.*+"}, wanted: set("SELECT ON db.*"), granted: set("SELECT ON db.*+"), want: []string{"REVOKE GRANT OPTION FOR SELECT ON db.* FROM app"}},
		"the option that another wants":  {rows: []string{"SELECT ON db.*+"}, wanted: set("SELECT ON db.*"), granted: set("SELECT ON db.*+"), others: set("SELECT ON db.*+")},
		"the option of another":          {rows: []string{"SELECT ON db.*+"}, wanted: set("SELECT ON db.*"), granted: set("SELECT ON db.*")},
		"the option below a wider grant": {rows: []string{"SELECT ON *.*", "SELECT ON db.*+"}, granted: set("SELECT ON db.*+"), want: []string{"REVOKE GRANT OPTION FOR SELECT ON db.* FROM app"}},
		"columns":                        {rows: []string{"SELECT ON db.t(a)", "SELECT ON db.t(b)"}, wanted: set("SELECT ON db.t(b)"), granted: set("SELECT ON db.t(a)", "SELECT ON db.t(b)"), want: []string{"REVOKE SELECT(a) ON db.t FROM app"}},
		"a group in one word":            {rows: []string{"ALTER ON db.*"}, granted: set("ALTER UPDATE ON db.*", "ALTER DELETE ON db.*", "ALTER DATABASE SETTINGS ON db.*"), want: []string{"REVOKE ALTER ON db.* FROM app"}},
		"no more than what is there":     {rows: []string{"ALTER DELETE ON db.*"}, granted: set("ALTER ON db.*"), want: []string{"REVOKE ALTER DELETE ON db.* FROM app"}},
		"a role":                         {roles: map[string]bool{"team": false, "other": false}, granted: set("team"), want: []string{"REVOKE team FROM app"}},
		"a role that is gone":            {granted: set("team")},
		"a role that another wants":      {roles: map[string]bool{"team": false}, granted: set("team"), others: set("team")},
		"the option of a role":           {roles: map[string]bool{"team": true}, wanted: set("team"), granted: set("team+"), want: []string{"REVOKE ADMIN OPTION FOR team FROM app"}},
		"the option that is another's":   {roles: map[string]bool{"team": true}, wanted: set("team"), granted: set("team")},
		"the role that another wants":    {roles: map[string]bool{"team": true}, granted: set("team+"), others: set("team"), want: []string{"REVOKE ADMIN OPTION FOR team FROM app"}},
	} {
		t.Run(name, tc.run)
	}
}

func TestOneStatementServesSeveralUsersAndRoles(t *testing.T) {
	s := NewSet()
	for _, to := range []Grantee{app, team} {
		s.Privileges[Privilege{to, "SELECT", Scope{Database: "db"}, false}] = "spec.privilegeGrants[0]"
	}
	s.Privileges[Privilege{app, "INSERT", Scope{Database: "other"}, false}] = "spec.privilegeGrants[1]"
	statements := Statements(Plan(Found{Tree: someTree()}, Wishes{Wanted: s}))
	require.Len(t, statements, 2)
	assert.Equal(t, []Grantee{team, app}, statements[0].To)
	assert.Equal(t, "GRANT SELECT ON [db].* TO [team], [app]", statements[0].SQL(func(name string) string { return "[" + name + "]" }))
	assert.Equal(t, "spec.privilegeGrants[1]", statements[1].Path)
}

func TestAnUnknownOrCircularTreeIsHarmless(t *testing.T) {
	a, b, level := "A", "B", "TABLE"
	tree := NewTree([]PrivilegeRow{
		{Privilege: a, Group: &b}, {Privilege: b, Group: &a}, {Privilege: "C", Level: &level, Group: &level}, {Privilege: "D; DROP", Level: &level},
	})
	assert.True(t, tree.Knows("c"))
	assert.False(t, tree.Knows("D; DROP"), "names are parts of statements")
	assert.False(t, tree.Knows("E"))
	assert.Empty(t, tree.leaves("A", Scope{}))
	assert.Len(t, tree.leaves("C", Scope{}), 1)
}
