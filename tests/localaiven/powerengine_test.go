package localaiven_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// realPostgres starts a server with a service of a real PostgreSQL, which runs, and its data in a folder.
func realPostgres(t *testing.T) (h *harness, dir string) {
	t.Helper()
	pg := postgres.New()
	if err := pg.Available(); err != nil {
		t.Skip("this machine has no PostgreSQL: ", err)
	}
	dir, err := os.MkdirTemp("", "power") // short enough for the sockets to be in it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	h = running(t, localaiven.Options{Engines: []engine.Engine{pg}, DataDir: dir})
	h.runs(t, svcName)
	return h, dir
}

// power switches a service, and waits until it runs if it is on.
func (h *harness) power(t *testing.T, name string, on bool) {
	t.Helper()
	answer, err := h.client.ServiceUpdate(t.Context(), proj, name, &service.ServiceUpdateIn{Powered: &on})
	require.NoError(t, err)
	if !on {
		require.EqualValues(t, "POWEROFF", answer.State)
		return
	}
	require.EqualValues(t, "REBUILDING", answer.State)
	h.clock.Advance(provision)
	h.runs(t, name)
}

// ask runs statements for an application, the last of which has an answer.
func (h *harness) ask(t *testing.T, uri string, statements ...string) (string, error) {
	t.Helper()
	ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	conn, err := dial(t.Context(), t, ca, uri)
	if err != nil {
		return "", err
	}
	defer func() { assert.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	for _, statement := range statements[:len(statements)-1] {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			return "", err
		}
	}
	var answer string
	err = conn.QueryRow(t.Context(), statements[len(statements)-1]).Scan(&answer)
	return answer, err
}

func (h *harness) answers(t *testing.T, want, uri string, statements ...string) {
	t.Helper()
	got, err := h.ask(t, uri, statements...)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// at is the URI of the service's first user.
func (h *harness) at(t *testing.T, name string) string {
	t.Helper()
	return h.read(t, name, withSecrets).ServiceUri
}

// as is a URI with another user.
func as(t *testing.T, uri, user, password string) string {
	t.Helper()
	parsed, err := url.Parse(uri)
	require.NoError(t, err)
	parsed.User = url.UserPassword(user, password)
	return parsed.String()
}

// assertNoListener says without a listener the host and port of URIs.
func assertNoListener(t *testing.T, uris ...string) {
	t.Helper()
	for _, uri := range uris {
		parsed, err := url.Parse(uri)
		require.NoError(t, err)
		conn, err := net.Dial("tcp", parsed.Host)
		if err == nil {
			_ = conn.Close()
		}
		require.Error(t, err, "something listens at %s", parsed.Host)
	}
}

// workingBelow are the ids of the processes that work below a folder, even a removed one.
func workingBelow(t *testing.T, dir string) []int {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	var ids []int
	for _, process := range found {
		// One that has just ended has no folder.
		if folder, err := os.Readlink(filepath.Join(process, "cwd")); err != nil || !strings.HasPrefix(folder, dir) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(process))
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// assertNothingLeft waits until deleted services left neither processes nor files.
func assertNothingLeft(t *testing.T, dir string) {
	t.Helper()
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		return len(left) == 0 && len(workingBelow(t, dir)) == 0
	}, time.Minute, 10*time.Millisecond)
}

func TestPostgreSQLWithoutPower(t *testing.T) {
	h, dir := realPostgres(t)
	ctx := t.Context()
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	require.NoError(t, createUser(t, h))
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{
		PoolName: "pool", Database: "orders", Username: ptr("bob"),
	}))
	pool := func() string { return h.get(t).ConnectionPools[0].ConnectionUri }
	h.answers(t, "kept", pool(), "CREATE TABLE notes (note text)", "INSERT INTO notes VALUES ('kept')", "SELECT note FROM notes")
	for range 2 {
		before := []string{h.at(t, svcName), pool()}
		users := h.get(t).Users
		h.power(t, svcName, false)
		assertNoListener(t, before...)
		assert.Empty(t, workingBelow(t, dir))
		assertRefused(t, h, "x", badCall{post, servicePath + "/user", `{"username":"eve"}`, 409, "powered off"})
		h.power(t, svcName, true)
		assert.Equal(t, users, h.get(t).Users)
		h.answers(t, "bob@orders", pool(), "SELECT current_user || '@' || current_database()")
		h.answers(t, "kept", pool(), "SELECT note FROM notes")
		h.answers(t, "avnadmin", h.at(t, svcName), "SELECT current_user::text")
	}
	h.power(t, svcName, false)
	require.NoError(t, h.client.ServiceDelete(ctx, proj, svcName))
	assertNothingLeft(t, dir)
}

func TestANewVersionKeepsTheData(t *testing.T) {
	h, dir := realPostgres(t)
	first := h.at(t, svcName)
	h.answers(t, "kept", first, "CREATE TABLE notes (note text)", "INSERT INTO notes VALUES ('kept')", "SELECT note FROM notes")
	before := workingBelow(t, dir)

	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{"pg_version": "18"}})
	got := h.get(t)
	assert.Equal(t, []any{service.ServiceStateTypeRebuilding, "18"}, []any{got.State, got.UserConfig["pg_version"]})
	h.clock.Advance(provision)
	h.runs(t, svcName)
	h.answers(t, "kept", h.at(t, svcName), "SELECT note FROM notes")
	for _, process := range workingBelow(t, dir) {
		assert.NotContains(t, before, process, "sessions don't outlive an upgrade")
	}
	h.update(t, service.ServiceUpdateIn{UserConfig: &map[string]any{"pg_version": "18"}})
	assert.Equal(t, "RUNNING", h.state(t), "it has this version")
}

