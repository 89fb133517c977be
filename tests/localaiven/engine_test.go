package localaiven_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"sync"
	"testing"

	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// memory is an engine whose databases are maps.
type memory struct {
	unavailable error
	broken      error         // what every change of an instance answers
	gate        chan struct{} // starting and resuming wait for it to close; nil doesn't wait
	failing     error         // what resuming answers

	mu      sync.Mutex
	started int
	live    map[*instance]bool
	latest  *instance
}

type instance struct {
	engine *memory
	spec   engine.Spec
	users  map[string]string
	dbs    map[string]string
	pools  map[string]engine.Pool
}

func (m *memory) Type() string     { return "pg" }
func (m *memory) Available() error { return m.unavailable }

func (m *memory) Start(ctx context.Context, spec engine.Spec) (engine.Instance, error) {
	if err := m.wait(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(spec.DataDir))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest = &instance{m, spec, map[string]string{spec.Admin.Username: spec.Admin.Password}, map[string]string{}, map[string]engine.Pool{}}
	if m.live == nil {
		m.live = map[*instance]bool{}
	}
	m.live[m.latest] = true
	return m.latest, nil
}

// wait counts a start, and waits for the gate.
func (m *memory) wait(ctx context.Context) error {
	m.mu.Lock()
	m.started++
	gate := m.gate
	m.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *memory) read(f func(*instance) any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(m.latest)
}

func (m *memory) running() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.live)
}

func (m *memory) starts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.started
}

func (i *instance) change(f func()) error {
	i.engine.mu.Lock()
	defer i.engine.mu.Unlock()
	if i.engine.broken == nil {
		f()
	}
	return i.engine.broken
}

func (i *instance) Endpoint() engine.Endpoint   { return engine.Endpoint{Host: "127.0.0.1", Port: 4242} }
func (i *instance) Users() engine.Users         { return users{i} }
func (i *instance) Databases() engine.Databases { return databases{i} }
func (i *instance) Pools() engine.Pools         { return pools{i} }

func (i *instance) Stop(context.Context) error {
	i.engine.mu.Lock()
	defer i.engine.mu.Unlock()
	delete(i.engine.live, i)
	clear(i.pools)
	return nil
}

func (i *instance) Resume(ctx context.Context) error {
	if err := i.engine.wait(ctx); err != nil {
		return err
	}
	i.engine.mu.Lock()
	defer i.engine.mu.Unlock()
	if i.engine.failing == nil {
		i.engine.live[i] = true
	}
	return i.engine.failing
}

func (i *instance) Close(context.Context) error {
	i.engine.mu.Lock()
	defer i.engine.mu.Unlock()
	delete(i.engine.live, i)
	return os.RemoveAll(i.spec.DataDir)
}

type users struct{ *instance }

func (u users) Set(_ context.Context, c engine.Credential) error {
	return u.change(func() { u.users[c.Username] = c.Password })
}

func (u users) Remove(_ context.Context, name string) error {
	return u.change(func() { delete(u.users, name) })
}

type databases struct{ *instance }

func (d databases) Set(_ context.Context, name, collate, _ string) error {
	return d.change(func() { d.dbs[name] = collate })
}

func (d databases) Remove(_ context.Context, name string) error {
	return d.change(func() { delete(d.dbs, name) })
}

type pools struct{ *instance }

func (p pools) Set(_ context.Context, wanted engine.Pool) (engine.Endpoint, error) {
	return engine.Endpoint{Host: "127.0.0.1", Port: 4300 + wanted.Size}, p.change(func() { p.pools[wanted.Name] = wanted })
}

func (p pools) Remove(_ context.Context, name string) error {
	return p.change(func() { delete(p.pools, name) })
}

func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, testTimeout, often)
}

func backed(t *testing.T, m *memory) *harness {
	t.Helper()
	h := running(t, localaiven.Options{Engines: []engine.Engine{m}})
	eventually(t, func() bool { return h.state(t) == "RUNNING" })
	return h
}

