package localaiven_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"reflect"
	"sync"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
)

const (
	valkeyName = "my-cache"
	valkeyPath = servicesPath + "/" + valkeyName
)

// cache is an engine of Valkey, and its only instance. Its users are a map.
type cache struct {
	mu     sync.Mutex
	dir    string
	known  map[string]engine.Credential
	broken error // what every change answers
}

func (c *cache) Type() string     { return "valkey" }
func (c *cache) Available() error { return nil }

func (c *cache) Start(_ context.Context, spec engine.Spec) (engine.Instance, error) {
	c.dir, c.known = spec.DataDir, map[string]engine.Credential{spec.Admin.Username: spec.Admin}
	return c, nil
}

func (c *cache) Endpoint() engine.Endpoint    { return engine.Endpoint{Host: "127.0.0.1", Port: 9003} }
func (c *cache) Users() engine.Users          { return c }
func (c *cache) Databases() engine.Databases  { return nil }
func (c *cache) Pools() engine.Pools          { return nil }
func (c *cache) Stop(context.Context) error   { return nil }
func (c *cache) Resume(context.Context) error { return nil }
func (c *cache) Close(context.Context) error  { return os.RemoveAll(c.dir) }

func (c *cache) Set(_ context.Context, user engine.Credential) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		c.known[user.Username] = user
	}
	return c.broken
}

func (c *cache) Remove(_ context.Context, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, name)
	return c.broken
}

func (c *cache) user(name string) engine.Credential {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[name]
}

func TestValkeyShowsHowToConnect(t *testing.T) {
	t.Parallel()
	h := with(t, "valkey", valkeyName, map[string]any{})
	got := h.read(t, valkeyName, withSecrets)
	uri, err := url.Parse(got.ServiceUri)
	require.NoError(t, err)
	password, _ := uri.User.Password()
	assert.Equal(t, []string{"rediss", "avnadmin", got.Users[0].Password}, []string{uri.Scheme, uri.User.Username(), password})
	assert.Equal(t, map[string]string{
		"host": uri.Hostname(), "port": uri.Port(), "user": "avnadmin", "password": password, "ssl": "required",
	}, got.ServiceUriParams)
	assert.Equal(t, []string{got.ServiceUri}, got.ConnectionInfo.Valkey)
	require.Len(t, got.Components, 1)
	assert.Equal(t, []any{"valkey", uri.Port()}, []any{got.Components[0].Component, fmt.Sprint(got.Components[0].Port)})
	assert.Equal(t, []any{"9.0", true}, []any{got.UserConfig["valkey_version"], got.UserConfig["valkey_ssl"]})
	assert.Empty(t, got.Databases)
	_, closed := h.send(t, get, valkeyPath, "x", "")
	assert.NotContains(t, fmt.Sprint(closed), password, "without asking for secrets")
}