func TestAReadReplicaStreams(t *testing.T) {
	h, dir := realPostgres(t)
	ctx := t.Context()
	require.NoError(t, createUser(t, h))
	h.answers(t, "first", h.at(t, svcName), "CREATE TABLE notes (note text)", "INSERT INTO notes VALUES ('first')", "SELECT note FROM notes")
	_, err := h.replica(t, "copy")
	require.NoError(t, err)
	h.clock.Advance(provision)
	h.runs(t, "copy")
	shows := func(note, uri string) {
		t.Helper()
		require.Eventually(t, func() bool {
			got, err := h.ask(t, uri, "SELECT string_agg(note, ',') FROM notes")
			return err == nil && strings.Contains(got, note)
		}, time.Minute, 10*time.Millisecond, note)
	}
	shows("first", h.at(t, "copy"))
	assert.Equal(t, h.get(t).Users, h.read(t, "copy", withSecrets).Users)
	_, err = h.ask(t, h.at(t, "copy"), "INSERT INTO notes VALUES ('x') RETURNING note")
	require.ErrorContains(t, err, "read-only")

	_, err = h.client.ServiceUserCredentialsModify(ctx, proj, svcName, "bob", &service.ServiceUserCredentialsModifyIn{
		Operation: "reset-credentials", NewPassword: ptr("chosen-password"),
	})
	require.NoError(t, err)
	require.NoError(t, h.client.ServiceDatabaseCreate(ctx, proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	got := h.read(t, "copy", withSecrets)
	assert.Equal(t, "chosen-password", got.Users[1].Password)
	assert.Equal(t, []string{"defaultdb", "orders"}, got.Databases)
	require.Eventually(t, func() bool {
		who, err := h.ask(t, as(t, got.ServiceUri, "bob", "chosen-password"), "SELECT current_user::text")
		return err == nil && who == "bob"
	}, time.Minute, 10*time.Millisecond)

	h.power(t, svcName, false)
	shows("first", h.at(t, "copy"))
	h.power(t, svcName, true)
	h.answers(t, "second", h.at(t, svcName), "INSERT INTO notes VALUES ('second') RETURNING note")
	shows("second", h.at(t, "copy"))
	h.power(t, "copy", false)
	h.answers(t, "third", h.at(t, svcName), "INSERT INTO notes VALUES ('third') RETURNING note")
	h.power(t, "copy", true)
	shows("third", h.at(t, "copy"))

	require.NoError(t, h.client.ServiceDelete(ctx, proj, svcName))
	shows("third", h.at(t, "copy"))
	h.answers(t, "mine", h.at(t, "copy"), "INSERT INTO notes VALUES ('mine') RETURNING note")
	_, err = h.client.ServiceUserCreate(ctx, proj, "copy", &service.ServiceUserCreateIn{Username: "eve"})
	require.NoError(t, err)
	require.NoError(t, h.client.ServiceDelete(ctx, proj, "copy"))
	assertNothingLeft(t, dir)
}

func TestTwentyPostgreSQLServicesAtOnce(t *testing.T) {
	h, dir := realPostgres(t)
	ctx := t.Context()
	require.NoError(t, h.client.ServiceDelete(ctx, proj, svcName))
	names := make([]string, 20)
	var work sync.WaitGroup
	for i := range names {
		names[i] = fmt.Sprintf("pg-%d", i)
		work.Go(func() {
			_, err := h.client.ServiceCreate(ctx, proj, &service.ServiceCreateIn{ServiceName: names[i], ServiceType: "pg", Plan: "startup-4"})
			assert.NoError(t, err)
		})
	}
	work.Wait()
	h.clock.Advance(provision)
	for _, name := range names {
		h.answers(t, "avnadmin", h.runs(t, name).ServiceUri, "SELECT current_user::text")
	}
	used := memoryBelow(t, dir)
	t.Logf("%d processes of %d services use %d MiB (PSS)", len(workingBelow(t, dir)), len(names), used>>20)
	assert.Less(t, used, 4<<30)

	for _, name := range names[:10] {
		h.power(t, name, false)
	}
	for _, name := range names[10:] {
		h.answers(t, "avnadmin", h.at(t, name), "SELECT current_user::text")
	}
	for _, name := range names {
		work.Go(func() { assert.NoError(t, h.client.ServiceDelete(ctx, proj, name)) })
	}
	work.Wait()
	assertNothingLeft(t, dir)
}

// memoryBelow is the memory of the processes that work below a folder, in bytes, in which what they share counts once.
func memoryBelow(t *testing.T, dir string) int {
	t.Helper()
	sum := 0
	for _, id := range workingBelow(t, dir) {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		if err != nil {
			continue // it has just ended
		}
		for line := range strings.Lines(string(content)) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
				kilobytes, err := strconv.Atoi(fields[1])
				require.NoError(t, err)
				sum += kilobytes << 10
			}
		}
	}
	require.Positive(t, sum)
	return sum
}
