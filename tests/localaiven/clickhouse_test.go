package localaiven_test

import (
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/clickhouse"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

func TestHowToConnectToClickHouse(t *testing.T) {
	h := house{start(t, localaiven.Options{ProvisionTime: provision}), t}
	h.createClickHouse()
	assert.EqualValues(t, "REBUILDING", h.getClickHouse().State)
	h.clock.Advance(provision)
	got := h.getClickHouse()
	assert.EqualValues(t, "RUNNING", got.State)
	assert.Equal(t, "25.8", got.UserConfig["clickhouse_version"])
	assert.Equal(t, []string{"default"}, got.Databases)
	require.Len(t, got.Users, 1)
	require.Len(t, got.Components, 3)
	names, ports := []string{}, map[int]bool{}
	for _, c := range got.Components {
		names, ports[c.Port] = append(names, c.Component), true
	}
	assert.Equal(t, []string{"clickhouse", "clickhouse_https", "clickhouse_mysql"}, names)
	assert.Len(t, ports, 3, "each has a port of its own")

	native := got.Components[0]
	password := got.Users[0].Password
	assert.Equal(t, map[string]string{
		"host": native.Host, "port": strconv.Itoa(native.Port), "user": "avnadmin", "password": password, "dbname": "default",
	}, got.ServiceUriParams)
	uri, err := url.Parse(got.ServiceUri)
	require.NoError(t, err)
	assert.Equal(t, native.Host+":"+strconv.Itoa(native.Port), uri.Host)
	given, _ := uri.User.Password()
	assert.Equal(t, password, given)
	assert.Equal(t, []string{got.ServiceUri}, got.ConnectionInfo.Clickhouse)

	closed, err := h.client.ServiceGet(t.Context(), proj, clickHouseName)
	require.NoError(t, err)
	assert.NotContains(t, closed.ServiceUri, password)
	assert.Equal(t, "<redacted>", closed.ServiceUriParams["password"])
}

func TestClickHouseDatabases(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	h.database("shop")
	list, err := h.client.ServiceClickHouseDatabaseList(t.Context(), proj, clickHouseName)
	require.NoError(t, err)
	assert.Equal(t, []clickhouse.DatabaseOut{
		{Engine: "Replicated", Name: "default", Required: true, State: "ok"}, {Engine: "Replicated", Name: "shop", State: "ok"},
	}, list)
	assert.Equal(t, []string{"default", "shop"}, h.getClickHouse().Databases)
	assert.Equal(t, [][]any{{"shop"}}, h.data("SELECT name FROM system.databases WHERE name = 'shop'"))
	require.NoError(t, h.client.ServiceClickHouseDatabaseDelete(t.Context(), proj, clickHouseName, "shop"))
	assert.Equal(t, []string{"default"}, h.getClickHouse().Databases)
	assert.True(t, aiven.IsNotFound(h.client.ServiceClickHouseDatabaseDelete(t.Context(), proj, clickHouseName, "shop")))
}

func TestClickHouseUsers(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	ctx := t.Context()
	h.data("CREATE ROLE writer")
	role := h.data("SELECT id FROM system.roles")[0][0].(string)
	made, err := h.client.ServiceClickHouseUserCreate(ctx, proj, clickHouseName, &clickhouse.ServiceClickHouseUserCreateIn{
		Name: "bob", Password: ptr("long enough"), Roles: &[]clickhouse.RoleIn{{Uuid: role}},
	})
	require.NoError(t, err)
	assert.Len(t, made.Uuid, 36)
	assert.Equal(t, "long enough", *made.Password)
	assert.Equal(t, []clickhouse.RoleOut{{IsDefault: true, Name: "writer", Uuid: role}}, made.Roles)
	h.data("GRANT SELECT(id) ON shop.orders TO bob WITH GRANT OPTION")

	users := h.users()
	bob, admin := users["bob"], users["avnadmin"]
	assert.Len(t, users, 2)
	assert.Nil(t, bob.Password, "only its creation returns it")
	assert.Equal(t, made.Uuid, bob.Uuid)
	assert.Equal(t, []clickhouse.PrivilegeOut{{AccessType: "SELECT", Database: "shop", Table: "orders", Column: "id", GrantOption: true}}, bob.Privileges)
	assert.Equal(t, []bool{false, true}, []bool{bob.Required, admin.Required})
	assert.Len(t, h.getClickHouse().Users, 1, "it isn't one of the service's users")

	reset := func(id string, to *string) string {
		password, err := h.client.ServiceClickHousePasswordReset(ctx, proj, clickHouseName, id, &clickhouse.ServiceClickHousePasswordResetIn{Password: to})
		require.NoError(t, err)
		return password
	}
	assert.Equal(t, "another one", reset(bob.Uuid, ptr("another one")))
	assert.NotEqual(t, reset(bob.Uuid, nil), reset(bob.Uuid, nil), "without one there is a new one")
	assert.Equal(t, reset(admin.Uuid, nil), h.getClickHouse().Users[0].Password, "the first user is one of the service's, too")

	require.NoError(t, h.client.ServiceClickHouseUserDelete(ctx, proj, clickHouseName, bob.Uuid))
	assert.Len(t, h.users(), 1)
	again, _ := h.user("bob")
	assert.NotEqual(t, bob.Uuid, again)
	assert.Empty(t, h.users()["bob"].Privileges)
}

func TestClickHouseQueries(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	out, err := h.query("SELECT 1, currentUser() AS me")
	require.NoError(t, err)
	assert.Equal(t, [][]any{{1.0, "avnadmin"}}, out.Data)
	assert.Equal(t, []clickhouse.MetaOut{{Name: "1", Type: "UInt8"}, {Name: "me", Type: "String"}}, out.Meta)
	assert.Equal(t, 1, *out.Summary.ResultRows)
	out, err = h.query("CREATE ROLE IF NOT EXISTS `my-role`")
	require.NoError(t, err)
	assert.Empty(t, out.Data)
	assert.NotNil(t, out.Data)
	assert.Equal(t, [][]any{{"CREATE ROLE `my-role`"}}, h.data("SHOW CREATE ROLE `my-role`"))
	h.user("bob")
	h.data("GRANT SELECT ON `default`.* TO bob")
	h.data("GRANT `my-role` TO `bob`")
	assert.Equal(t, [][]any{{"bob", nil, "SELECT", "default", nil, nil, 0.0, 0.0}}, h.data("SELECT * FROM system.grants WHERE user_name = 'bob'"))

	h.data("DROP ROLE IF EXISTS `my-role`")
	_, err = h.query("SHOW CREATE ROLE `my-role`")
	var refused aiven.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, 400, refused.Status)
	assert.Contains(t, refused.Message, "Code: 511")
}

