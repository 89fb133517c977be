package localaiven_test

import (
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/postgres"
)

// fork creates a service of these options, and lets it be built.
func (h *harness) fork(t *testing.T, name string, options map[string]any) *service.ServiceGetOut {
	t.Helper()
	_, err := h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{
		ServiceName: name, ServiceType: "pg", Plan: "startup-4", UserConfig: &options,
	})
	require.NoError(t, err)
	h.clock.Advance(provision)
	require.Eventually(t, func() bool { return h.read(t, name).State == service.ServiceStateTypeRunning }, time.Minute, 10*time.Millisecond)
	return h.read(t, name, withSecrets)
}

func TestAForkHasTheUsersAndDatabasesOfItsSource(t *testing.T) {
	h := running(t, localaiven.Options{})
	require.NoError(t, createUser(t, h))
	require.NoError(t, h.client.ServiceDatabaseCreate(t.Context(), proj, svcName, &service.ServiceDatabaseCreateIn{Database: "orders"}))
	h.clock.Advance(time.Hour)
	then := h.clock.Now().UTC().Format(time.DateTime)
	h.clock.Advance(time.Hour)
	_, err := h.client.ServiceUserCreate(t.Context(), proj, svcName, &service.ServiceUserCreateIn{Username: "eve"})
	require.NoError(t, err)
	require.NoError(t, h.client.ServiceDatabaseCreate(t.Context(), proj, svcName, &service.ServiceDatabaseCreateIn{Database: "later"}))

	source := h.get(t)
	for name, tc := range map[string]struct {
		options          map[string]any
		users, databases []string
	}{
		"now":     {map[string]any{}, []string{"avnadmin", "bob", "eve"}, []string{"defaultdb", "orders", "later"}},
		"earlier": {map[string]any{"recovery_target_time": then}, []string{"avnadmin", "bob"}, []string{"defaultdb", "orders"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.options["service_to_fork_from"] = svcName
			fork := h.fork(t, name, tc.options)
			assert.Equal(t, tc.databases, fork.Databases)
			var users []string
			for _, u := range fork.Users {
				users = append(users, u.Username)
			}
			assert.Equal(t, tc.users, users)
			assert.NotEqual(t, source.Users[0].Password, fork.Users[0].Password, "the first user is its own")
			assert.Equal(t, source.Users[1].Password, fork.Users[1].Password)
			assert.Equal(t, svcName, fork.UserConfig["service_to_fork_from"])

			require.NoError(t, h.client.ServiceUserDelete(t.Context(), proj, name, "bob"))
			assert.Len(t, h.get(t).Users, 3, "the source goes on by itself")
		})
	}
}

func TestWhatCanNotBeForkedIsRefused(t *testing.T) {
	h := running(t, localaiven.Options{})
	_, err := h.replica(t, "copy")
	require.NoError(t, err)
	_, err = h.client.ServiceCreate(t.Context(), proj, &service.ServiceCreateIn{ServiceName: "cache", ServiceType: "valkey", Plan: "startup-4"})
	require.NoError(t, err)
	fork := func(options string) string {
		return `{"service_name":"fork","service_type":"pg","plan":"startup-4","user_config":{` + options + `}}`
	}
	for name, call := range map[string]badCall{
		"no such service":           {post, servicesPath, fork(`"service_to_fork_from":"none"`), 400, "Invalid service_to_fork_from 'none': there is no such service"},
		"a service of another type": {post, servicesPath, fork(`"service_to_fork_from":"cache"`), 400, "it is of service type 'valkey'"},
		"a read replica":            {post, servicesPath, fork(`"service_to_fork_from":"copy"`), 400, "it is a read replica"},
		"of another project":        {post, servicesPath, fork(`"service_to_fork_from":"` + svcName + `","project_to_fork_from":"other"`), 400, "there is no such"},
		"no time":                   {post, servicesPath, fork(`"service_to_fork_from":"` + svcName + `","recovery_target_time":"noon"`), 400, "must be a time such as"},
		"before it was created":     {post, servicesPath, fork(`"service_to_fork_from":"` + svcName + `","recovery_target_time":"2001-01-01 00:00:00"`), 400, "must be between "},
		"in the future":             {post, servicesPath, fork(`"service_to_fork_from":"` + svcName + `","recovery_target_time":"2999-01-01T00:00:00Z"`), 400, "and now"},
	} {
		t.Run(name, func(t *testing.T) { assertRefused(t, h, "x", call) })
	}
	_, err = h.client.ServiceUpdate(t.Context(), proj, svcName, &service.ServiceUpdateIn{Powered: ptr(false)})
	require.NoError(t, err)
	assertRefused(t, h, "x", badCall{post, servicesPath, fork(`"service_to_fork_from":"` + svcName + `"`), 409, "it isn't running"})
}

func TestAForkHasTheDataOfItsSource(t *testing.T) {
	pg := postgres.New()
	if err := pg.Available(); err != nil {
		t.Skip("this machine has no PostgreSQL: ", err)
	}
	h := start(t, localaiven.Options{Engines: []engine.Engine{pg}, Clock: localaiven.NewFastClock(1)}) // that of PostgreSQL
	h.create(t, service.ServiceCreateIn{})
	require.Eventually(t, func() bool { return h.state(t) == "RUNNING" }, time.Minute, 10*time.Millisecond)
	ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	conn, err := dial(t.Context(), t, ca, h.get(t).ServiceUri)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "CREATE TABLE notes (note text); INSERT INTO notes VALUES ('kept')")
	require.NoError(t, err)
	var then time.Time
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&then))
	_, err = conn.Exec(t.Context(), "DELETE FROM notes")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	_, err = h.client.ServiceUserCredentialsModify(t.Context(), proj, svcName, "avnadmin", &service.ServiceUserCredentialsModifyIn{Operation: "reset-credentials"})
	require.NoError(t, err)

	fork := h.fork(t, "fork", map[string]any{"service_to_fork_from": svcName, "recovery_target_time": then.UTC().Format(time.RFC3339Nano)})
	conn, err = dial(t.Context(), t, ca, fork.ServiceUri)
	require.NoError(t, err)
	var note string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT note FROM notes").Scan(&note))
	assert.Equal(t, "kept", note)
	require.NoError(t, conn.Close(t.Context()))
}