func TestWhatIsInsideAServiceIsReal(t *testing.T) {
	m := &memory{}
	h := backed(t, m)
	ctx := t.Context()
	assert.EqualValues(t, 4242, h.get(t).Components[0].Port)
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders", LcCollate: ptr("C")}))
	require.NoError(t, createUser(t, h))
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{
		PoolName: "p", Database: "orders", Username: ptr("bob"), PoolSize: ptr(5),
	}))
	got := h.get(t)
	assert.Contains(t, got.ConnectionPools[0].ConnectionUri, "127.0.0.1:4305/p")
	assert.Equal(t, map[string]string{"avnadmin": got.Users[0].Password, "bob": got.Users[1].Password},
		m.read(func(i *instance) any { return maps.Clone(i.users) }))
	assert.Equal(t, map[string]string{"defaultdb": "", "orders": "C"}, m.read(func(i *instance) any { return maps.Clone(i.dbs) }))
	pool := func() any { return m.read(func(i *instance) any { return i.pools["p"] }) }
	assert.Equal(t, engine.Pool{Name: "p", Database: "orders", Username: "bob", Password: got.Users[1].Password, Mode: "transaction", Size: 5}, pool())

	_, err := h.client.ServiceUserCredentialsModify(ctx, proj, svcName, "bob", &service.ServiceUserCredentialsModifyIn{
		Operation: "reset-credentials", NewPassword: ptr("chosen-password"),
	})
	require.NoError(t, err)
	assert.Equal(t, "chosen-password", pool().(engine.Pool).Password, "the pool logs in with the new password")
	require.NoError(t, h.Patch(proj, svcName, map[string]any{"users": []map[string]any{{"username": "bob", "password": "from-console"}}}))
	assert.Equal(t, "from-console", m.read(func(i *instance) any { return i.users["bob"] }))

	require.NoError(t, h.client.ServicePGBouncerUpdate(ctx, proj, svcName, "p", &postgresql.ServicePGBouncerUpdateIn{PoolSize: ptr(6)}))
	assert.Contains(t, h.get(t).ConnectionPools[0].ConnectionUri, "127.0.0.1:4306/p")
	require.NoError(t, h.client.ServicePGBouncerDelete(ctx, proj, svcName, "p"))
	require.NoError(t, h.client.ServiceUserDelete(ctx, proj, svcName, "bob"))
	require.NoError(t, h.client.ServiceDatabaseDelete(ctx, proj, svcName, "orders"))
	assert.Equal(t, []int{1, 1, 0}, m.read(func(i *instance) any { return []int{len(i.users), len(i.dbs), len(i.pools)} }))

	require.NoError(t, h.client.ServiceDelete(ctx, proj, svcName))
	eventually(t, func() bool { return m.running() == 0 })
}

func TestAServiceRunsOnceItsEngineIsUp(t *testing.T) {
	m := &memory{gate: make(chan struct{})}
	h := running(t, localaiven.Options{Engines: []engine.Engine{m}})
	got := h.get(t)
	assert.EqualValues(t, "REBUILDING", got.State, "the provision time has passed, but the engine isn't up")
	assert.Empty(t, got.ServiceUri)
	assert.Empty(t, got.Components)
	assertRefused(t, h, "x", badCall{post, servicePath + "/user", `{"username":"bob"}`, 503, "not running"})
	close(m.gate)
	eventually(t, func() bool { return h.state(t) == "RUNNING" })
	requireURI(t, h.get(t))
}

func TestAServiceDeletedWhileItIsBuiltLeavesNothing(t *testing.T) {
	m := &memory{gate: make(chan struct{})}
	dir := t.TempDir()
	h := running(t, localaiven.Options{Engines: []engine.Engine{m}, DataDir: dir})
	eventually(t, func() bool { return m.starts() == 1 })
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	eventually(t, func() bool {
		left, err := os.ReadDir(dir)
		return err == nil && len(left) == 0
	})
	assert.Zero(t, m.running())
}

func TestCloseStopsEveryEngine(t *testing.T) {
	m := &memory{}
	dir := t.TempDir()
	server, err := localaiven.New(localaiven.Options{Engines: []engine.Engine{m}, DataDir: dir})
	require.NoError(t, err)
	for _, name := range []string{"a", "b", "c"} {
		request := newServiceRequest(t, name)
		server.ServeHTTP(discard{}, request)
	}
	eventually(t, func() bool { return m.running() == 3 })
	require.NoError(t, server.Close())
	assert.Zero(t, m.running())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestAnEngineThatFailsChangesNothing(t *testing.T) {
	m := &memory{}
	h := backed(t, m)
	m.mu.Lock()
	m.broken = errors.New("disk on fire, password hush")
	m.mu.Unlock()
	status, body := h.send(t, post, servicePath+"/user", "x", `{"username":"bob"}`)
	assert.Equal(t, 500, status)
	assert.NotContains(t, body["message"], "hush")
	assert.False(t, userExists(t, h))
}

func TestWithoutItsEngineTheAPIWorks(t *testing.T) {
	m := &memory{unavailable: errors.New("not installed")}
	h := running(t, localaiven.Options{Engines: []engine.Engine{m}})
	assert.Equal(t, "RUNNING", h.state(t))
	assert.Zero(t, m.starts())
	requireURI(t, h.get(t))
}