func TestWhatOfClickHouseCanLeak(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	h.database("shop")
	id, _ := h.user("bob")
	h.data("CREATE ROLE writer")
	h.data("GRANT SELECT ON shop.* TO writer")
	const at = proj + "/" + clickHouseName
	assert.Equal(t, []localaiven.Resource{
		{Type: "service", ID: at},
		{Type: "user", ID: at + "/avnadmin", Builtin: true},
		{Type: "clickhouse_database", ID: at + "/default", Builtin: true},
		{Type: "clickhouse_database", ID: at + "/shop"},
		{Type: "clickhouse_user", ID: at + "/avnadmin#" + h.users()["avnadmin"].Uuid, Builtin: true},
		{Type: "clickhouse_user", ID: at + "/bob#" + id},
		{Type: "clickhouse_role", ID: at + "/writer"},
		{Type: "clickhouse_grant", ID: at + "/user/avnadmin", Builtin: true},
		{Type: "clickhouse_grant", ID: at + "/role/writer"},
	}, h.Resources())
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, clickHouseName))
	assert.Empty(t, h.Resources())
}

func TestRefusedCallsOfClickHouse(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	h.create(t, service.ServiceCreateIn{})
	h.clock.Advance(provision)
	h.database("shop")
	h.user("bob")
	admin := h.users()["avnadmin"].Uuid
	bob := h.users()["bob"].Uuid
	elsewhere := strings.Replace(clickHousePath, clickHouseName, "nope", 1)
	for name, c := range map[string]badCall{
		"a plan of another type":         {post, servicesPath, `{"service_name":"other","service_type":"clickhouse","plan":"hobbyist"}`, 400, "hobbyist"},
		"an unknown version":             {post, servicesPath, `{"service_name":"other","service_type":"clickhouse","plan":"startup-16","user_config":{"clickhouse_version":"1"}}`, 400, "clickhouse_version"},
		"a database that exists":         {post, clickHousePath + "/db", `{"database":"shop"}`, 409, "already exists"},
		"a database of ClickHouse":       {post, clickHousePath + "/db", `{"database":"system"}`, 409, "already exists"},
		"a database with a bad name":     {post, clickHousePath + "/db", `{"database":"a b"}`, 400, "'a b'"},
		"a database without a name":      {post, clickHousePath + "/db", `{}`, 400, "Invalid database"},
		"an unknown key of a database":   {post, clickHousePath + "/db", `{"database":"x","engine":"y"}`, 400, "engine"},
		"deleting no database":           {del, clickHousePath + "/db/nope", "", 404, "Database does not exist"},
		"deleting the default database":  {del, clickHousePath + "/db/default", "", 403, "default"},
		"a user that exists":             {post, clickHousePath + "/user", `{"name":"bob"}`, 409, "already exists"},
		"the first user again":           {post, clickHousePath + "/user", `{"name":"avnadmin"}`, 409, "already exists"},
		"a user with a bad name":         {post, clickHousePath + "/user", `{"name":"-b"}`, 400, "'-b'"},
		"a user with a short password":   {post, clickHousePath + "/user", `{"name":"eve","password":"x"}`, 400, "password"},
		"a user with an unknown role":    {post, clickHousePath + "/user", `{"name":"eve","roles":[{"uuid":"nope"}]}`, 400, "nope"},
		"an unknown key of a user":       {post, clickHousePath + "/user", `{"name":"eve","username":"y"}`, 400, "username"},
		"deleting no user":               {del, clickHousePath + "/user/nope", "", 404, "User does not exist"},
		"deleting a user by its name":    {del, clickHousePath + "/user/bob", "", 404, "User does not exist"},
		"deleting the first user":        {del, clickHousePath + "/user/" + admin, "", 403, "main service user"},
		"a reset for no user":            {put, clickHousePath + "/user/nope/password", `{"password":null}`, 404, "User does not exist"},
		"a reset to a short password":    {put, clickHousePath + "/user/" + bob + "/password", `{"password":"x"}`, 400, "password"},
		"a service user":                 {post, strings.TrimSuffix(clickHousePath, "/clickhouse") + "/user", `{"username":"eve"}`, 400, "clickhouse"},
		"a query without a database":     {post, clickHousePath + "/query", `{"query":"SELECT 1"}`, 400, "database is required"},
		"a query without a query":        {post, clickHousePath + "/query", `{"database":"default"}`, 400, "query is required"},
		"a query in an unknown database": {post, clickHousePath + "/query", `{"database":"nope","query":"SELECT 1"}`, 400, "Code: 81"},
		"a query that is no SQL":         {post, clickHousePath + "/query", `{"database":"default","query":"HELLO"}`, 400, "Code: 62"},
		"a query that isn't simulated":   {post, clickHousePath + "/query", `{"database":"default","query":"OPTIMIZE TABLE x"}`, 501, "Code: 48"},
		"a grant to an unknown user":     {post, clickHousePath + "/query", `{"database":"default","query":"GRANT SELECT ON a.b TO eve"}`, 400, "Code: 511"},
		"a call about a PostgreSQL":      {get, servicePath + "/clickhouse/db", "", 400, "'pg'"},
		"the database of a PostgreSQL":   {get, strings.TrimSuffix(clickHousePath, "/clickhouse") + "/db", "", 400, "'clickhouse'"},
		"databases of no service":        {get, elsewhere + "/db", "", 404, "Service nope does not exist"},
		"users of no service":            {get, elsewhere + "/user", "", 404, "Service nope does not exist"},
		"a query for no service":         {post, elsewhere + "/query", `{"database":"default","query":"SELECT 1"}`, 404, "Service nope does not exist"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h.harness, "x", c) })
	}
	before := len(h.Resources())
	require.NoError(t, h.Patch(proj, clickHouseName, map[string]any{"state": "POWEROFF"}))
	assertRefused(t, h.harness, "x", badCall{post, clickHousePath + "/db", `{"database":"x"}`, 409, "powered off"})
	assertRefused(t, h.harness, "x", badCall{post, clickHousePath + "/user", `{"name":"x"}`, 409, "powered off"})
	assertRefused(t, h.harness, "x", badCall{post, clickHousePath + "/query", `{"database":"default","query":"CREATE ROLE x"}`, 409, "powered off"})
	assert.Len(t, h.Resources(), before, "nothing of it happened")
}