func TestAccessControlOfValkeyReachesTheEngine(t *testing.T) {
	t.Parallel()
	c := &cache{}
	h := with(t, "valkey", valkeyName, map[string]any{}, c)
	ctx := t.Context()
	h.runs(t, valkeyName)
	all := engine.Access{Keys: []string{"*"}, Channels: []string{"*"}, Categories: []string{"+@all"}, Commands: []string{}}
	assert.Equal(t, all, c.user("avnadmin").Access)

	shown := func() *service.AccessControlOut {
		got, err := h.client.ServiceUserGet(ctx, proj, valkeyName, "bob")
		require.NoError(t, err)
		assert.Equal(t, got.AccessControl, h.read(t, valkeyName, withSecrets).Users[1].AccessControl, "ServiceGet shows the same")
		assert.Equal(t, got.Password, c.user("bob").Password)
		return got.AccessControl
	}
	_, err := h.client.ServiceUserCreate(ctx, proj, valkeyName, &service.ServiceUserCreateIn{
		Username: "bob", AccessControl: &service.AccessControlIn{ValkeyAclKeys: &[]string{"app:*"}, ValkeyAclCommands: &[]string{"-get"}},
	})
	require.NoError(t, err)
	assert.Equal(t, &service.AccessControlOut{
		ValkeyAclKeys: []string{"app:*"}, ValkeyAclCommands: []string{"-get"}, ValkeyAclCategories: []string{"+@all"}, ValkeyAclChannels: []string{"*"},
	}, shown(), "what the request leaves out allows everything")
	want := engine.Access{Keys: []string{"app:*"}, Channels: []string{"*"}, Categories: []string{"+@all"}, Commands: []string{"-get"}}
	assert.Equal(t, want, c.user("bob").Access)

	modify := func(in service.ServiceUserCredentialsModifyIn) error {
		_, err := h.client.ServiceUserCredentialsModify(ctx, proj, valkeyName, "bob", &in)
		return err
	}
	require.NoError(t, modify(service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials", NewPassword: ptr("chosen-password")}))
	assert.Equal(t, engine.Credential{Username: "bob", Password: "chosen-password", Access: want}, c.user("bob"))
	reader := service.ServiceUserCredentialsModifyIn{Operation: "set-access-control", AccessControl: &service.AccessControlIn{
		ValkeyAclKeys: &[]string{}, ValkeyAclCategories: &[]string{"+@read"}, ValkeyAclChannels: &[]string{},
	}}
	require.NoError(t, modify(reader))
	want = engine.Access{Keys: []string{}, Channels: []string{}, Categories: []string{"+@read"}, Commands: []string{}}
	assert.Equal(t, engine.Credential{Username: "bob", Password: "chosen-password", Access: want}, c.user("bob"))
	assert.Equal(t, []string{"+@read"}, shown().ValkeyAclCategories)

	c.mu.Lock()
	c.broken = errors.New("out of memory")
	c.mu.Unlock()
	require.Error(t, modify(service.ServiceUserCredentialsModifyIn{Operation: "set-access-control", AccessControl: &service.AccessControlIn{}}))
	assert.Equal(t, []string{"+@read"}, shown().ValkeyAclCategories, "a failure changes nothing")
	c.mu.Lock()
	c.broken = nil
	c.mu.Unlock()

	require.NoError(t, h.Patch(proj, valkeyName, map[string]any{"users": []map[string]any{
		{"username": "bob", "access_control": map[string]any{"valkey_acl_keys": []string{"console:*"}}},
	}}))
	assert.Equal(t, engine.Access{Keys: []string{"console:*"}}, c.user("bob").Access)
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, valkeyName, "bob"))
	assert.Empty(t, c.user("bob"))
}

func TestAccessByDefaultFollowsTheConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config    map[string]any
		channels  []string
		databases bool
	}{
		"as usual":            {map[string]any{}, []string{"*"}, false},
		"no channels":         {map[string]any{"valkey_acl_channels_default": "resetchannels"}, []string{}, false},
		"databases in a 9.1 ": {map[string]any{"valkey_version": "9.1"}, []string{"*"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := with(t, "valkey", valkeyName, c.config)
			made, err := h.client.ServiceUserCreate(t.Context(), proj, valkeyName, &service.ServiceUserCreateIn{Username: "bob"})
			require.NoError(t, err)
			assert.Equal(t, c.channels, made.AccessControl.ValkeyAclChannels)
			assert.Equal(t, []string{"*"}, h.read(t, valkeyName, withSecrets).Users[0].AccessControl.ValkeyAclChannels)
			status, _ := h.send(t, post, valkeyPath+"/user", "x", `{"username":"eve","access_control":{"valkey_acl_databases":["0","alldbs"]}}`)
			assert.Equal(t, map[bool]int{true: 200, false: 400}[c.databases], status)
		})
	}
}

