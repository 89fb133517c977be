package localaiven_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

// set changes what a memory does from now on.
func (m *memory) set(change func(*memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

func TestPowerGoesWhileAnEngineStarts(t *testing.T) {
	m := &memory{gate: make(chan struct{})}
	dir := t.TempDir()
	h := running(t, localaiven.Options{Engines: []engine.Engine{m}, DataDir: dir})
	eventually(t, func() bool { return m.starts() == 1 })
	h.update(t, service.ServiceUpdateIn{Powered: ptr(false)})
	assert.Equal(t, "POWEROFF", h.state(t))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "the start was given up")

	h.update(t, service.ServiceUpdateIn{Powered: ptr(true)})
	eventually(t, func() bool { return m.starts() == 2 })
	h.clock.Advance(provision)
	assert.Equal(t, "REBUILDING", h.state(t), "the engine isn't up")
	close(m.gate)
	eventually(t, func() bool { return h.state(t) == "RUNNING" })
	assert.Equal(t, 1, m.running())
}

func TestPowerGoesWhileAnEngineResumes(t *testing.T) {
	m := &memory{}
	h := backed(t, m)
	require.NoError(t, createUser(t, h))
	require.NoError(t, h.client.ServicePGBouncerCreate(t.Context(), proj, svcName, &postgresql.ServicePGBouncerCreateIn{
		PoolName: "p", Database: "defaultdb", Username: ptr("bob"), PoolSize: ptr(5),
	}))
	_, err := h.client.ServiceUserCredentialsModify(t.Context(), proj, svcName, "bob", &service.ServiceUserCredentialsModifyIn{
		Operation: "reset-credentials", NewPassword: ptr("chosen-password"),
	})
	require.NoError(t, err)
	gate := make(chan struct{})
	m.set(func(m *memory) { m.gate = gate })
	for range 2 {
		h.update(t, service.ServiceUpdateIn{Powered: ptr(false)})
		assert.Zero(t, m.running())
		got := h.get(t)
		assert.Equal(t, []any{"", 0}, []any{got.ServiceUri, len(got.Components)}, "there is nothing to connect to")
		h.update(t, service.ServiceUpdateIn{Powered: ptr(true)})
	}
	eventually(t, func() bool { return m.starts() == 3 })
	h.clock.Advance(provision)
	assertRefused(t, h, "x", badCall{post, servicePath + "/user", `{"username":"eve"}`, 503, "not running"})
	status, body := h.send(t, "PATCH", "/_local"+servicePath[3:], "x", `{"state":"RUNNING","users":[{"username":"eve","password":"x"}]}`)
	assert.Equal(t, 400, status, body)
	require.NoError(t, h.Patch(proj, svcName, map[string]any{"state": "RUNNING"}))
	assertRefused(t, h, "x", badCall{post, servicePath + "/user", `{"username":"eve"}`, 503, "not running"})
	close(gate)
	eventually(t, func() bool { return m.running() == 1 && h.get(t).ServiceUri != "" })
	requireURI(t, h.get(t))
	assert.Equal(t, engine.Pool{Name: "p", Database: "defaultdb", Username: "bob", Password: "chosen-password", Mode: "transaction", Size: 5},
		m.read(func(i *instance) any { return i.pools["p"] }), "its pools are there again")
}

func TestAnEngineThatDoesNotResumeIsTriedAgain(t *testing.T) {
	m := &memory{}
	h := backed(t, m)
	m.set(func(m *memory) { m.failing = errors.New("disk on fire") })
	cycle := func() {
		h.update(t, service.ServiceUpdateIn{Powered: ptr(false)})
		h.update(t, service.ServiceUpdateIn{Powered: ptr(true)})
		h.clock.Advance(provision)
	}
	cycle()
	eventually(t, func() bool { return m.starts() == 2 })
	assert.Equal(t, "REBUILDING", h.state(t))
	m.set(func(m *memory) { m.failing = nil })
	cycle()
	eventually(t, func() bool { return h.state(t) == "RUNNING" })
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
	eventually(t, func() bool { return m.running() == 0 })
}

func TestPowerUnderManyHands(t *testing.T) {
	m := &memory{}
	dir := t.TempDir()
	h := start(t, localaiven.Options{Engines: []engine.Engine{m}, DataDir: dir})
	const services, hands, turns = 4, 4, 30
	names := make([]string, services)
	for i := range names {
		names[i] = fmt.Sprintf("pg-%d", i)
		_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: names[i], ServiceType: "pg", Plan: "startup-4"})
		require.NoError(t, err)
	}
	var work sync.WaitGroup
	for range hands {
		work.Go(func() {
			for range turns {
				path := servicesPath + "/" + names[rand.N(services)]
				h.send(t, put, path, "x", fmt.Sprintf(`{"powered":%t}`, rand.N(2) == 0))
				h.send(t, get, path, "x", "")
				h.send(t, post, path+"/user", "x", fmt.Sprintf(`{"username":"u%d"}`, rand.N(1000)))
			}
		})
	}
	work.Go(func() { assert.NoError(t, h.client.ServiceDelete(t.Context(), proj, names[0])) })
	work.Wait()
	for _, name := range names[1:] {
		h.send(t, put, servicesPath+"/"+name, "x", `{"powered":true}`)
		require.Eventually(t, func() bool { return h.read(t, name).State == "RUNNING" }, time.Minute, time.Millisecond, name)
	}
	assert.Equal(t, services-1, m.running())
	for _, name := range names[1:] {
		require.NoError(t, h.client.ServiceDelete(t.Context(), proj, name))
	}
	eventually(t, func() bool {
		left, err := os.ReadDir(dir)
		return err == nil && len(left) == 0 && m.running() == 0
	})
}

func TestANewVersionIsAStateChange(t *testing.T) {
	h := running(t, localaiven.Options{})
	change := func(version string) string {
		h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{"pg_version": version}})
		return h.state(t)
	}
	assert.Equal(t, "RUNNING", change("17"), "it has this one")
	assert.Equal(t, "REBUILDING", change("18"))
	h.clock.Advance(provision)
	assert.Equal(t, "RUNNING", h.state(t))
	assertRefused(t, h, "x", badCall{put, servicePath, `{"user_config":{"pg_version":"17"}}`, 400, "18 to 17"})
	assert.Equal(t, "RUNNING", h.state(t), "what is refused is no change")

	off := running(t, localaiven.Options{})
	off.update(t, service.ServiceUpdateIn{Powered: ptr(false), UserConfig: &map[string]any{"pg_version": "18"}})
	assert.Equal(t, "POWEROFF", off.state(t))
}