func TestTheJournalHasNoPasswordsOfClickHouse(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	_, password := h.user("bob")
	for _, query := range []string{"CREATE USER x IDENTIFIED BY 'my-''secret'", "ALTER USER bob IDENTIFIED WITH plaintext_password BY 'my-secret\\'x'"} {
		_, err := h.query(query)
		require.Error(t, err)
	}
	entries := h.Journal(0)
	var bodies strings.Builder
	for _, e := range entries {
		bodies.Write(e.Body)
	}
	assert.Contains(t, bodies.String(), "CREATE USER x IDENTIFIED BY")
	assert.NotContains(t, bodies.String(), "secret")
	assert.NotContains(t, bodies.String(), password)
}

func TestAnswersOfClickHouseHaveTheShapeOfThePublicClient(t *testing.T) {
	h := runningClickHouse(t, localaiven.Options{})
	h.data("CREATE ROLE writer")
	role := h.data("SELECT id FROM system.roles")[0][0].(string)
	id, _ := h.user("bob")
	h.data("GRANT writer TO bob")
	of := strings.TrimSuffix(clickHousePath, "/clickhouse")
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceGet":                    {get, of, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceCreate":                 {post, servicesPath, `{"service_name":"c","service_type":"clickhouse","plan":"business-16"}`, struct{ Service service.ServiceCreateOut }{}},
		"ServiceClickHouseDatabaseList": {get, clickHousePath + "/db", "", struct{ Databases []clickhouse.DatabaseOut }{}},
		"ServiceClickHouseUserList":     {get, clickHousePath + "/user", "", struct{ Users []clickhouse.UserOut }{}},
		"ServiceClickHouseUserCreate": {post, clickHousePath + "/user", `{"name":"eve","roles":[{"uuid":"` + role + `"}]}`, struct {
			User clickhouse.ServiceClickHouseUserCreateOut
		}{}},
		"ServiceClickHousePasswordReset": {put, clickHousePath + "/user/" + id + "/password", `{"password":null}`, struct{ Password string }{}},
		"ServiceClickHouseQuery":         {post, clickHousePath + "/query", `{"database":"default","query":"SELECT * FROM system.users"}`, clickhouse.ServiceClickHouseQueryOut{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}

// houseMemory is an engine of ClickHouse whose users are a map.
type houseMemory struct{ *memory }

func (houseMemory) Type() string { return "clickhouse" }

func TestUsersOfClickHouseAreThoseOfItsEngine(t *testing.T) {
	m := &memory{}
	h := house{start(t, localaiven.Options{Engines: []engine.Engine{houseMemory{m}}}), t}
	h.createClickHouse()
	eventually(t, func() bool { return h.getClickHouse().State == "RUNNING" })
	password := func(name string) any { return m.read(func(i *instance) any { return i.users[name] }) }
	id, made := h.user("bob")
	assert.Equal(t, made, password("bob"))
	reset, err := h.client.ServiceClickHousePasswordReset(t.Context(), proj, clickHouseName, id, &clickhouse.ServiceClickHousePasswordResetIn{})
	require.NoError(t, err)
	assert.Equal(t, reset, password("bob"))
	assert.Equal(t, 4242, h.getClickHouse().Components[0].Port)

	m.mu.Lock()
	m.broken = errors.New("disk on fire")
	m.mu.Unlock()
	for path, c := range map[string]struct{ method, body string }{
		"/user":                     {post, `{"name":"eve"}`},
		"/user/" + id + "/password": {put, `{"password":null}`},
		"/user/" + id:               {del, ""},
	} {
		status, _ := h.send(t, c.method, clickHousePath+path, "x", c.body)
		assert.Equal(t, 500, status, path)
	}
	assert.Len(t, h.users(), 2, "what failed has changed nothing")
	m.mu.Lock()
	m.broken = nil
	m.mu.Unlock()
	require.NoError(t, h.client.ServiceClickHouseUserDelete(t.Context(), proj, clickHouseName, id))
	assert.Empty(t, password("bob"))
}