func TestRefusedInsideValkey(t *testing.T) {
	t.Parallel()
	h := with(t, "valkey", valkeyName, map[string]any{"valkey_version": "9.1"})
	user := func(access string) badCall {
		return badCall{post, valkeyPath + "/user", `{"username":"bob","access_control":` + access + `}`, 400, ""}
	}
	for name, c := range map[string]struct {
		badCall
		message string
	}{
		"an unknown category":         {user(`{"valkey_acl_categories":["+@nonsense"]}`), "valkey_acl_categories '+@nonsense'"},
		"a category without a sign":   {user(`{"valkey_acl_categories":["@all"]}`), "valkey_acl_categories"},
		"a command without a sign":    {user(`{"valkey_acl_commands":["get"]}`), "valkey_acl_commands 'get'"},
		"a key with a space":          {user(`{"valkey_acl_keys":["a b"]}`), "valkey_acl_keys"},
		"an empty channel":            {user(`{"valkey_acl_channels":[""]}`), "valkey_acl_channels"},
		"a database too many":         {user(`{"valkey_acl_databases":["128"]}`), "valkey_acl_databases '128'"},
		"rules of Redis":              {user(`{"redis_acl_keys":["*"]}`), "redis_acl_keys"},
		"a rule of another type":      {user(`{"pg_allow_replication":true}`), "pg_allow_replication"},
		"a list that isn't one":       {user(`{"valkey_acl_keys":"*"}`), "valkey_acl_keys"},
		"a bad rule in a change":      {badCall{put, valkeyPath + "/user/avnadmin", `{"operation":"set-access-control","access_control":{"valkey_acl_keys":[""]}}`, 400, ""}, "valkey_acl_keys"},
		"access control without any":  {badCall{put, valkeyPath + "/user/avnadmin", `{"operation":"set-access-control"}`, 400, ""}, "access_control"},
		"access of an unknown user":   {badCall{put, valkeyPath + "/user/nope", `{"operation":"set-access-control","access_control":{}}`, 404, ""}, "Service user does not exist"},
		"a user of the server's":      {badCall{post, valkeyPath + "/user", `{"username":"default"}`, 400, ""}, "reserved"},
		"a user that exists":          {badCall{post, valkeyPath + "/user", `{"username":"avnadmin"}`, 409, ""}, "already exists"},
		"a user of an unknown one":    {badCall{post, servicesPath + "/nope/user", `{"username":"bob"}`, 404, ""}, "Service nope does not exist"},
		"deleting the main user":      {badCall{del, valkeyPath + "/user/avnadmin", "", 403, ""}, "cannot be deleted"},
		"a way to log in":             {badCall{post, valkeyPath + "/user", `{"username":"bob","authentication":"mysql_native_password"}`, 400, ""}, "authentication"},
		"a database":                  {badCall{post, valkeyPath + "/db", `{"database":"x"}`, 400, ""}, "does not support"},
		"an older version":            {badCall{put, valkeyPath, `{"user_config":{"valkey_version":"8.1"}}`, 400, ""}, "9.1 to 8.1"},
		"an unknown plan":             {badCall{post, servicesPath, `{"service_name":"b","service_type":"valkey","plan":"huge-9"}`, 400, ""}, "huge-9"},
		"a service of the same name":  {badCall{post, servicesPath, `{"service_name":"my-cache","service_type":"valkey","plan":"startup-1"}`, 409, ""}, "already exists"},
		"a setting that isn't a type": {badCall{put, valkeyPath, `{"user_config":{"valkey_ssl":"on"}}`, 400, ""}, "valkey_ssl"},
	} {
		t.Run(name, func(t *testing.T) {
			c.badCall.message = c.message
			assertRefused(t, h, "x", c.badCall)
		})
	}
	assert.Equal(t, []localaiven.Resource{
		{Type: "service", ID: proj + "/" + valkeyName}, {Type: "user", ID: proj + "/" + valkeyName + "/avnadmin", Builtin: true},
	}, h.Resources(), "nothing changed")
}

func TestValkeyAnswersHaveTheShapeOfThePublicClient(t *testing.T) {
	t.Parallel()
	h := with(t, "valkey", valkeyName, map[string]any{"valkey_version": "9.1"})
	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceCreate":     {post, servicesPath, `{"service_name":"b","service_type":"valkey","plan":"startup-1"}`, struct{ Service service.ServiceCreateOut }{}},
		"ServiceGet":        {get, valkeyPath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceList":       {get, servicesPath, "", struct{ Services []service.ServiceOut }{}},
		"ServiceUserCreate": {post, valkeyPath + "/user", `{"username":"eve"}`, struct{ User service.ServiceUserCreateOut }{}},
		"ServiceUserGet":    {get, valkeyPath + "/user/avnadmin", "", struct{ User service.ServiceUserGetOut }{}},
		"ServiceUserCredentialsModify": {put, valkeyPath + "/user/avnadmin", `{"operation":"set-access-control","access_control":{}}`, struct {
			Service service.ServiceUserCredentialsModifyOut
		}{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}

// cache connects as an application would: with what the service publishes, and nothing else.
func (h *harness) cache(t *testing.T, at *service.ServiceGetOut, user, password string) *redis.Client {
	t.Helper()
	host := fmt.Sprint(at.ServiceUriParams["host"])
	client := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort(host, fmt.Sprint(at.ServiceUriParams["port"])), Username: user, Password: password,
		TLSConfig: h.trust(t, host), DisableIdentity: true, MaxRetries: -1, DialerRetries: 1, PoolSize: 1,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestPublishedCredentialsConnectToValkey(t *testing.T) {
	if err := valkey.New().Available(); err != nil {
		t.Skip("this machine can't run Valkey: ", err)
	}
	h := with(t, "valkey", valkeyName, map[string]any{}, valkey.New())
	ctx, got := t.Context(), h.runs(t, valkeyName)
	connect := func(user, password string) *redis.Client { return h.cache(t, got, user, password) }
	bob, err := h.client.ServiceUserCreate(ctx, proj, valkeyName, &service.ServiceUserCreateIn{
		Username: "bob", AccessControl: &service.AccessControlIn{ValkeyAclKeys: &[]string{"app:*"}, ValkeyAclCategories: &[]string{"+@all", "-@dangerous"}},
	})
	require.NoError(t, err)
	admin, app := connect("avnadmin", got.Users[0].Password), connect("bob", bob.Password)
	require.NoError(t, admin.Set(ctx, "other", "x", 0).Err())
	require.NoError(t, app.Set(ctx, "app:1", "x", 0).Err())
	require.ErrorContains(t, app.Get(ctx, "other").Err(), "NOPERM")
	require.ErrorContains(t, app.FlushAll(ctx).Err(), "NOPERM")

	modify := func(in service.ServiceUserCredentialsModifyIn) {
		_, err := h.client.ServiceUserCredentialsModify(ctx, proj, valkeyName, "bob", &in)
		require.NoError(t, err)
	}
	modify(service.ServiceUserCredentialsModifyIn{Operation: "set-access-control", AccessControl: &service.AccessControlIn{
		ValkeyAclKeys: &[]string{"other"}, ValkeyAclCategories: &[]string{"+@read"},
	}})
	assert.Equal(t, "x", app.Get(ctx, "other").Val(), "in a session that was open already")
	require.ErrorContains(t, app.Get(ctx, "app:1").Err(), "NOPERM")
	require.ErrorContains(t, app.Set(ctx, "other", "y", 0).Err(), "NOPERM")
	modify(service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials", NewPassword: ptr("chosen-password")})
	require.ErrorContains(t, connect("bob", bob.Password).Get(ctx, "other").Err(), "WRONGPASS", "the old password is worthless")
	assert.Equal(t, "x", connect("bob", "chosen-password").Get(ctx, "other").Val())
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, valkeyName, "bob"))
	require.Error(t, app.Get(ctx, "other").Err())

	require.NoError(t, h.client.ServiceDelete(ctx, proj, valkeyName))
	require.NoError(t, h.Close())
	require.Error(t, connect("avnadmin", got.Users[0].Password).Ping(ctx).Err(), "no listener any more")
}
